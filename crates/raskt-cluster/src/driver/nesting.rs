//! Messages read with a bound on how deeply they are nested.
//!
//! A type that holds itself (a tree, say) is read by a function that calls itself, once for each byte of a hostile message: four
//! million calls, and the end of the process. So whatever a type is, it is read through this, which counts.

use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess, VariantAccess, Visitor,
};
use std::fmt;

/// Containers within containers, at most; options, new types and variants count as well.
pub(super) const NESTING_MAX: u32 = 128;

/// Reads a message that is all of `bytes`.
pub(crate) fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    let mut inner = postcard::Deserializer::from_bytes(bytes);
    let message = T::deserialize(Nested { inner: &mut inner, left: NESTING_MAX });
    let message = message.map_err(|error| format!("a message can't be read, or is nested too deeply: {error}"))?;
    let rest = inner.finalize().map_err(|error| error.to_string())?.len();
    if rest == 0 { Ok(message) } else { Err(format!("a message has {rest} bytes too many")) }
}

/// Something of `serde`'s, and how much deeper it may go.
struct Nested<T> {
    inner: T,
    left: u32,
}

impl<T> Nested<T> {
    /// The same for what is in it.
    fn over<U>(&self, inner: U) -> Nested<U> {
        Nested { inner, left: self.left }
    }

    /// For what is in a container within it.
    fn deeper<U, E: Error>(&self, inner: U) -> Result<Nested<U>, E> {
        let left = self.left.checked_sub(1).ok_or_else(|| E::custom("too deep"))?;
        Ok(Nested { inner, left })
    }
}

