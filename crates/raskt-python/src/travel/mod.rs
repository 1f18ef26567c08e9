//! Graphs, functions and results on their way to another process, and out of it.
//!
//! A graph travels as the rules that its layers are ([`raskt_graph::wire`]), with a form in the place of each op's body
//! ([`graph`]). Functions of users are pickled by `cloudpickle`, each once for an op, and read where they are first called: a
//! module that is missing there fails the tasks that need it, and nothing else. What an op can't say of itself is refused by name
//! before anything is sent.

mod alone;
mod apart;
mod bundles;
mod calls;
mod collections;
mod decoders;
mod given;
mod graph;
mod identities;
mod included;
mod moved;
mod objects;
mod pickle;
mod pickled;
mod portable;
mod slots;
mod trial;
mod values;
mod writing;

pub(crate) use alone::{CallAlone, op_of};
pub(crate) use collections::{CollectionForm, Nothing, ObjectsExpr, PartOf};
pub(crate) use decoders::{decode_function, decoders};
pub(crate) use graph::{Travelling, body_of, given_objects, gives_what_is_there};
pub(crate) use pickle::refuse;
pub(crate) use pickled::{Data, Reduced, read, reduce, reduce_layer};
pub(crate) use portable::Portable;
pub(crate) use trial::{is_on, travelled, travelled_values};
pub(crate) use values::{copied, loaded};

use pyo3::prelude::*;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<slots::Slot>()?;
    module.add_class::<ObjectsExpr>()?;
    module.add_class::<given::GivenValue>()?;
    module.add_function(wrap_pyfunction!(given::_given_of, module)?)?;
    module.add_function(wrap_pyfunction!(pickled::collection_of, module)?)?;
    module.add_function(wrap_pyfunction!(slots::_slot, module)?)?;
    module.add_function(wrap_pyfunction!(slots::_taken, module)?)?;
    module.add_function(wrap_pyfunction!(trial::_travel_always, module)?)
}
