//! What makes ops and values of what has come from another process.

use super::calls;
use crate::block::PythonBlock;
use crate::{array, dask, object};
use raskt_value::wire::{Decoders, WireError, WireForm};
use std::sync::{Arc, LazyLock};

/// Those of kernels and values that this process knows.
pub(crate) fn decoders() -> &'static Decoders {
    static DECODERS: LazyLock<Decoders> = LazyLock::new(|| {
        let mut decoders = Decoders::default();
        raskt_array::add_decoders(&mut decoders);
        object::add_decoders(&mut decoders);
        decoders
    });
    &DECODERS
}

/// Those of Python functions over values.
pub(crate) struct PythonDecoders;

impl PythonDecoders {
    /// The functions that have come.
    pub fn decode(form: &WireForm) -> Result<Arc<dyn PythonBlock>, WireError> {
        match (form.tag.as_str(), form.version) {
            (calls::TAG, calls::VERSION) => calls::decode(form),
            (dask::CALLS, dask::CALLS_VERSION) => dask::decode(form),
            (array::NUMPY_BLOCK, array::NUMPY_BLOCK_VERSION) => array::decode_numpy_block(form),
            (tag, version) => Err(WireError::Unknown { tag: tag.to_owned(), version, versions: vec![] }),
        }
    }
}
