//! Random numbers that nobody can guess.

use ring::rand::{SecureRandom, SystemRandom};
use std::io;
use std::time::{SystemTime, UNIX_EPOCH};

/// Bits that nobody can guess.
pub(crate) fn random<const BYTES: usize>() -> io::Result<[u8; BYTES]> {
    let mut bytes = [0; BYTES];
    SystemRandom::new().fill(&mut bytes).map_err(|_| io::Error::other("the system gives no random numbers"))?;
    Ok(bytes)
}

/// A number other than zero that nobody has drawn before, as far as that can be: of the time and the process where the system gives none.
pub(crate) fn random_number() -> u64 {
    let number = random().map(u64::from_le_bytes).unwrap_or_else(|_| {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64);
        since ^ u64::from(std::process::id()).rotate_left(40)
    });
    number.max(1)
}
