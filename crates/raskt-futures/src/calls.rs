//! Calls of functions that have names, as tasks: what travels is the name, and for each call its arguments.

use crate::function::{Function, Functions, Known};
use crate::held::HeldResult;
use crate::packed::{self, Packed};
use raskt_value::wire::{Decoders, WireError, WireForm};
use raskt_value::{AtMost, Call, ErrorKind, Kernel, TaskError, Value};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::slice::Iter;
use std::sync::Arc;

const TAG: &str = "raskt.calls";
const VERSION: u16 = 1;

/// Calls of one op, at most: an argument may be a byte where it travels and thirty in memory.
pub(crate) const ROWS_MOST: usize = 1 << 16;

/// Arguments of a call, at most.
const ARGUMENTS_MOST: usize = 8;

/// An argument of a call.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Argument {
    /// What `serde` writes of it.
    Written(Vec<u8>),
    /// The next result that the call reads.
    Result,
    /// A list of so many of these.
    Results(u32),
}

impl Argument {
    /// Bytes that it takes where it travels, about.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Written(bytes) => bytes.len() + 8,
            Self::Result | Self::Results(_) => 8,
        }
    }
}

/// The arguments of one call, and the results among them, in order.
#[derive(Default)]
pub struct Row {
    pub(crate) arguments: Vec<Argument>,
    pub(crate) results: Vec<Arc<HeldResult>>,
}

#[derive(Serialize, Deserialize)]
struct CallsForm {
    function: String,
    signature: String,
    rows: AtMost<ROWS_MOST, AtMost<ARGUMENTS_MOST, Argument>>,
}

/// Calls of a function: each task is one.
pub(crate) struct Calls {
    form: CallsForm,
    /// What is called, where it is known.
    known: Option<Known>,
}

impl Calls {
    pub fn of<A, R>(function: Function<A, R>, rows: Vec<Vec<Argument>>) -> Self {
        let rows = AtMost(rows.into_iter().map(AtMost).collect());
        let signature = Function::<A, R>::signature();
        Self { form: CallsForm { function: function.name().into(), signature, rows }, known: None }
    }
}

impl Functions {
    /// Has a process read calls of these, and what they take and give.
    ///
    /// # Panics
    /// If that was done before.
    pub fn add_decoders(&self, decoders: &mut Decoders) {
        packed::add_decoder(decoders);
        let functions = self.clone();
        decoders.add(TAG, VERSION, move |form| decode(form, &functions));
    }
}

fn decode(form: &WireForm, functions: &Functions) -> Result<Arc<dyn Kernel>, WireError> {
    let calls: CallsForm = form.read()?;
    let known = functions.find(&calls.function, &calls.signature).map_err(|reason| form.malformed(reason))?;
    Ok(Arc::new(Calls { form: calls, known: Some(known) }))
}

impl Kernel for Calls {
    fn run(&self, call: &Call<'_>, inputs: &[Value]) -> Result<Value, TaskError> {
        let row = usize::try_from(call.index).ok().and_then(|at| self.form.rows.0.get(at));
        let row = row.ok_or_else(|| self.malformed(format!("it has no call {}", call.index)))?;
        let mut results = inputs.iter();
        let arguments = row.0.iter().map(|argument| self.argument(argument, &mut results));
        let arguments = arguments.collect::<Result<Vec<_>, _>>()?;
        if results.next().is_some() {
            return Err(self.malformed("it reads more results than it has arguments for"));
        }
        let known = self.known.as_ref().ok_or_else(|| self.malformed("its code isn't in this process"))?;
        (known.call)(&arguments.iter().map(|argument| &**argument).collect::<Vec<_>>())
    }

    fn name(&self) -> String {
        self.form.function.clone()
    }

    fn wire(&self) -> Option<WireForm> {
        WireForm::try_of(TAG, VERSION, &self.form).ok()
    }

    fn stays_because(&self) -> Option<String> {
        let advice = "give what is large by `scatter`, once, and the future in its place";
        WireForm::try_of(TAG, VERSION, &self.form).err().map(|reason| format!("{reason}: {advice}"))
    }
}

