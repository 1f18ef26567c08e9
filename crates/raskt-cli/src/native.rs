//! The host of the plain binary: native work alone.

use crate::host::Host;
use raskt_cluster::hello::Versions;
use raskt_cluster::{Face, NativeFace};
use raskt_execute::Runners;
use raskt_value::wire::Decoders;
use std::ffi::OsString;
use std::io;
use std::sync::Arc;

/// A program without an interpreter. Its workers run the kernels that its decoders know.
pub struct NativeHost {
    decoders: Decoders,
}

impl NativeHost {
    /// One that knows these kernels.
    pub fn new(decoders: Decoders) -> Self {
        Self { decoders }
    }

    /// One that knows the kernels of arrays.
    pub fn of_arrays() -> Self {
        let mut decoders = Decoders::default();
        raskt_array::add_decoders(&mut decoders);
        Self::new(decoders)
    }
}

impl Host for NativeHost {
    fn face(&self) -> Arc<dyn Face> {
        Arc::new(NativeFace(self.decoders.clone()))
    }

    fn runners(&self) -> Runners {
        Runners::default()
    }

    fn command(&self) -> io::Result<Vec<OsString>> {
        Ok(vec![std::env::current_exe()?.into()])
    }

    fn versions(&self) -> Versions {
        Versions(vec![("raskt".into(), env!("CARGO_PKG_VERSION").into())])
    }

    fn preload(&self, modules: &[String]) -> Result<(), String> {
        match modules.first() {
            None => Ok(()),
            Some(first) => Err(format!(
                "`--preload {first}` needs Python, which this program is without: use the `raskt` that `pip install raskt` gives"
            )),
        }
    }
}
