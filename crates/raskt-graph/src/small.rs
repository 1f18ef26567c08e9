//! How short lists travel, of what goes axis by axis: `#[serde(with = "raskt_graph::small")]`.

use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use smallvec::{Array, SmallVec};
use std::fmt;
use std::marker::PhantomData;

/// The most elements of a short list that has come: more axes than any array has. In memory an element may be many times what it
/// is where it travels.
pub const LIST_MOST: usize = 256;

/// Writes a list.
pub fn serialize<S: Serializer, A: Array>(list: &SmallVec<A>, serializer: S) -> Result<S::Ok, S::Error>
where
    A::Item: Serialize,
{
    serializer.collect_seq(list)
}

/// Reads a list.
pub fn deserialize<'de, D: Deserializer<'de>, A: Array>(deserializer: D) -> Result<SmallVec<A>, D::Error>
where
    A::Item: Deserialize<'de>,
{
    deserializer.deserialize_seq(Elements(PhantomData))
}

/// Reads the elements one by one.
struct Elements<A>(PhantomData<A>);

impl<'de, A: Array> Visitor<'de> for Elements<A>
where
    A::Item: Deserialize<'de>,
{
    type Value = SmallVec<A>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a list of at most {LIST_MOST} elements")
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut list: S) -> Result<Self::Value, S::Error> {
        let mut elements = SmallVec::new();
        while let Some(element) = list.next_element()? {
            if elements.len() == LIST_MOST {
                return Err(S::Error::invalid_length(LIST_MOST + 1, &self));
            }
            elements.push(element);
        }
        Ok(elements)
    }
}
