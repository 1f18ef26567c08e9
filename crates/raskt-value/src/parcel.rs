//! Values on their way to another process.
//!
//! A value travels as a [`Parcel`]: a form that says what it is, and the memory that it has, which nobody copies before it is sent.
//! Whoever gets one has a value of it by [`Decoders::unpack`], or an error, whatever the form and the memory are.

use crate::wire::{Decoders, WireError, WireForm};
use crate::{AtMost, Buffer, Chunk, DType, Dims, ErrorKind, Manifest, Strides, TaskError, Value, with_element};
use serde::{Deserialize, Serialize};

/// A value as it travels.
#[derive(Clone, Debug)]
pub struct Parcel {
    /// What makes the value of its memory.
    pub form: WireForm,
    /// The memory, in as many pieces as the form says. Where it is unpacked, each begins at a multiple of [`Parcel::ALIGNMENT`], and
    /// is nobody else's.
    pub pieces: Vec<Buffer>,
}

/// What makes values of parcels of one tag and version. It trusts nothing of them.
pub type ValueDecoder = fn(&WireForm, Vec<Buffer>) -> Result<Value, TaskError>;

const BLOCK: &str = "raskt.block";
const MANIFEST: &str = "raskt.manifest";
const VERSION: u16 = 1;

/// Axes of a block, parts of a shuffle output, pieces of one of them: at most so many.
const AXES_MOST: usize = 64;
const PARTS_MOST: usize = 1 << 20;

/// What a block is beside its elements.
#[derive(Serialize, Deserialize)]
struct BlockForm {
    dtype: DType,
    /// The length of each axis, and whether its elements are one and the same, of which only the first travels.
    axes: AtMost<AXES_MOST, (u64, bool)>,
}

/// What a shuffle output is: for each part its form, and how many of the pieces are its own.
#[derive(Serialize, Deserialize)]
struct ManifestForm(AtMost<PARTS_MOST, (WireForm, u32)>);

impl Parcel {
    /// Pieces begin at multiples of so many bytes where they arrive.
    pub const ALIGNMENT: usize = 64;

    /// Bytes of its memory.
    pub fn bytes(&self) -> usize {
        self.pieces.iter().map(Buffer::len).sum()
    }
}

impl Value {
    /// What it is when it travels to another process.
    ///
    /// # Errors
    /// If nothing that another process would understand can be said of it, or the memory for that can't be had. A result that a store
    /// keeps isn't asked itself, but what it stands for.
    pub fn pack(&self) -> Result<Parcel, TaskError> {
        match self {
            Self::Chunk(chunk) => Ok(pack_block(chunk)),
            Self::Table(table) => table.pack(),
            Self::Manifest(manifest) => pack_manifest(manifest),
            Self::Foreign(object) => object.pack(),
            Self::Stored(_) => Err(unsendable(self.type_name())),
        }
    }
}

impl Value {
    /// The same if that takes neither time nor anything that others may hold.
    pub fn pack_at_once(&self) -> Option<Parcel> {
        match self {
            Self::Chunk(chunk) => Some(pack_block(chunk)),
            Self::Foreign(object) => object.pack_at_once(),
            Self::Table(_) | Self::Manifest(_) | Self::Stored(_) => None,
        }
    }
}

/// The error for a value of which nothing can be said that another process would understand.
pub(crate) fn unsendable(type_name: &str) -> TaskError {
    TaskError::new(ErrorKind::Type, format!("a {type_name} can't be sent to another process"))
}

impl Decoders {
    /// Those of what this crate has: blocks, and shuffle outputs.
    pub(crate) fn add_own_values(&mut self) {
        self.add_value(BLOCK, VERSION, unpack_block);
    }

    /// The value that has come.
    pub fn unpack(&self, parcel: Parcel) -> Result<Value, TaskError> {
        let Parcel { form, pieces } = parcel;
        if form.tag != MANIFEST || form.version != VERSION {
            return self.value_decoder(&form)?(&form, pieces);
        }
        let ManifestForm(AtMost(parts)) = form.read()?;
        let (mut pieces, mut values) = (pieces.into_iter(), vec![]);
        for (form, count) in parts {
            let own: Vec<_> = pieces.by_ref().take(count as usize).collect();
            if own.len() < count as usize {
                return Err(form.malformed("pieces of it are missing").into());
            }
            // Of no part is it said that it has parts: then this would be as deep as somebody likes.
            values.push(self.value_decoder(&form)?(&form, own)?);
        }
        match pieces.next() {
            None => Ok(Value::Manifest(Manifest { parts: values }.into())),
            Some(_) => Err(form.malformed("pieces are left over").into()),
        }
    }
}