impl Calls {
    fn argument<'a>(&self, argument: &'a Argument, results: &mut Iter<'a, Value>) -> Result<Cow<'a, [u8]>, TaskError> {
        let mut next = || {
            let result =
                results.next().ok_or_else(|| self.malformed("it reads fewer results than it has arguments"))?;
            Ok::<_, TaskError>(Packed::within(result)?.as_slice())
        };
        Ok(match argument {
            Argument::Written(bytes) => Cow::Borrowed(bytes.as_slice()),
            Argument::Result => Cow::Borrowed(next()?),
            Argument::Results(count) => {
                // As `serde` writes a list: how many, and one after the other.
                let mut list = packed::written(&u64::from(*count))?;
                for _ in 0..*count {
                    list.extend_from_slice(next()?);
                }
                Cow::Owned(list)
            }
        })
    }

    fn malformed(&self, reason: impl std::fmt::Display) -> TaskError {
        TaskError::new(ErrorKind::Type, format!("`{}` can't be called: {reason}", self.form.function))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raskt_value::CancelToken;

    const JOIN: Function<(String, Vec<u16>), String> = Function::named("join");
    const PICK: Function<(u8,), u8> = Function::named("pick");

    fn join(between: String, numbers: Vec<u16>) -> String {
        numbers.iter().map(u16::to_string).collect::<Vec<_>>().join(&between)
    }

    fn pick(number: u8) -> Result<u8, String> {
        if number < 10 { Ok(number) } else { Err(format!("{number} is too large")) }
    }

    fn functions() -> Functions {
        Functions::new().with(JOIN, join).with_fallible(PICK, pick)
    }

    /// Calls as a worker has them, which knows these functions.
    fn there(calls: &Calls, functions: &Functions) -> Result<Arc<dyn Kernel>, WireError> {
        let mut decoders = Decoders::default();
        functions.add_decoders(&mut decoders);
        decoders.decode(&calls.wire().unwrap())
    }

    fn run(kernel: &dyn Kernel, index: u64, inputs: &[Value]) -> Result<Value, TaskError> {
        kernel.run(&Call { index, threads: 1, cancel: &CancelToken::default() }, inputs)
    }

    fn packed<T: crate::Portable>(value: T) -> Value {
        Packed::of(&value).unwrap().value()
    }

    #[test]
    fn arguments_are_values_results_and_lists_of_results() {
        let comma = Argument::Written(packed::written(&", ".to_owned()).unwrap());
        let numbers = Argument::Written(packed::written(&vec![1_u16, 2]).unwrap());
        let rows = vec![
            vec![comma.clone(), numbers],
            vec![Argument::Result, Argument::Results(3)],
            vec![comma, Argument::Results(0)],
        ];
        let kernel = there(&Calls::of(JOIN, rows), &functions()).unwrap();
        let text = |index, inputs: &[Value]| {
            Packed::within(&run(&*kernel, index, inputs).unwrap()).unwrap().read::<String>().unwrap()
        };
        assert_eq!(text(0, &[]), "1, 2");
        assert_eq!(text(1, &[packed("-".to_owned()), packed(7_u16), packed(300_u16), packed(9_u16)]), "7-300-9");
        assert_eq!(text(2, &[]), "");
        for inputs in [vec![], vec![packed("-".to_owned())], vec![packed(1_u16); 9]] {
            assert!(run(&*kernel, 1, &inputs).unwrap_err().message.contains("`join` can't be called"));
        }
        assert!(run(&*kernel, 3, &[]).is_err());
    }

    #[test]
    fn what_isnt_registered_or_is_otherwise_is_refused_by_name() {
        let calls = Calls::of(JOIN, vec![]);
        let refused = |functions| there(&calls, &functions).err().unwrap().to_string();
        let unknown = refused(Functions::new().with_fallible(PICK, pick));
        assert!(unknown.contains("`join`") && unknown.contains("registered: pick"), "{unknown}");
        const OTHER: Function<(String, Vec<u32>), String> = Function::named("join");
        let other = refused(Functions::new().with(OTHER, |_: String, _: Vec<u32>| String::new()));
        assert!(other.contains("Vec<u16>") && other.contains("Vec<u32>"), "{other}");
    }

    #[test]
    fn an_error_of_a_function_is_that_of_its_task() {
        let row = |number: u8| vec![Argument::Written(packed::written(&number).unwrap())];
        let kernel = there(&Calls::of(PICK, vec![row(3), row(30)]), &functions()).unwrap();
        assert!(run(&*kernel, 0, &[]).is_ok());
        assert_eq!(run(&*kernel, 1, &[]).err().unwrap().message, "30 is too large");
    }
}
