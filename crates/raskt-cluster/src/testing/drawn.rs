//! Values of any type that `serde` reads, made up by a seed: a number here, two elements there, one variant of those there are.
//!
//! A type that gets another field or variant has it in what is drawn from then on, and nobody has to think of that.

use super::Chance;
use serde::de::value::Error;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Error as _, IntoDeserializer, MapAccess, SeqAccess,
    VariantAccess, Visitor,
};

/// Elements of a list, at most.
const ELEMENTS_MOST: u64 = 3;
/// Containers within containers.
const DEPTH_MOST: u32 = 40;

/// How often another value is made up, where what was is none of the type.
const TRIES: usize = 20;

/// A value; nothing where it doesn't come to one.
pub fn draw<T: DeserializeOwned>(chance: &mut Chance) -> Option<T> {
    (0..TRIES).find_map(|_| T::deserialize(Drawn { chance: &mut *chance, left: DEPTH_MOST }).ok())
}

struct Drawn<'a> {
    chance: &'a mut Chance,
    left: u32,
}

impl Drawn<'_> {
    fn again(&mut self) -> Drawn<'_> {
        Drawn { chance: self.chance, left: self.left }
    }

    fn deeper(self) -> Result<Self, Error> {
        let left = self.left.checked_sub(1).ok_or_else(|| Error::custom("too deep"))?;
        Ok(Self { chance: self.chance, left })
    }

    /// Mostly small; else one at an edge.
    fn number(&mut self, most: u128) -> u128 {
        let chosen = match self.chance.below(8) {
            0 => most,
            1 => most / 2 + u128::from(self.chance.below(2)),
            2 => u128::from(self.chance.next_number()),
            // The first of the numbers that a client has.
            3 => (u128::from(self.chance.below(3)) << 32) + u128::from(self.chance.below(4)),
            _ => u128::from(self.chance.below(6)),
        };
        if most == u128::MAX { chosen } else { chosen % (most + 1) }
    }

    fn text(&mut self) -> String {
        let words = ["", "x", "sum", "a worker", "tcp://127.0.0.1:1", "ä„“𝄞", "\0\n", "GPU"];
        words[self.chance.below(words.len() as u64) as usize].to_owned()
    }

    fn count(&mut self) -> usize {
        self.chance.below(ELEMENTS_MOST + 1) as usize
    }
}

macro_rules! numbers {
    ($($name:ident $visit:ident $type:ident;)*) => {
        $(fn $name<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Error> {
            visitor.$visit(self.number($type::MAX as u128) as $type)
        })*
    };
}

macro_rules! texts {
    ($($name:ident)*) => {
        $(fn $name<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Error> {
            visitor.visit_string(self.text())
        })*
    };
}

impl<'de> Deserializer<'de> for Drawn<'_> {
    type Error = Error;

    numbers! {
        deserialize_u8 visit_u8 u8;
        deserialize_u16 visit_u16 u16;
        deserialize_u32 visit_u32 u32;
        deserialize_u64 visit_u64 u64;
        deserialize_u128 visit_u128 u128;
        deserialize_i8 visit_i8 i8;
        deserialize_i16 visit_i16 i16;
        deserialize_i32 visit_i32 i32;
        deserialize_i64 visit_i64 i64;
        deserialize_i128 visit_i128 i128;
    }

    texts! { deserialize_str deserialize_string deserialize_identifier }

    fn deserialize_any<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value, Error> {
        Err(Error::custom("nothing on the wire says itself what it is"))
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_bool(self.chance.below(2) == 1)
    }

    fn deserialize_f32<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_f32(f32::from_bits(self.number(u128::from(u32::MAX)) as u32))
    }

    fn deserialize_f64<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_f64(f64::from_bits(self.number(u128::from(u64::MAX)) as u64))
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_char(char::from(self.chance.below(128) as u8))
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_byte_buf(visitor)
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Error> {
        let count = self.count() * 5;
        visitor.visit_byte_buf((0..count).map(|_| self.chance.next_number() as u8).collect())
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.chance.below(2) {
            0 => visitor.visit_none(),
            _ => visitor.visit_some(self.deeper()?),
        }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self.deeper()?)
    }

    fn deserialize_seq<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Error> {
        let left = self.count();
        visitor.visit_seq(Elements { of: self.deeper()?, left })
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, left: usize, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_seq(Elements { of: self.deeper()?, left })
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        left: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_tuple(left, visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Error> {
        let left = self.count();
        visitor.visit_map(Elements { of: self.deeper()?, left })
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_tuple(fields.len(), visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let variant = self.chance.below(variants.len() as u64) as u32;
        visitor.visit_enum(Variant { of: self.deeper()?, variant })
    }

    fn is_human_readable(&self) -> bool {
        false
    }
}

/// So many elements, or entries, that are still to come.
struct Elements<'a> {
    of: Drawn<'a>,
    left: usize,
}

impl Elements<'_> {
    fn take<'de, S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Error> {
        let Some(left) = self.left.checked_sub(1) else { return Ok(None) };
        self.left = left;
        seed.deserialize(self.of.again()).map(Some)
    }
}

impl<'de> SeqAccess<'de> for Elements<'_> {
    type Error = Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Error> {
        self.take(seed)
    }
}

impl<'de> MapAccess<'de> for Elements<'_> {
    type Error = Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Error> {
        self.take(seed)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Error> {
        seed.deserialize(self.of.again())
    }
}

struct Variant<'a> {
    of: Drawn<'a>,
    variant: u32,
}

impl<'de, 'a> EnumAccess<'de> for Variant<'a> {
    type Error = Error;
    type Variant = Drawn<'a>;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Drawn<'a>), Error> {
        let variant: serde::de::value::U32Deserializer<Error> = self.variant.into_deserializer();
        Ok((seed.deserialize(variant)?, self.of))
    }
}

impl<'de> VariantAccess<'de> for Drawn<'_> {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        Ok(())
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, Error> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_tuple(len, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(self, fields: &'static [&'static str], visitor: V) -> Result<V::Value, Error> {
        self.deserialize_tuple(fields.len(), visitor)
    }
}
