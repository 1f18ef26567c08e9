//! The host of the plain binary: native work alone.

use crate::host::Host;
use raskt_cluster::hello::Versions;
use raskt_cluster::{ErrorForm, Face};
use raskt_execute::Runners;
use raskt_graph::{OpBody, OpForm};
use raskt_value::wire::{BodyForm, Decoders};
use raskt_value::{NativeOp, TaskError};
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

struct NativeFace(Decoders);

impl Face for NativeFace {
    fn body(&self, op: OpForm<BodyForm>) -> Result<OpBody, String> {
        match op.body {
            BodyForm::Native(form) => {
                let kernel = self.0.decode(&form).map_err(|error| error.to_string())?;
                Ok(Arc::new(NativeOp(kernel)))
            }
            BodyForm::Foreign(form) => {
                Err(format!("`{}` is of another language, and this worker runs native work alone", form.tag))
            }
            BodyForm::Given(_) => Ok(Arc::new(())),
        }
    }

    fn decoders(&self) -> &Decoders {
        &self.0
    }

    fn cause(&self, _error: &TaskError) -> Option<Vec<u8>> {
        None
    }

    fn error(&self, form: ErrorForm) -> TaskError {
        TaskError::new(form.kind, form.message)
    }
}
