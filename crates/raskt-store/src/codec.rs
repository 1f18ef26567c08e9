//! Values as bytes and back: those that every crate knows. Tables and objects of others say themselves how.

use crate::aligned::ALIGNMENT;
use raskt_value::{
    Buffer, Chunk, Codec, DType, Decoder, Dims, Encoded, ErrorKind, LayoutError, Manifest, Strides, TaskError,
    Unwritten, Value,
};
use std::sync::Arc;

/// How `value` is written and read back; nothing if it has to stay in memory.
pub(crate) fn codec_of(value: &Value) -> Option<Arc<dyn Codec>> {
    match value {
        Value::Chunk(chunk) => Some(Arc::new(ChunkCodec::of(chunk))),
        Value::Table(table) => table.codec(),
        Value::Foreign(object) => object.codec(),
        Value::Manifest(manifest) => {
            let parts: Option<Vec<_>> = manifest.parts.iter().map(codec_of).collect();
            Some(Arc::new(ManifestCodec { parts: parts? }))
        }
        Value::Stored(_) => None,
    }
}

/// Blocks of one shape: their elements in C order, those that are repeated along an axis once. What they look like stays in
/// memory.
struct ChunkCodec {
    dtype: DType,
    shape: Dims,
    /// The axes along which elements are repeated.
    repeats: Box<[bool]>,
}

impl ChunkCodec {
    fn of(chunk: &Chunk) -> Self {
        let repeats = chunk.shape().iter().zip(chunk.strides()).map(|(&length, &stride)| stride == 0 && length > 1);
        Self { dtype: chunk.dtype(), shape: chunk.shape().into(), repeats: repeats.collect() }
    }
}

impl Codec for ChunkCodec {
    fn encode(&self, value: &Value) -> Result<Encoded, Unwritten> {
        let chunk = value.as_chunk().ok_or_else(|| TaskError::new(ErrorKind::Type, "expected an array block"))?;
        let lengths: Dims =
            self.shape.iter().zip(&self.repeats).map(|(&l, &repeats)| if repeats { 1 } else { l }).collect();
        let once = Chunk::from_parts(
            self.dtype,
            lengths.clone(),
            chunk.strides().into(),
            chunk.offset(),
            chunk.buffer().clone(),
        );
        let chunk = once.map_err(unlike)?.to_contiguous();
        let (dtype, shape, repeats) = (self.dtype, self.shape.clone(), self.repeats.clone());
        let decoder = Arc::new(move |bytes| decode_chunk(dtype, &shape, &lengths, &repeats, bytes));
        let Some(start) = std::ptr::NonNull::new(chunk.as_ptr().cast_mut()).filter(|_| !chunk.is_empty()) else {
            return Ok(Encoded { pieces: vec![], decoder });
        };
        // SAFETY: the elements of a contiguous block lie in its buffer from its first one on, and the owner keeps them alive.
        let elements = unsafe { Buffer::from_raw(start, chunk.bytes(), chunk.buffer().owner().clone()) };
        Ok(Encoded { pieces: vec![elements], decoder })
    }
}

/// A block of this shape from its elements, of which there are so many along each axis.
fn decode_chunk(
    dtype: DType,
    shape: &Dims,
    lengths: &[usize],
    repeats: &[bool],
    bytes: Buffer,
) -> Result<Value, TaskError> {
    let mut strides = Strides::from_elem(0, shape.len());
    let mut stride = 1;
    for axis in (0..shape.len()).rev() {
        strides[axis] = if repeats[axis] { 0 } else { stride };
        stride *= lengths[axis].max(1) as isize;
    }
    Chunk::from_parts(dtype, shape.clone(), strides, 0, bytes).map(Value::from).map_err(unlike)
}

fn unlike(error: LayoutError) -> TaskError {
    TaskError::new(ErrorKind::Lost, error.to_string())
}

/// Several values, each from a multiple of [`ALIGNMENT`] on.
struct ManifestCodec {
    parts: Vec<Arc<dyn Codec>>,
}

impl Codec for ManifestCodec {
    fn encode(&self, value: &Value) -> Result<Encoded, Unwritten> {
        let Value::Manifest(manifest) = value else {
            return Err(TaskError::new(ErrorKind::Type, "expected a shuffle output").into());
        };
        let mut pieces = vec![];
        let mut decoder = ManifestDecoder { parts: vec![] };
        for (codec, part) in self.parts.iter().zip(&manifest.parts) {
            let encoded = codec.encode(part)?;
            let length: usize = encoded.pieces.iter().map(Buffer::len).sum();
            decoder.parts.push((length, encoded.decoder));
            pieces.extend(encoded.pieces);
            pieces.push(Buffer::from_vec(vec![0_u8; length.next_multiple_of(ALIGNMENT) - length]));
        }
        Ok(Encoded { pieces, decoder: Arc::new(decoder) })
    }

    fn may_change(&self) -> bool {
        self.parts.iter().any(|codec| codec.may_change())
    }

    fn let_go(&self, value: Value) {
        // What somebody else has goes with him.
        let Value::Manifest(manifest) = value else { return };
        let Some(manifest) = Arc::into_inner(manifest) else { return };
        self.parts.iter().zip(manifest.parts).for_each(|(codec, part)| codec.let_go(part));
    }
}

/// The length of each part, and how it is read.
struct ManifestDecoder {
    parts: Vec<(usize, Arc<dyn Decoder>)>,
}

