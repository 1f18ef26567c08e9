//! Values of Rust as they travel: what `serde` writes of them, and the name of their type.

use raskt_value::wire::{Decoders, WireForm};
use raskt_value::{
    Buffer, Chunk, Codec, DType, Dims, Encoded, ErrorKind, Foreign, Parcel, Strides, TaskError, Unwritten, Value,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::any::{Any, type_name};
use std::sync::Arc;

/// What can go from one process to another: all that `serde` can write and read.
pub trait Portable: Serialize + DeserializeOwned + Send + Sync + 'static {}

impl<T: Serialize + DeserializeOwned + Send + Sync + 'static> Portable for T {}

/// A value of Rust as it travels. It stays so until somebody reads it who knows its type: a worker that holds one needn't.
pub struct Packed {
    kind: Arc<str>,
    bytes: Chunk,
}

const TAG: &str = "raskt.packed";
const VERSION: u16 = 1;

/// The longest name of a type.
const KIND_BYTES: usize = 64 << 10;

#[derive(Serialize, Deserialize)]
struct PackedForm {
    kind: String,
}

pub(crate) fn add_decoder(decoders: &mut Decoders) {
    decoders.add_value(TAG, VERSION, unpack);
}

/// What `serde` writes of a value.
pub(crate) fn written<T: Portable>(value: &T) -> Result<Vec<u8>, TaskError> {
    postcard::to_stdvec(value)
        .map_err(|error| TaskError::new(ErrorKind::Type, format!("a `{}` can't be written: {error}", type_name::<T>())))
}

/// The value that was written.
pub(crate) fn read<T: Portable>(bytes: &[u8]) -> Result<T, TaskError> {
    let malformed = |reason: String| {
        TaskError::new(ErrorKind::Type, format!("what came as a `{}` is none: {reason}", type_name::<T>()))
    };
    match postcard::take_from_bytes(bytes) {
        Ok((value, [])) => Ok(value),
        Ok((_, rest)) => Err(malformed(format!("{} bytes are left over", rest.len()))),
        Err(error) => Err(malformed(error.to_string())),
    }
}

impl Packed {
    /// That of a value.
    pub fn of<T: Portable>(value: &T) -> Result<Self, TaskError> {
        Ok(Self::new(type_name::<T>().into(), Buffer::from_vec(written(value)?)))
    }

    fn new(kind: Arc<str>, bytes: Buffer) -> Self {
        let (shape, strides) = (Dims::from_slice(&[bytes.len()]), Strides::from_slice(&[1]));
        let bytes = Chunk::from_parts(DType::U8, shape, strides, 0, bytes).expect("it is as long as its memory");
        Self { kind, bytes }
    }

    /// What is within a value, if that is one.
    pub fn within(value: &Value) -> Result<&Self, TaskError> {
        let found = match value {
            Value::Foreign(object) => object.as_any().downcast_ref(),
            _ => None,
        };
        found.ok_or_else(|| {
            let message = format!("a value of Rust was due, and a {} came", value.type_name());
            TaskError::new(ErrorKind::Type, message)
        })
    }

    /// It as a value.
    pub fn value(self) -> Value {
        Value::Foreign(Arc::new(self))
    }

    /// The value, if it is of this type.
    pub fn read<T: Portable>(&self) -> Result<T, TaskError> {
        if *self.kind != *type_name::<T>() {
            let message = format!("a `{}` was due, and a `{}` came", type_name::<T>(), self.kind);
            return Err(TaskError::new(ErrorKind::Type, message));
        }
        read(self.as_slice())
    }

    /// What was written.
    pub fn as_slice(&self) -> &[u8] {
        self.bytes.as_slice().expect("its bytes lie one after the other")
    }
}

impl Foreign for Packed {
    fn bytes(&self) -> usize {
        self.bytes.bytes() + self.kind.len()
    }

    fn type_name(&self) -> &str {
        &self.kind
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn codec(&self) -> Option<Arc<dyn Codec>> {
        Some(Arc::new(PackedCodec))
    }

    fn pack(&self) -> Result<Parcel, TaskError> {
        let form = WireForm::of(TAG, VERSION, &PackedForm { kind: self.kind.to_string() });
        Ok(Parcel { form, pieces: vec![self.bytes.buffer().clone()] })
    }

    fn pack_at_once(&self) -> Option<Parcel> {
        self.pack().ok()
    }
}

fn unpack(form: &WireForm, pieces: Vec<Buffer>) -> Result<Value, TaskError> {
    let PackedForm { kind } = form.read()?;
    if kind.len() > KIND_BYTES {
        return Err(form.malformed(format!("the name of a type has {} bytes", kind.len())).into());
    }
    match <[Buffer; 1]>::try_from(pieces) {
        Ok([bytes]) => Ok(Packed::new(kind.into(), bytes).value()),
        Err(_) => Err(form.malformed("a value of Rust has one piece").into()),
    }
}

struct PackedCodec;

impl Codec for PackedCodec {
    fn encode(&self, value: &Value) -> Result<Encoded, Unwritten> {
        let Packed { kind, bytes } = Packed::within(value)?;
        let (kind, pieces) = (kind.clone(), vec![bytes.buffer().clone()]);
        let decoder = move |bytes: Buffer| Ok::<_, TaskError>(Packed::new(kind.clone(), bytes).value());
        Ok(Encoded { pieces, decoder: Arc::new(decoder) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn travelled(value: &Value) -> Value {
        let mut decoders = Decoders::default();
        add_decoder(&mut decoders);
        decoders.unpack(value.pack().unwrap()).unwrap()
    }

    fn spilled(value: &Value) -> Value {
        let Value::Foreign(object) = value else { panic!("it isn't foreign") };
        let Encoded { pieces, decoder } = object.codec().unwrap().encode(value).unwrap();
        decoder.decode(pieces[0].clone()).unwrap()
    }

    proptest! {
        #[test]
        fn values_come_back_from_disk_and_from_elsewhere(value: (String, Vec<i64>, Option<f64>)) {
            let packed = Packed::of(&value).unwrap().value();
            for value_again in [travelled(&packed), spilled(&packed), spilled(&travelled(&packed))] {
                let again: (String, Vec<i64>, Option<f64>) = Packed::within(&value_again).unwrap().read().unwrap();
                prop_assert_eq!((&again.0, &again.1), (&value.0, &value.1));
                prop_assert_eq!(again.2.map(f64::to_bits), value.2.map(f64::to_bits));
            }
        }

        #[test]
        fn any_bytes_are_a_value_or_an_error(bytes: Vec<u8>) {
            let _ = read::<(String, Vec<u16>, bool)>(&bytes);
        }
    }

    #[test]
    fn a_value_of_another_type_is_refused_though_its_bytes_would_do() {
        let packed = Packed::of(&7_u32).unwrap();
        assert_eq!(packed.read::<u32>().unwrap(), 7);
        let error = packed.read::<u64>().unwrap_err();
        assert!(error.message.contains("`u64`") && error.message.contains("`u32`"), "{error}");
        assert!(Packed::within(&Chunk::scalar(7_u32).into()).is_err());
    }
}
