//! Lists of which it is known how long they may be.

use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;
use std::marker::PhantomData;

/// A list of at most `N` elements, where it is read.
///
/// An element may be some bytes where it travels and a hundred in memory. So a list that is too long is refused when its first element
/// too many comes: to look at it when all are there may take many times the memory of the bytes that have come.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct AtMost<const N: usize, T>(pub Vec<T>);

impl<'de, const N: usize, T: Deserialize<'de>> Deserialize<'de> for AtMost<N, T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Elements(PhantomData))
    }
}

/// Reads the elements one by one.
struct Elements<const N: usize, T>(PhantomData<T>);

/// Elements for which there is room before one has come, whatever is said of how many there are.
const ROOM: usize = 1 << 10;

impl<'de, const N: usize, T: Deserialize<'de>> Visitor<'de> for Elements<N, T> {
    type Value = AtMost<N, T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a list of at most {N} elements")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let said = list.size_hint().unwrap_or(0);
        if said > N {
            return Err(A::Error::invalid_length(said, &self));
        }
        let mut elements = Vec::with_capacity(said.min(ROOM));
        while let Some(element) = list.next_element()? {
            if elements.len() == N {
                return Err(A::Error::invalid_length(N + 1, &self));
            }
            elements.push(element);
        }
        Ok(AtMost(elements))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    static READ: AtomicUsize = AtomicUsize::new(0);

    /// An element that tells that it was read.
    #[derive(Debug)]
    struct Counted;

    impl<'de> Deserialize<'de> for Counted {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            u8::deserialize(deserializer)?;
            READ.fetch_add(1, Ordering::Relaxed);
            Ok(Self)
        }
    }

    #[test]
    fn a_list_is_as_long_as_it_may_be_and_of_a_longer_one_no_more_is_read() {
        let written = |count: usize| postcard::to_stdvec(&vec![7_u8; count]).unwrap();
        assert_eq!(postcard::from_bytes::<AtMost<3, u8>>(&written(3)).unwrap().0, [7, 7, 7]);
        assert_eq!(postcard::to_stdvec(&AtMost::<3, u8>(vec![7; 3])).unwrap(), written(3));
        assert!(postcard::from_bytes::<AtMost<3, Counted>>(&written(1000)).is_err());
        assert!(READ.load(Ordering::Relaxed) <= 4);
    }
}
