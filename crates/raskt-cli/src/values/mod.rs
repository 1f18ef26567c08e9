//! What options may be: read from what people write, with a sentence that names the value where it can't be.

mod duration;
mod host;
mod looking;
mod memory;
mod ports;
mod resources;
mod workers;

pub(crate) use duration::{parse_duration, parse_lasting, write_duration};
pub(crate) use host::parse_host;
pub(crate) use looking::parse_looking;
pub(crate) use memory::{MemoryLimit, Size, for_results};
pub(crate) use ports::Ports;
pub(crate) use resources::ResourceList;
pub(crate) use workers::WorkerCount;
