//! What kernels and values are when they travel between processes.
//!
//! A kernel that can travel says what it is in a [`WireForm`]: a tag, which stays what it is for good, a version of what is behind
//! it, and bytes. Whoever gets one finds a decoder in [`Decoders`], which each crate that has kernels fills with its own, and has a
//! kernel or an error from it, whatever the bytes are.

use crate::Kernel;
use crate::parcel::ValueDecoder;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::sync::Arc;
use thiserror::Error;

/// A kernel as it travels; or what is said of the memory of a value ([`crate::Parcel`]).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, serde::Deserialize)]
pub struct WireForm {
    /// Which decoder understands it.
    pub tag: String,
    /// Which version of what the decoder has understood.
    pub version: u16,
    /// The kernel itself.
    pub body: Vec<u8>,
}

/// What stands for the body of an op in a graph that travels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, serde::Deserialize)]
pub enum BodyForm {
    /// A kernel.
    Native(WireForm),
    /// Functions of another language.
    Foreign(WireForm),
    /// Data, by its position among all that the graph has: no op holds any.
    Given(u32),
}

/// What makes kernels of the bodies of one tag and version. It trusts nothing: what it accepts runs without harm.
pub type KernelDecoder = Arc<dyn Fn(&WireForm) -> Result<Arc<dyn Kernel>, WireError> + Send + Sync>;

/// All decoders of a process.
#[derive(Clone)]
pub struct Decoders {
    kernels: Table<KernelDecoder>,
    values: Table<ValueDecoder>,
}

/// What is known, by tag and version.
type Table<T> = BTreeMap<(&'static str, u16), T>;

/// Why something that has come from elsewhere isn't a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum WireError {
    /// Nobody here knows what the tag stands for, or not in that version.
    #[error("nothing of the name `{tag}` of version {version} is known here{}", known(.versions))]
    Unknown {
        /// The tag.
        tag: String,
        /// The version.
        version: u16,
        /// Versions of the tag that are known.
        versions: Vec<u16>,
    },
    /// The bytes are nothing of that tag.
    #[error("what came as `{tag}` is none: {reason}")]
    Malformed {
        /// The tag.
        tag: String,
        /// What is wrong.
        reason: String,
    },
}

fn known(versions: &[u16]) -> String {
    if versions.is_empty() { String::new() } else { format!(", but of version {versions:?}") }
}

/// The longest body that is decoded.
pub const BODY_BYTES: usize = 64 << 20;

impl WireForm {
    /// That of something small: a few numbers, whatever they are. What may be large, since a user had a hand in it, has
    /// [`Self::try_of`].
    ///
    /// # Panics
    /// If something in it has no written form, or it has more than [`BODY_BYTES`].
    pub fn of(tag: &str, version: u16, kernel: &impl Serialize) -> Self {
        Self::try_of(tag, version, kernel).expect("what is small can be written")
    }

    /// That of whatever `serde` writes.
    ///
    /// # Errors
    /// A sentence that says why it doesn't travel: something in it has no written form, or it would have more than [`BODY_BYTES`].
    pub fn try_of(tag: &str, version: u16, kernel: &impl Serialize) -> Result<Self, String> {
        let body = postcard::to_stdvec(kernel).map_err(|error| format!("`{tag}` can't be written: {error}"))?;
        if body.len() > BODY_BYTES {
            let found = body.len();
            return Err(format!("`{tag}` would travel as {found} bytes, and at most {BODY_BYTES} of one op do"));
        }
        Ok(Self { tag: tag.into(), version, body })
    }

    /// What `serde` reads of it, if that is all there is.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, WireError> {
        if self.body.len() > BODY_BYTES {
            return Err(self.malformed(format!("it has {} bytes, and may have {BODY_BYTES}", self.body.len())));
        }
        match postcard::take_from_bytes(&self.body) {
            Ok((kernel, [])) => Ok(kernel),
            Ok((_, rest)) => Err(self.malformed(format!("{} bytes are left over", rest.len()))),
            Err(error) => Err(self.malformed(error.to_string())),
        }
    }

    /// The error for one that is no kernel for this reason.
    pub fn malformed(&self, reason: impl Into<String>) -> WireError {
        WireError::Malformed { tag: self.tag.clone(), reason: reason.into() }
    }
}

impl Default for Decoders {
    /// Those of values that this crate has, and of no kernels.
    fn default() -> Self {
        let mut decoders = Self { kernels: Table::new(), values: Table::new() };
        decoders.add_own_values();
        decoders
    }
}

impl Decoders {
    /// Adds a decoder of kernels.
    ///
    /// # Panics
    /// If there is one of the tag and version.
    pub fn add(
        &mut self,
        tag: &'static str,
        version: u16,
        decoder: impl Fn(&WireForm) -> Result<Arc<dyn Kernel>, WireError> + Send + Sync + 'static,
    ) {
        let before = self.kernels.insert((tag, version), Arc::new(decoder));
        assert!(before.is_none(), "two decoders for `{tag}` of version {version}");
    }

    /// Adds a decoder of values.
    ///
    /// # Panics
    /// If there is one of the tag and version.
    pub fn add_value(&mut self, tag: &'static str, version: u16, decoder: ValueDecoder) {
        let before = self.values.insert((tag, version), decoder);
        assert!(before.is_none(), "two decoders for `{tag}` of version {version}");
    }

    /// The kernel that has come.
    pub fn decode(&self, form: &WireForm) -> Result<Arc<dyn Kernel>, WireError> {
        found(&self.kernels, form)?(form)
    }

    pub(crate) fn value_decoder(&self, form: &WireForm) -> Result<ValueDecoder, WireError> {
        found(&self.values, form).copied()
    }
}

/// What is known for the tag and version of a form.
fn found<'a, T>(known: &'a Table<T>, form: &'a WireForm) -> Result<&'a T, WireError> {
    known.get(&(form.tag.as_str(), form.version)).ok_or_else(|| {
        let versions = known.keys().filter(|(tag, _)| *tag == form.tag).map(|&(_, version)| version).collect();
        WireError::Unknown { tag: form.tag.clone(), version: form.version, versions }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_large_to_travel_says_what_and_how_large_it_is() {
        let bytes = |count: usize| WireForm::try_of("somebody's", 1, &vec![0_u8; count]);
        assert_eq!(bytes(3).unwrap(), WireForm::of("somebody's", 1, &vec![0_u8; 3]));
        let error = bytes(BODY_BYTES).unwrap_err();
        for part in ["`somebody's`", "67108868 bytes", "67108864"] {
            assert!(error.contains(part), "{part} in {error}");
        }
    }
}
