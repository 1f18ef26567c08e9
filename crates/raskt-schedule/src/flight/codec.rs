//! Numbers and strings as bytes: seven bits a byte, the least first.

use crate::flight::error::FlightError;
use std::sync::Arc;

#[derive(Debug, Default)]
pub(super) struct Encoder(pub Vec<u8>);

impl Encoder {
    pub fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    pub fn signed(&mut self, number: i32) {
        self.number(u64::from(((number << 1) ^ (number >> 31)) as u32));
    }

    pub fn flag(&mut self, flag: bool) {
        self.number(u64::from(flag));
    }

    pub fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.0.extend_from_slice(text.as_bytes());
    }

    pub fn list<T>(&mut self, items: impl ExactSizeIterator<Item = T>, mut each: impl FnMut(&mut Self, T)) {
        self.number(items.len() as u64);
        items.for_each(|item| each(self, item));
    }
}

/// Reads what an [`Encoder`] wrote, and whatever else: nothing that it reads makes it panic or take more memory than the
/// bytes deserve.
#[derive(Debug)]
pub(super) struct Decoder<'a>(pub &'a [u8]);

impl Decoder<'_> {
    pub fn number(&mut self) -> Result<u64, FlightError> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.0.split_first().ok_or(FlightError::Torn)?;
            self.0 = rest;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(FlightError::Malformed("a number has more than 64 bits"))
    }

    pub fn word(&mut self) -> Result<u32, FlightError> {
        u32::try_from(self.number()?).map_err(|_| FlightError::Malformed("a number has more than 32 bits"))
    }

    pub fn signed(&mut self) -> Result<i32, FlightError> {
        let word = self.word()?;
        Ok((word >> 1) as i32 ^ -((word & 1) as i32))
    }

    pub fn flag(&mut self) -> Result<bool, FlightError> {
        Ok(self.number()? != 0)
    }

    pub fn text(&mut self) -> Result<Arc<str>, FlightError> {
        let len = self.number()? as usize;
        let (text, rest) = self.0.split_at_checked(len).ok_or(FlightError::Torn)?;
        self.0 = rest;
        Ok(std::str::from_utf8(text).map_err(|_| FlightError::Malformed("a name isn't UTF-8"))?.into())
    }

    pub fn list<T, C: FromIterator<T>>(
        &mut self,
        mut each: impl FnMut(&mut Self) -> Result<T, FlightError>,
    ) -> Result<C, FlightError> {
        let count = self.number()?;
        (0..count).map(|_| each(self)).collect()
    }
}
