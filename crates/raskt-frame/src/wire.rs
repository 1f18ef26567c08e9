//! The kernels of frames, all of them, and how they travel.
//!
//! The set is closed: what another process may be asked to do with tables is one of these. What it is made of travels as types of
//! their own ([`WrittenPlan`]), in which nodes and trees that are used twice are written once; what comes from elsewhere is built
//! anew from them, and checked as it is.

mod budget;
mod check;
mod names;
mod operators;
mod plan;
mod read;
mod shown;
mod trees;

pub use shown::{ColumnForm, DomainsForm, FrameForm};

pub(crate) use names::{WrittenLiteral, schema, word, words};

use crate::array::{ToBlock, ToTable};
use crate::sink::Write;
use crate::source::{Give, LookAt};
use crate::stage::{Part, Same, Slice, Stage, Together};
use plan::WrittenPlan;
use raskt_value::wire::{Decoders, WireError, WireForm};
use raskt_value::{Call, Kernel, TaskError, Value};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;

/// What stands for kernels of frames on the wire.
const TAG: &str = "raskt.frame";

/// To be raised with each change of what any of them, or what it is made of, has: variants and fields are told by their places.
const VERSION: u16 = 1;

macro_rules! kernels {
    ($($kernel:ident),*) => {
        /// A kernel of tables.
        pub(crate) enum FrameKernel {
            $($kernel($kernel),)*
        }

        $(impl From<$kernel> for FrameKernel {
            fn from(kernel: $kernel) -> Self {
                Self::$kernel(kernel)
            }
        })*

        impl FrameKernel {
            fn own(&self) -> &dyn Kernel {
                match self {
                    $(Self::$kernel(kernel) => kernel,)*
                }
            }
        }
    };
}

kernels!(Stage, Together, Part, Slice, Same, LookAt, Write, ToBlock, ToTable, Give);

impl Kernel for FrameKernel {
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
        self.form().ok()
    }

    fn stays_because(&self) -> Option<String> {
        self.form().err()
    }
}

/// A kernel of tables as it is written.
// New ones come last, and none goes: see `VERSION`.
#[derive(Serialize, Deserialize)]
enum Written {
    Stage { plan: WrittenPlan, by_partition: bool, stays: bool },
    Together(WrittenPlan),
    Part(Part),
    Slice(Slice),
    Same(Same),
    LookAt(LookAt),
    Write(Write),
    ToBlock(ToBlock),
    ToTable(ToTable),
}

impl FrameKernel {
    fn form(&self) -> Result<WireForm, String> {
        WireForm::try_of(TAG, VERSION, &self.written()?)
    }

    /// What is written of it; why nothing is, if it can't travel.
    fn written(&self) -> Result<Written, String> {
        Ok(match self {
            Self::Stage(stage) => Written::Stage {
                plan: WrittenPlan::of([&stage.output])?,
                by_partition: stage.by_partition,
                stays: stage.stays,
            },
            Self::Together(together) => Written::Together(WrittenPlan::of(&together.outputs)?),
            Self::Part(kernel) => Written::Part(kernel.clone()),
            Self::Slice(kernel) => Written::Slice(kernel.clone()),
            Self::Same(kernel) => Written::Same(kernel.clone()),
            Self::LookAt(kernel) => {
                kernel.nameless().map_or(Ok(()), |file| Err(nameless(file)))?;
                Written::LookAt(kernel.clone())
            }
            Self::Write(kernel) => {
                let path = &kernel.options.path;
                path.to_str().map_or_else(|| Err(nameless(path)), |_| Ok(()))?;
                Written::Write(kernel.clone())
            }
            Self::ToBlock(kernel) => Written::ToBlock(kernel.clone()),
            Self::ToTable(kernel) => Written::ToTable(kernel.clone()),
            Self::Give(_) => return Err("tables in memory travel as the results that they are".into()),
        })
    }
}

fn nameless(file: &Path) -> String {
    format!("the name of the file `{}` isn't text, so that another process can't be told of it", file.display())
}

impl Written {
    /// The kernel; what is wrong with it, if anything.
    fn kernel(self) -> Result<FrameKernel, String> {
        Ok(match self {
            Self::Stage { plan, by_partition, stays } => {
                let mut outputs = plan.outputs()?;
                let output = outputs.pop().filter(|_| outputs.is_empty()).ok_or("a stage has one output")?;
                if by_partition && !output.root().partitionwise {
                    return Err("partitions of a plan that is computed as a whole".into());
                }
                Stage { output, by_partition, stays }.into()
            }
            Self::Together(plan) => Together { outputs: plan.outputs()? }.into(),
            Self::Part(kernel) => kernel.into(),
            Self::Slice(kernel) => {
                kernel.cut.check()?;
                kernel.into()
            }
            Self::Same(kernel) => kernel.into(),
            Self::LookAt(kernel) => kernel.into(),
            Self::Write(kernel) => kernel.into(),
            Self::ToBlock(kernel) => kernel.into(),
            Self::ToTable(kernel) => kernel.into(),
        })
    }
}

/// Adds what decodes kernels of frames, and tables.
pub fn add_decoders(decoders: &mut Decoders) {
    decoders.add(TAG, VERSION, decode);
    crate::spill::add_decoders(decoders);
}

fn decode(form: &WireForm) -> Result<Arc<dyn Kernel>, WireError> {
    let kernel = form.read::<Written>()?.kernel().map_err(|reason| form.malformed(reason))?;
    Ok(Arc::new(kernel))
}
