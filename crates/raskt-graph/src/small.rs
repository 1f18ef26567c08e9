//! How short lists travel: `#[serde(with = "raskt_graph::small")]`.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use smallvec::{Array, SmallVec};

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
    Ok(Vec::deserialize(deserializer)?.into())
}