impl From<WireError> for TaskError {
    fn from(error: WireError) -> Self {
        Self::new(ErrorKind::Type, error.to_string())
    }
}

fn pack_manifest(manifest: &Manifest) -> Result<Parcel, TaskError> {
    if manifest.parts.len() > PARTS_MOST {
        return Err(unsendable(&format!("shuffle output of more than {PARTS_MOST} parts")));
    }
    let (mut forms, mut pieces) = (vec![], vec![]);
    for part in &manifest.parts {
        if matches!(part, Value::Manifest(_)) {
            return Err(unsendable("shuffle output within another"));
        }
        let parcel = part.pack()?;
        forms.push((parcel.form, parcel.pieces.len() as u32));
        pieces.extend(parcel.pieces);
    }
    let form = WireForm::try_of(MANIFEST, VERSION, &ManifestForm(AtMost(forms)));
    let form =
        form.map_err(|reason| TaskError::new(ErrorKind::Type, format!("a shuffle output doesn't travel: {reason}")));
    Ok(Parcel { form: form?, pieces })
}

fn pack_block(chunk: &Chunk) -> Parcel {
    let repeats = |(&length, &stride): (&usize, &isize)| stride == 0 && length > 1;
    let repeated: Vec<bool> = chunk.shape().iter().zip(chunk.strides()).map(repeats).collect();
    let axes = chunk.shape().iter().zip(&repeated).map(|(&length, &repeats)| (length as u64, repeats)).collect();
    let own = chunk.shape().iter().zip(&repeated).map(|(&length, &repeats)| if repeats { 1 } else { length });
    let (own, strides): (Dims, Strides) = (own.collect(), chunk.strides().into());
    let own = Chunk::from_parts(chunk.dtype(), own, strides, chunk.offset(), chunk.buffer().clone());
    let own = own.expect("fewer elements of the same lie within its memory").to_contiguous();
    let piece = match own.is_empty() {
        true => Buffer::from_vec(Vec::<u8>::new()),
        false => own.buffer().part(own.offset() * own.dtype().size(), own.bytes()).expect("its elements lie in it"),
    };
    let form = BlockForm { dtype: chunk.dtype(), axes: AtMost(axes) };
    Parcel { form: WireForm::of(BLOCK, VERSION, &form), pieces: vec![piece] }
}

fn unpack_block(form: &WireForm, pieces: Vec<Buffer>) -> Result<Value, TaskError> {
    let BlockForm { dtype, axes: AtMost(axes) } = form.read()?;
    let Ok([buffer]) = <[Buffer; 1]>::try_from(pieces) else {
        return Err(form.malformed("a block has one piece").into());
    };
    let malformed = |reason: &str| TaskError::from(form.malformed(reason));
    let (mut strides, mut elements, mut shown) = (Strides::new(), 1_usize, 1_usize);
    for &(length, repeats) in axes.iter().rev() {
        let length = usize::try_from(length).ok().filter(|&length| isize::try_from(length).is_ok());
        let length = length.ok_or_else(|| malformed("an axis is longer than memory"))?;
        strides.push(if repeats { 0 } else { elements as isize });
        let own = if repeats { length.min(1) } else { length };
        elements = elements.checked_mul(own).ok_or_else(|| malformed("it is larger than memory"))?;
        // What is repeated takes no memory, but has to be counted.
        shown = shown.checked_mul(length.max(1)).ok_or_else(|| malformed("it is larger than can be counted"))?;
    }
    strides.reverse();
    if shown.checked_mul(dtype.size()).is_none_or(|bytes| isize::try_from(bytes).is_err()) {
        return Err(malformed("it is larger than can be counted"));
    }
    if elements.checked_mul(dtype.size()) != Some(buffer.len()) {
        return Err(malformed("its memory is of another size"));
    }
    let shape: Dims = axes.iter().map(|&(length, _)| length as usize).collect();
    if !buffer.is_empty() && !(buffer.as_ptr() as usize).is_multiple_of(with_element!(dtype, T => align_of::<T>())) {
        return Err(malformed("its memory begins where no element may"));
    }
    if dtype == DType::Bool && !are_truth_values(&buffer) {
        return Err(malformed("truth values that are neither true nor false"));
    }
    let chunk = Chunk::from_parts(dtype, shape, strides, 0, buffer);
    Ok(chunk.map_err(|error| malformed(&error.to_string()))?.into())
}

