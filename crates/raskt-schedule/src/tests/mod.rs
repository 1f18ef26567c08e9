//! Stories that are told to the machines, and what must come of them.

mod admit;
mod broadcast;
mod changes;
mod deaths;
mod fair;
mod flight;
mod follow;
mod given;
mod graphs;
mod kept;
mod large;
mod lent;
mod linear;
mod liveness;
mod needed;
mod outside;
mod poison;
mod policies;
mod policy;
mod ranges;
mod runs;
mod shares;
mod steps;
mod task_set;
mod worker;
mod world;