impl Decoder for ManifestDecoder {
    fn decode(&self, bytes: Buffer) -> Result<Value, TaskError> {
        let short = || TaskError::new(ErrorKind::Lost, "a spill file is shorter than what it holds");
        let mut at = 0;
        let mut parts = vec![];
        for (length, decoder) in &self.parts {
            parts.push(decoder.decode(bytes.part(at, *length).ok_or_else(short)?)?);
            at += length.next_multiple_of(ALIGNMENT);
        }
        Ok(Value::Manifest(Arc::new(Manifest { parts })))
    }

    fn unheard(&self, error: &TaskError) {
        self.parts.iter().for_each(|(_, decoder)| decoder.unheard(error));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sole::are_sole;

    fn through_a_file(value: &Value) -> Value {
        let place = tempfile::tempdir().unwrap();
        let folder = Arc::new(crate::folder::Folder::create(place.path()).unwrap());
        let codec = codec_of(value).unwrap();
        crate::file::SpillFile::write(&folder, codec.encode(value).unwrap()).unwrap().value().unwrap()
    }

    #[test]
    fn blocks_of_any_layout_come_back_in_c_order() {
        let strided = Chunk::from_parts(
            DType::I64,
            [2, 3].into_iter().collect(),
            [1, 2].into_iter().collect(),
            0,
            Buffer::from_vec((0..6_i64).collect()),
        );
        for chunk in [strided.unwrap(), Chunk::scalar(2.5_f32), Chunk::from_vec::<bool>(vec![], &[0, 3]).unwrap()] {
            let expected = chunk.to_contiguous();
            let found = through_a_file(&chunk.into());
            assert_eq!(format!("{:?}", found), format!("{:?}", Value::from(expected.clone())));
            assert_eq!(found.as_chunk().unwrap().as_slice::<i64>(), expected.as_slice::<i64>());
            assert_eq!(found.as_chunk().unwrap().as_slice::<f32>(), expected.as_slice::<f32>());
            assert!(are_sole(&[&found]));
        }
    }

    #[test]
    fn what_is_repeated_is_written_once() {
        let elements = || Buffer::from_vec((0..3_i64).collect());
        for (shape, strides, held) in [
            (vec![1 << 40, 3], vec![0, 1], 24),
            (vec![2, 3, 4], vec![0, -1, 0], 24),
            (vec![5], vec![0], 8),
            (vec![1, 3], vec![0, 1], 24),
            (vec![0, 4], vec![3, 0], 0),
            (vec![usize::MAX], vec![0], 8),
        ] {
            let offset = if strides.contains(&-1) { 2 } else { 0 };
            let strides = strides.into_iter().collect();
            let chunk =
                Chunk::from_parts(DType::I64, shape.into_iter().collect(), strides, offset, elements()).unwrap();
            let value = Value::from(chunk.clone());
            assert_eq!(value.bytes(), held);
            let found = through_a_file(&value);
            let found = found.as_chunk().unwrap();
            assert_eq!((found.shape(), found.held_bytes()), (chunk.shape(), held));
            if chunk.bytes() < 1000 {
                assert_eq!(found.to_contiguous().as_slice::<i64>(), chunk.to_contiguous().as_slice::<i64>());
            }
        }
    }

    /// Counts how often one of it is let go of as its codec says.
    #[derive(Clone)]
    struct LetGo(Arc<std::sync::atomic::AtomicUsize>);

    impl raskt_value::Foreign for LetGo {
        fn bytes(&self) -> usize {
            8
        }

        fn type_name(&self) -> &str {
            "one that counts"
        }

        fn as_any(&self) -> &dyn std::any::Any {
            self
        }

        fn codec(&self) -> Option<Arc<dyn Codec>> {
            Some(Arc::new(self.clone()))
        }
    }

    impl Codec for LetGo {
        fn encode(&self, _: &Value) -> Result<Encoded, Unwritten> {
            Err(Unwritten::Shared)
        }

        fn let_go(&self, value: Value) {
            self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            drop(value);
        }
    }

    #[test]
    fn parts_of_shuffle_outputs_are_let_go_of_each_in_its_own_way() {
        let counted = LetGo(Arc::default());
        let part = || Value::Foreign(Arc::new(counted.clone()));
        let inner = Value::Manifest(Arc::new(Manifest { parts: vec![part(), part()] }));
        let value = Value::Manifest(Arc::new(Manifest { parts: vec![part(), Chunk::scalar(1.0).into(), inner] }));
        let codec = codec_of(&value).unwrap();
        codec.let_go(value.clone());
        assert_eq!(counted.0.load(std::sync::atomic::Ordering::Relaxed), 0, "somebody else has it");
        codec.let_go(value);
        assert_eq!(counted.0.load(std::sync::atomic::Ordering::Relaxed), 3);
    }

    #[test]
    fn shuffle_outputs_come_back_part_by_part() {
        let parts = (0..9).map(|at| Chunk::from_vec(vec![at as i64; at * 3], &[at, 3]).unwrap().into()).collect();
        let found = through_a_file(&Value::Manifest(Arc::new(Manifest { parts })));
        let Value::Manifest(manifest) = &found else { panic!("another kind of value came back") };
        for (at, part) in manifest.parts.iter().enumerate() {
            assert_eq!(part.as_chunk().unwrap().as_slice::<i64>().unwrap(), vec![at as i64; at * 3]);
        }
        assert!(are_sole(&[&found]), "nothing else refers to what was read");
        let held = manifest.parts[4].clone();
        assert!(!are_sole(&[&found]));
        drop(held);
    }
}
