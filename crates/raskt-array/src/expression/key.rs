use crate::Chunks;
use crate::kernel::{Affine, Generator, Source};
use raskt_value::{DType, Scalar};
use smallvec::SmallVec;
use std::fmt::Write;
use xxhash_rust::xxh3::xxh3_128;

/// Collects what an expression consists of; equal content, equal key.
pub(crate) struct Content(SmallVec<[u8; 256]>);

impl Content {
    /// The content of an expression of kind `tag`.
    pub(crate) fn new(tag: &str) -> Self {
        let mut content = Self(SmallVec::new());
        content.text(tag);
        content
    }

    pub(crate) fn text(&mut self, text: &str) -> &mut Self {
        self.word(text.len() as u64);
        self.0.extend_from_slice(text.as_bytes());
        self
    }

    pub(crate) fn word(&mut self, word: u64) -> &mut Self {
        self.0.extend_from_slice(&word.to_le_bytes());
        self
    }

    pub(crate) fn words(&mut self, words: impl ExactSizeIterator<Item = u64>) -> &mut Self {
        self.word(words.len() as u64);
        words.for_each(|word| _ = self.word(word));
        self
    }

    pub(crate) fn key(&mut self, key: u128) -> &mut Self {
        self.0.extend_from_slice(&key.to_le_bytes());
        self
    }

    pub(crate) fn dtype(&mut self, dtype: DType) -> &mut Self {
        self.0.push(dtype as u8);
        self
    }

    pub(crate) fn chunks(&mut self, chunks: &Chunks) -> &mut Self {
        self.word(chunks.ndim() as u64);
        for axis in chunks.axes() {
            axis.for_each_word(|word| _ = self.word(word));
        }
        self
    }

    pub(crate) fn scalar(&mut self, scalar: Scalar) -> &mut Self {
        self.0.push(scalar.kind() as u8);
        match scalar {
            Scalar::Bool(x) => self.word(u64::from(x)),
            Scalar::Int(x) => self.word(x as u64),
            Scalar::UInt(x) => self.word(x),
            Scalar::Float(x) => self.word(x.to_bits()),
            Scalar::Complex(x) => self.word(x.re.to_bits()).word(x.im.to_bits()),
        }
    }

    pub(crate) fn source(&mut self, source: &Source) -> &mut Self {
        self.dtype(source.dtype).affine(&source.index);
        match &source.generator {
            Generator::Full(value) => self.word(0).scalar(*value),
            Generator::Linear { start, step, end } => {
                self.word(1).scalar(*start).scalar(*step);
                match end {
                    Some((at, value)) => self.word(*at as u64).scalar(*value),
                    None => self,
                }
            }
            Generator::Eye => self.word(2),
            Generator::Triangle => self.word(3),
            // The distribution and its parameters: floats are written so that different ones differ.
            Generator::Random(random) => {
                write!(self, "{random:?}").expect("memory takes all that is written to it");
                self
            }
        }
    }

    fn affine(&mut self, index: &Affine) -> &mut Self {
        self.word(index.base as u64).words(index.steps.iter().map(|&step| step as u64))
    }

    pub(crate) fn finish(&self) -> u128 {
        xxh3_128(&self.0)
    }
}

impl Write for Content {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.0.extend_from_slice(text.as_bytes());
        Ok(())
    }
}
