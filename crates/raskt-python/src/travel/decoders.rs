//! What makes ops and values of what has come from another process.

use super::{PartOf, apart, calls, collections};
use crate::block::PythonBlock;
use crate::{array, dask, delayed, frame, object};
use raskt_value::wire::{Decoders, WireError, WireForm};
use std::sync::{Arc, LazyLock};

/// Those of kernels and values that this process knows.
pub(crate) fn decoders() -> &'static Decoders {
    static DECODERS: LazyLock<Decoders> = LazyLock::new(|| {
        let mut decoders = Decoders::default();
        raskt_array::add_decoders(&mut decoders);
        raskt_frame::add_decoders(&mut decoders);
        delayed::add_decoders(&mut decoders);
        object::add_decoders(&mut decoders);
        decoders
    });
    &DECODERS
}

/// The Python function over values that has come.
pub(crate) fn decode_function(form: &WireForm) -> Result<Arc<dyn PythonBlock>, WireError> {
    match (form.tag.as_str(), form.version) {
        (apart::TAG, apart::VERSION) => apart::decode(form, decode_function),
        (calls::TAG, calls::VERSION) => calls::decode(form),
        (collections::PART, collections::PART_VERSION) => PartOf::decode(form),
        (delayed::FUNCTION, delayed::GATE_VERSION) => delayed::decode_behind(form),
        (delayed::GATE, delayed::GATE_VERSION) => Ok(Arc::new(delayed::Gate)),
        (dask::CALLS, dask::CALLS_VERSION) => dask::decode(form),
        (array::NUMPY_BLOCK, array::NUMPY_BLOCK_VERSION) => array::decode_numpy_block(form),
        (frame::PARTITION_FUNCTION, frame::PARTITION_FUNCTION_VERSION) => frame::decode_partition_function(form),
        (frame::WHOLE_FUNCTION, frame::WHOLE_FUNCTION_VERSION) => frame::decode_whole_function(form),
        (frame::FROM_DELAYED, frame::FROM_DELAYED_VERSION) => frame::decode_from_delayed(form),
        (tag, version) => Err(WireError::Unknown { tag: tag.to_owned(), version, versions: vec![] }),
    }
}
