//! What tasks give.

use crate::parcel::unsendable;
use crate::{Chunk, Codec, DType, Parcel, TaskError};
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// The result of a task. A clone shares the data.
#[derive(Clone)]
pub enum Value {
    /// An n-dimensional block.
    Chunk(Arc<Chunk>),
    /// Columns of one length.
    Table(Arc<dyn Table>),
    /// What a shuffle producer made: one part for each consumer.
    Manifest(Arc<Manifest>),
    /// Somebody else's object: a Python object.
    Foreign(Arc<dyn Foreign>),
    /// A result that a store keeps, be it in memory or not. Kernels never see one: what runs them puts in what it stands for.
    Stored(Arc<dyn StoredValue>),
}

/// What a crate knows of a table, to be downcast by it.
pub type Summary = Arc<dyn Any + Send + Sync>;

/// Columns of one length; `raskt-frame` fulfils it.
pub trait Table: Any + Send + Sync {
    /// How many rows there are.
    fn rows(&self) -> usize;
    /// Bytes that it holds.
    fn bytes(&self) -> usize;
    /// Itself, to be downcast by the crate that made it.
    fn as_any(&self) -> &dyn Any;
    /// What its crate wants to know of it also while it isn't in memory, if somebody has looked.
    fn summary(&self) -> Option<Summary> {
        None
    }
    /// How it is written to disk; nothing if it has to stay in memory.
    fn codec(&self) -> Option<Arc<dyn Codec>> {
        None
    }
    /// What it is when it travels to another process.
    fn pack(&self) -> Result<Parcel, TaskError> {
        Err(unsendable("table of this kind"))
    }
}

/// An object of another world, which its own runner understands.
pub trait Foreign: Any + Send + Sync {
    /// Bytes that it holds, as well as can be known.
    fn bytes(&self) -> usize;
    /// What it is, for messages: `pandas.DataFrame`.
    fn type_name(&self) -> &str;
    /// Large pieces of memory in it that other values may hold as well. As long as the value is there, these are the same.
    fn parts(&self) -> &[Part] {
        &[]
    }
    /// What made it, for people, where that is more than its task says.
    fn label(&self) -> Option<&Arc<str>> {
        None
    }
    /// Itself, to be downcast by the crate that made it.
    fn as_any(&self) -> &dyn Any;
    /// How it is written to disk; nothing if it has to stay in memory.
    fn codec(&self) -> Option<Arc<dyn Codec>> {
        None
    }
    /// What it is when it travels to another process.
    fn pack(&self) -> Result<Parcel, TaskError> {
        Err(unsendable(self.type_name()))
    }
    /// The same if it is small and there already, so that it takes nothing that somebody else may hold, such as an interpreter. It then
    /// goes along with the word that the result is there.
    fn pack_at_once(&self) -> Option<Parcel> {
        None
    }
}

/// A piece of memory that more than one value may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The same in all values that hold it, and in no others while they do: its address, for one.
    pub identity: usize,
    /// Bytes of it that the value holds.
    pub bytes: usize,
}

/// A result in a store, which may move it between memory and disk.
pub trait StoredValue: Any + Send + Sync {
    /// Bytes that it holds when it is in memory.
    fn bytes(&self) -> usize;
    /// The data type and the shape, if it is an array block.
    fn block(&self) -> Option<(DType, &[usize])>;
    /// The summary, if it is a table that has one.
    fn summary(&self) -> Option<Summary>;
    /// Itself, to be downcast by the store that keeps it.
    fn into_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync>;
}

/// The output of one shuffle producer: a part for each consumer, by position.
#[derive(Clone, Debug)]
pub struct Manifest {
    /// The parts, by consumer.
    pub parts: Vec<Value>,
}

/// The address space of a machine of today.
const MOST_BYTES: usize = 1 << 48;

impl Value {
    /// Bytes that it holds, as far as a machine of today could: what objects say of themselves is added up with what others do.
    pub fn bytes(&self) -> usize {
        let bytes = match self {
            Self::Chunk(chunk) => chunk.held_bytes(),
            Self::Table(table) => table.bytes(),
            Self::Manifest(manifest) => manifest.parts.iter().map(Self::bytes).fold(0, usize::saturating_add),
            Self::Foreign(object) => object.bytes(),
            Self::Stored(kept) => kept.bytes(),
        };
        bytes.min(MOST_BYTES)
    }

    /// The block, if it is one.
    pub fn as_chunk(&self) -> Option<&Chunk> {
        match self {
            Self::Chunk(chunk) => Some(chunk),
            _ => None,
        }
    }

    /// The table, if it is one and of type `T`.
    pub fn as_table<T: Table>(&self) -> Option<&T> {
        match self {
            Self::Table(table) => table.as_any().downcast_ref(),
            _ => None,
        }
    }

    /// The data type and the shape, if it is a block, here or in a store.
    pub fn block_layout(&self) -> Option<(DType, &[usize])> {
        match self {
            Self::Chunk(chunk) => Some((chunk.dtype(), chunk.shape())),
            Self::Stored(kept) => kept.block(),
            _ => None,
        }
    }

    /// The summary, if it is a table that has one, here or in a store.
    pub fn summary(&self) -> Option<Summary> {
        match self {
            Self::Table(table) => table.summary(),
            Self::Stored(kept) => kept.summary(),
            _ => None,
        }
    }

    /// What it is, for messages.
    pub fn type_name(&self) -> &str {
        match self {
            Self::Chunk(_) => "array block",
            Self::Table(_) => "table",
            Self::Manifest(_) => "shuffle output",
            Self::Foreign(object) => object.type_name(),
            Self::Stored(_) => "kept result",
        }
    }
}

impl From<Chunk> for Value {
    fn from(chunk: Chunk) -> Self {
        Self::Chunk(Arc::new(chunk))
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Chunk(chunk) => write!(f, "Chunk({} {:?})", chunk.dtype(), chunk.shape()),
            Self::Table(table) => write!(f, "Table({} rows)", table.rows()),
            Self::Manifest(manifest) => write!(f, "Manifest({} parts)", manifest.parts.len()),
            Self::Foreign(object) => write!(f, "Foreign({})", object.type_name()),
            Self::Stored(kept) => write!(f, "Stored({} bytes)", kept.bytes()),
        }
    }
}