macro_rules! read_as {
    ($($name:ident($($argument:ident: $type:ty),*);)*) => {
        $(fn $name<V: Visitor<'de>>(self, $($argument: $type,)* visitor: V) -> Result<V::Value, D::Error> {
            let visitor = self.over(visitor);
            self.inner.$name($($argument,)* visitor)
        })*
    };
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Nested<D> {
    type Error = D::Error;

    read_as! {
        deserialize_any();
        deserialize_bool();
        deserialize_i8();
        deserialize_i16();
        deserialize_i32();
        deserialize_i64();
        deserialize_i128();
        deserialize_u8();
        deserialize_u16();
        deserialize_u32();
        deserialize_u64();
        deserialize_u128();
        deserialize_f32();
        deserialize_f64();
        deserialize_char();
        deserialize_str();
        deserialize_string();
        deserialize_bytes();
        deserialize_byte_buf();
        deserialize_option();
        deserialize_unit();
        deserialize_unit_struct(name: &'static str);
        deserialize_newtype_struct(name: &'static str);
        deserialize_seq();
        deserialize_tuple(len: usize);
        deserialize_tuple_struct(name: &'static str, len: usize);
        deserialize_map();
        deserialize_struct(name: &'static str, fields: &'static [&'static str]);
        deserialize_enum(name: &'static str, variants: &'static [&'static str]);
        deserialize_identifier();
        deserialize_ignored_any();
    }

    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
    }
}

macro_rules! visit {
    ($($name:ident: $type:ty;)*) => {
        $(fn $name<E: Error>(self, value: $type) -> Result<V::Value, E> {
            self.inner.$name(value)
        })*
    };
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Nested<V> {
    type Value = V::Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(formatter)
    }

    visit! {
        visit_bool: bool;
        visit_i8: i8;
        visit_i16: i16;
        visit_i32: i32;
        visit_i64: i64;
        visit_i128: i128;
        visit_u8: u8;
        visit_u16: u16;
        visit_u32: u32;
        visit_u64: u64;
        visit_u128: u128;
        visit_f32: f32;
        visit_f64: f64;
        visit_char: char;
        visit_str: &str;
        visit_borrowed_str: &'de str;
        visit_string: String;
        visit_bytes: &[u8];
        visit_borrowed_bytes: &'de [u8];
        visit_byte_buf: Vec<u8>;
    }

    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_none()
    }

    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        let inner = self.deeper(inner)?;
        self.inner.visit_some(inner)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        let inner = self.deeper(inner)?;
        self.inner.visit_newtype_struct(inner)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, inner: A) -> Result<V::Value, A::Error> {
        let inner = self.deeper(inner)?;
        self.inner.visit_seq(inner)
    }

    fn visit_map<A: MapAccess<'de>>(self, inner: A) -> Result<V::Value, A::Error> {
        let inner = self.deeper(inner)?;
        self.inner.visit_map(inner)
    }

    fn visit_enum<A: EnumAccess<'de>>(self, inner: A) -> Result<V::Value, A::Error> {
        let inner = self.deeper(inner)?;
        self.inner.visit_enum(inner)
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Nested<A> {
    type Error = A::Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        let seed = self.over(seed);
        self.inner.next_element_seed(seed)
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Nested<A> {
    type Error = A::Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        let seed = self.over(seed);
        self.inner.next_key_seed(seed)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        let seed = self.over(seed);
        self.inner.next_value_seed(seed)
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

impl<'de, A: EnumAccess<'de>> EnumAccess<'de> for Nested<A> {
    type Error = A::Error;
    type Variant = Nested<A::Variant>;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self::Variant), A::Error> {
        let (seed, left) = (self.over(seed), self.left);
        let (value, inner) = self.inner.variant_seed(seed)?;
        Ok((value, Nested { inner, left }))
    }
}

impl<'de, A: VariantAccess<'de>> VariantAccess<'de> for Nested<A> {
    type Error = A::Error;

    fn unit_variant(self) -> Result<(), A::Error> {
        self.inner.unit_variant()
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, A::Error> {
        let seed = self.over(seed);
        self.inner.newtype_variant_seed(seed)
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, A::Error> {
        let visitor = self.over(visitor);
        self.inner.tuple_variant(len, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        let visitor = self.over(visitor);
        self.inner.struct_variant(fields, visitor)
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Nested<S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, inner: D) -> Result<S::Value, D::Error> {
        let inner = self.over(inner);
        self.inner.deserialize(inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::{Deserialize, Serialize};
    use std::collections::BTreeMap;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    enum Tree {
        Leaf,
        Number(i32),
        Pair(u8, char),
        Branch { name: Option<String>, parts: Vec<Tree> },
        Table(BTreeMap<u16, Box<Tree>>),
        Bytes(#[serde(with = "as_bytes")] Vec<u8>),
        Floats([f64; 2], f32, bool, u128, i128, ()),
    }

    mod as_bytes {
        pub fn serialize<S: serde::Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
            serializer.serialize_bytes(bytes)
        }

        pub fn deserialize<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
            struct AsBytes;
            impl serde::de::Visitor<'_> for AsBytes {
                type Value = Vec<u8>;
                fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    formatter.write_str("bytes")
                }
                fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
                    Ok(bytes.to_vec())
                }
            }
            deserializer.deserialize_byte_buf(AsBytes)
        }
    }

    fn within(depth: usize) -> Tree {
        (0..depth).fold(Tree::Leaf, |inner, _| Tree::Branch { name: None, parts: vec![inner] })
    }

    #[test]
    fn messages_of_every_kind_come_back() {
        let parts = vec![
            Tree::Number(-5),
            Tree::Pair(7, 'ü'),
            Tree::Table(BTreeMap::from([(1, Box::new(Tree::Leaf)), (2, Box::new(within(3)))])),
            Tree::Bytes(vec![1, 2, 3]),
            Tree::Floats([0.5, -0.5], 1.5, true, u128::MAX, i128::MIN, ()),
        ];
        let tree = Tree::Branch { name: Some("root".into()), parts };
        let mut bytes = postcard::to_allocvec(&tree).unwrap();
        assert_eq!(read(&bytes), Ok(tree));
        bytes.push(0);
        assert!(read::<Tree>(&bytes).unwrap_err().contains("1 bytes too many"));
    }

    #[test]
    fn what_is_nested_too_deeply_is_refused_and_does_not_end_the_process() {
        // Each branch is a variant, and a list within it.
        let most = NESTING_MAX as usize / 3;
        assert!(read::<Tree>(&postcard::to_allocvec(&within(most - 1)).unwrap()).is_ok());
        // A branch without a name and with one part, again and again.
        let hostile = [3, 0, 1].repeat(1_000_000);
        assert!(read::<Tree>(&hostile).unwrap_err().contains("nested too deeply"));
    }
}