/// Whether all bytes are what truth values are made of: no others may be read as such.
fn are_truth_values(buffer: &Buffer) -> bool {
    // SAFETY: the buffer's bytes are valid for reads as long as it lives.
    let bytes = unsafe { std::slice::from_raw_parts(buffer.as_ptr(), buffer.len()) };
    bytes.chunks(1 << 12).all(|bytes| bytes.iter().fold(0, |all, byte| all | byte) <= 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use smallvec::smallvec;

    fn decoders() -> Decoders {
        Decoders::default()
    }

    fn block() -> impl Strategy<Value = Chunk> {
        let axes = prop::collection::vec((0..5_usize, -2..4_isize), 0..4);
        (prop::sample::select(DType::ALL.to_vec()), axes).prop_map(|(dtype, axes)| {
            let reach: usize =
                axes.iter().map(|(length, stride)| length.saturating_sub(1) * stride.unsigned_abs()).sum();
            let before: usize = axes
                .iter()
                .filter(|axis| axis.1 < 0)
                .map(|axis| axis.0.saturating_sub(1) * axis.1.unsigned_abs())
                .sum();
            let bytes: Vec<u8> = (0..(reach + 1) * dtype.size()).map(|at| (at * 7 % 2) as u8).collect();
            // Aligned for any element.
            let mut lines = vec![0_u64; bytes.len().div_ceil(8) + 1];
            bytemuck::cast_slice_mut::<u64, u8>(&mut lines)[..bytes.len()].copy_from_slice(&bytes);
            let buffer = Buffer::from_vec(lines);
            let (shape, strides) = axes.iter().copied().unzip::<_, _, Vec<_>, Vec<_>>();
            Chunk::from_parts(dtype, shape.into(), strides.into(), before, buffer).expect("within the buffer")
        })
    }

    fn elements(chunk: &Chunk) -> Vec<u8> {
        let whole = chunk.to_contiguous();
        with_element!(whole.dtype(), T => bytemuck_bytes(whole.as_slice::<T>().expect("contiguous")))
    }

    fn bytemuck_bytes<T: crate::Element>(elements: &[T]) -> Vec<u8> {
        // SAFETY: elements are plain data.
        unsafe { std::slice::from_raw_parts(elements.as_ptr().cast(), size_of_val(elements)).to_vec() }
    }

    /// Another byte, or a number as large as numbers are.
    fn change() -> impl Strategy<Value = Vec<u8>> {
        let large = [300, 1 << 32, 1 << 60, (1 << 63) - 1, 1 << 63, u64::MAX];
        let number = prop::sample::select(large.to_vec()).prop_map(|number| postcard::to_stdvec(&number).unwrap());
        prop_oneof![any::<u8>().prop_map(|byte| vec![byte]), number]
    }

    proptest! {
        #[test]
        fn blocks_come_as_they_went(chunk in block()) {
            let parcel = Value::from(chunk.clone()).pack().unwrap();
            prop_assert_eq!(parcel.bytes(), if chunk.is_empty() { 0 } else { chunk.held_bytes() });
            let found = decoders().unpack(parcel).unwrap();
            let found = found.as_chunk().unwrap();
            prop_assert_eq!((found.dtype(), found.shape()), (chunk.dtype(), chunk.shape()));
            prop_assert_eq!(elements(found), elements(&chunk));
        }

        #[test]
        fn damaged_forms_are_told(chunk in block(), at in any::<prop::sample::Index>(), new in change(), cut in 0..3_usize) {
            let mut parcel = Value::from(chunk).pack().unwrap();
            let at = at.index(parcel.form.body.len());
            parcel.form.body.splice(at..=at, new);
            parcel.form.body.truncate(parcel.form.body.len() - cut.min(parcel.form.body.len()));
            if let Ok(found) = decoders().unpack(parcel) {
                let chunk = found.as_chunk().unwrap();
                // Whatever it is taken for lies in its memory.
                prop_assert!(chunk.held_bytes() <= chunk.buffer().len() || chunk.is_empty());
                prop_assert!(isize::try_from(chunk.bytes()).is_ok());
            }
        }
    }

    #[test]
    fn a_number_that_is_shown_everywhere_is_sent_once() {
        let buffer = Buffer::from_vec(vec![7_i64]);
        let chunk = Chunk::from_parts(DType::I64, smallvec![1 << 20, 1 << 20], smallvec![0, 0], 0, buffer).unwrap();
        let parcel = Value::from(chunk).pack().unwrap();
        assert_eq!(parcel.bytes(), 8);
        let found = decoders().unpack(parcel).unwrap();
        assert_eq!(found.as_chunk().unwrap().shape(), [1 << 20, 1 << 20]);
        assert_eq!(found.bytes(), 8);
    }

    #[test]
    fn truth_values_are_looked_at() {
        let parcel = Value::from(Chunk::from_vec(vec![true, false], &[2]).unwrap()).pack().unwrap();
        let wrong = Parcel { pieces: vec![Buffer::from_vec(vec![1_u8, 2])], ..parcel };
        assert!(decoders().unpack(wrong).unwrap_err().message.contains("truth values"));
    }

    #[test]
    fn shuffle_outputs_come_part_by_part() {
        let parts: Vec<Value> =
            (0..3).map(|at| Chunk::from_vec(vec![at; at as usize], &[at as usize]).unwrap().into()).collect();
        let whole = Value::Manifest(Manifest { parts }.into());
        let parcel = whole.pack().unwrap();
        let Value::Manifest(found) = decoders().unpack(parcel.clone()).unwrap() else { panic!("no shuffle output") };
        assert_eq!(found.parts.iter().map(Value::bytes).collect::<Vec<_>>(), [0, 4, 8]);
        let fewer = Parcel { pieces: parcel.pieces[1..].to_vec(), ..parcel.clone() };
        assert!(decoders().unpack(fewer).is_err());
        let within = Value::Manifest(Manifest { parts: vec![whole] }.into());
        assert!(within.pack().unwrap_err().message.contains("within another"));
    }

    #[test]
    fn more_parts_and_axes_than_there_may_be_are_refused_here_and_there() {
        let block = Value::from(Chunk::scalar(1_u8)).pack().unwrap();
        let part = (WireForm::of("", 0, &()), 0_u32);
        let many = WireForm::of(MANIFEST, VERSION, &vec![part; PARTS_MOST + 1]);
        let error = decoders().unpack(Parcel { form: many, pieces: vec![] }).unwrap_err();
        assert!(error.message.contains(MANIFEST), "{error}");
        let axes = WireForm::of(BLOCK, VERSION, &(DType::U8, vec![(1_u64, false); AXES_MOST + 1]));
        assert!(decoders().unpack(Parcel { form: axes, ..block.clone() }).is_err());
        let axes = WireForm::of(BLOCK, VERSION, &(DType::U8, vec![(1_u64, false); AXES_MOST]));
        assert!(decoders().unpack(Parcel { form: axes, ..block }).is_ok());
        let parts = vec![Value::from(Chunk::scalar(1_u8)); PARTS_MOST + 1];
        let error = Value::Manifest(Manifest { parts }.into()).pack().unwrap_err();
        assert!(error.message.contains("1048576 parts"), "{error}");
    }

    /// Strides and sizes of it are signed numbers.
    #[test]
    fn a_block_of_more_bytes_than_can_be_counted_is_refused() {
        let form = |axes: &[(u64, bool)]| WireForm::of(BLOCK, VERSION, &(DType::F64, axes));
        let empty = || vec![Buffer::from_vec(Vec::<f64>::new())];
        for axes in [&[(0, false), (1 << 62, true), (1, false)][..], &[(1 << 59, true), (3, true), (0, false)]] {
            assert!(decoders().unpack(Parcel { form: form(axes), pieces: empty() }).is_err(), "{axes:?}");
        }
        let fits = Parcel { form: form(&[(0, false), (1 << 59, true)]), pieces: empty() };
        assert_eq!(decoders().unpack(fits).unwrap().as_chunk().unwrap().shape(), [0, 1 << 59]);
    }

    #[test]
    fn what_nobody_knows_is_told_by_name() {
        let parcel = Parcel { form: WireForm::of("somebody's", 3, &()), pieces: vec![] };
        let error = decoders().unpack(parcel).unwrap_err();
        assert!(error.message.contains("`somebody's` of version 3"), "{error}");
    }
}
