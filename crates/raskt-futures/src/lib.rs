//! Futures: calls that run as soon as they can, and handles on their results.
//!
//! ```text
//!  Future         a handle with a type: Rust's                Function, Functions   calls that travel by their names
//!     │
//!  HeldResult     a result of a cluster, wanted as long as this is kept; as a value it stands in graphs
//!     │
//!  Prepared       a graph as it is sent, with its data beside it      names   results as others name them
//! ```
//!
//! [`local`] has what futures need that this process makes itself.
//!
//! Faces have handles of their own above a [`HeldResult`]: those of Python are objects, those of Rust are [`Future`]s. What a graph's
//! ops do, and how values are made ready to be sent, is theirs to know ([`Bring`]).

mod arguments;
mod arrivals;
mod calls;
mod error;
mod function;
mod future;
mod held;
mod here;
mod job;
mod lingering;
pub mod local;
pub mod names;
mod native;
mod packed;
mod submitting;
mod together;

pub use arguments::{Arguments, IntoArgument};
pub use arrivals::Arrivals;
pub use calls::Row;
pub use error::FutureError;
pub use function::{Callable, Fallible, Function, Functions};
pub use future::{Future, Status};
pub use held::{Fetching, HeldResult, Standing, fetch, fetching, ranges_of, retry};
pub use here::{brought_here, fetched};
pub use job::{Bring, Prepared};
pub use lingering::linger;
pub use native::{Load, begin};
pub use packed::{Packed, Portable};
pub use submitting::{gather, map, scatter, submit};
pub use together::{by_client, watch};
