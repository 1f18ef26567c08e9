//! Compression of what pays, and its bounds on the way back.
//!
//! Off by default, and only ever between peers that know each other. A part is compressed if its first bytes show that it
//! pays; how long it is, written out, is known and within the bounds before anything is written out.

use super::header::at_most;
use super::{FRAME_BYTES_MAX, FrameError};
use bytes::Bytes;

/// Whether frames are compressed, and how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Squeeze {
    /// As they are: on one host, memory is faster than any codec.
    #[default]
    Never,
    /// Quickly: for networks of some gigabits a second.
    Lz4,
    /// Well: for slow ways.
    Zstd,
}

/// Less than this isn't worth a try.
const WORTH_BYTES: usize = 1024;
/// How much is tried before all is.
const SAMPLE_BYTES: usize = 16 << 10;
/// What is left must be at most so many of eight parts.
const LEFT_EIGHTHS: usize = 6;
/// Level of zstd.
const ZSTD_LEVEL: i32 = 1;
/// Nothing that lz4 has written is this many times as long when it is written out.
const LZ4_RATIO_MAX: usize = 255;
/// zstd refuses what needs a larger window than two to this power of bytes to be read.
const ZSTD_WINDOW_LOG_MAX: u32 = 23;

impl Squeeze {
    pub(super) fn code(self) -> u8 {
        match self {
            Self::Never => 0,
            Self::Lz4 => 1,
            Self::Zstd => 2,
        }
    }

    pub(super) fn of(code: u8) -> Result<Self, FrameError> {
        match code {
            0 => Ok(Self::Never),
            1 => Ok(Self::Lz4),
            2 => Ok(Self::Zstd),
            _ => Err(FrameError::Inconsistent("codec is unknown")),
        }
    }

    /// The bytes in a shorter form, if that pays.
    pub(super) fn squeeze(self, bytes: &[u8]) -> Option<Vec<u8>> {
        if self == Self::Never || bytes.len() < WORTH_BYTES {
            return None;
        }
        let sample = &bytes[..bytes.len().min(SAMPLE_BYTES)];
        if sample.len() < bytes.len() && !pays(sample.len(), lz4_flex::block::compress(sample).len()) {
            return None;
        }
        let short = match self {
            Self::Never => return None,
            Self::Lz4 => lz4_flex::block::compress(bytes),
            Self::Zstd => zstd::bulk::compress(bytes, ZSTD_LEVEL).ok()?,
        };
        pays(bytes.len(), short.len()).then_some(short)
    }

    /// What was squeezed, which has `length` bytes; memory is taken only for what can come of so many.
    pub(super) fn expand(self, short: &[u8], length: usize) -> Result<Bytes, FrameError> {
        at_most("bytes, written out,", length, FRAME_BYTES_MAX)?;
        let failed = |error: &dyn std::fmt::Display| FrameError::Compression(error.to_string());
        let long = match self {
            Self::Never => return Err(FrameError::Inconsistent("compressed part names no codec")),
            Self::Lz4 => {
                at_most("bytes, written out,", length, short.len().saturating_mul(LZ4_RATIO_MAX))?;
                lz4_flex::block::decompress(short, length).map_err(|error| failed(&error))?
            }
            Self::Zstd => {
                let mut reader = zstd::bulk::Decompressor::new().map_err(|error| failed(&error))?;
                reader.window_log_max(ZSTD_WINDOW_LOG_MAX).map_err(|error| failed(&error))?;
                reader.decompress(short, length).map_err(|error| failed(&error))?
            }
        };
        if long.len() != length {
            return Err(FrameError::Inconsistent("compressed part has another length than it says"));
        }
        let mut buffer = super::AlignedBuffer::reserved(length);
        buffer.fill(&long);
        Ok(buffer.finish())
    }
}

fn pays(before: usize, after: usize) -> bool {
    after <= before / 8 * LEFT_EIGHTHS
}
