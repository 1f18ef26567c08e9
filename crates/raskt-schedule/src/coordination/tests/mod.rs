//! The coordinator, as stories and against a model that is slow and obvious.

mod against_model;
mod bounds;
mod holding;
mod leases;
mod locking;
mod metadata;
mod model;
mod named_values;
mod queueing;
mod restored;
mod topics;
mod wishes;
mod world;
