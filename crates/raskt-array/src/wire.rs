//! The kernels of arrays, all of them, and how they travel.
//!
//! The set is closed: what another process may be asked to run over blocks is one of these. What comes from elsewhere is checked
//! before it is one: see [`BlockKernel::check`].

mod check;

pub(crate) use check::{Checked, check, check_reduction};

use crate::blocks::agree::Compare;
use crate::blocks::carry::{Carry, Summarise};
use crate::blocks::native::{Factor, FactorR, Filter, LeastSquares, Pick, Product, Running, Singular, Total};
use crate::blocks::shapes::ShapeOfBlock;
use crate::lower::{Fused, Merge, Pass, Recut, Reshaping, Slicing, Taking};
use raskt_value::wire::{Decoders, WireError, WireForm};
use raskt_value::{Call, Given, Kernel, TaskError, Value};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What stands for kernels of arrays on the wire.
const TAG: &str = "raskt.array";

/// To be raised with each change of what any of them, or what it is made of, has: variants and fields are told by their places.
const VERSION: u16 = 1;

macro_rules! kernels {
    ($($(#[$attribute:meta])* $kernel:ident),* $(,)?) => {
        /// A kernel of array blocks.
        #[derive(Serialize, Deserialize)]
        pub(crate) enum BlockKernel {
            $($(#[$attribute])* $kernel($kernel),)*
        }

        $(impl From<$kernel> for BlockKernel {
            fn from(kernel: $kernel) -> Self {
                Self::$kernel(kernel)
            }
        })*

        impl BlockKernel {
            fn own(&self) -> &dyn Kernel {
                match self {
                    $(Self::$kernel(kernel) => kernel,)*
                }
            }
        }
    };
}

// New ones come last, and none goes: see `VERSION`.
kernels! {
    Fused, Merge, Slicing, Recut, Reshaping, Pass, Taking, Pick, Filter, Product, Factor, FactorR, Singular, LeastSquares, Total,
    Running, Summarise, Carry, Compare, ShapeOfBlock,
    // Its data travels as the results that it gives.
    #[serde(skip)]
    Given,
}

impl Kernel for BlockKernel {
    fn run(&self, call: &Call<'_>, inputs: &[Value]) -> Result<Value, TaskError> {
        self.own().run(call, inputs)
    }

    fn name(&self) -> String {
        self.own().name()
    }

    fn is_repeatable(&self) -> bool {
        self.own().is_repeatable()
    }

    fn given(&self) -> Option<&[Value]> {
        self.own().given()
    }

    fn without_kept(&self) -> Option<Arc<dyn Kernel>> {
        self.own().without_kept()
    }

    fn wire(&self) -> Option<WireForm> {
        self.form()?.ok()
    }

    fn stays_because(&self) -> Option<String> {
        self.form()?.err()
    }
}

impl BlockKernel {
    /// What it is when it travels, or why it doesn't; nothing if it holds data.
    fn form(&self) -> Option<Result<WireForm, String>> {
        self.can_travel().then(|| WireForm::try_of(TAG, VERSION, self))
    }

    /// Whether it holds no data.
    fn can_travel(&self) -> bool {
        match self {
            Self::Given(_) => false,
            Self::Fused(fused) => fused.reads_only_inputs(),
            _ => true,
        }
    }
}

/// Adds what decodes kernels of arrays.
pub fn add_decoders(decoders: &mut Decoders) {
    decoders.add(TAG, VERSION, decode);
}

fn decode(form: &WireForm) -> Result<Arc<dyn Kernel>, WireError> {
    let kernel: BlockKernel = form.read()?;
    kernel.check().map_err(|reason| form.malformed(reason))?;
    Ok(Arc::new(kernel))
}
