//! Functions that travel by their names: code doesn't, but a name does, and stands for the same in each program that knows it.

use crate::packed::{Packed, Portable, read};
use raskt_value::{ErrorKind, TaskError, Value};
use std::any::type_name;
use std::collections::BTreeMap;
use std::fmt::{self, Display};
use std::marker::PhantomData;
use std::sync::Arc;

/// A function that workers know by this name: it takes the arguments `A`, a tuple, and gives an `R`.
///
/// The name stands for what the function does, and for what its types are made of. Who changes either, while older workers are
/// about, gives it another name.
///
/// ```
/// use raskt_futures::{Function, Functions};
///
/// const AREA: Function<(f64, f64), f64> = Function::named("area");
///
/// fn area(width: f64, height: f64) -> f64 {
///     width * height
/// }
///
/// let functions = Functions::new().with(AREA, area);
/// assert_eq!(functions.names().collect::<Vec<_>>(), ["area"]);
/// ```
pub struct Function<A, R> {
    name: &'static str,
    types: PhantomData<fn(A) -> R>,
}

impl<A, R> Function<A, R> {
    /// The one of this name.
    pub const fn named(name: &'static str) -> Self {
        Self { name, types: PhantomData }
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The types of its arguments and its result, for people.
    pub(crate) fn signature() -> String {
        format!("{} -> {}", type_name::<A>(), type_name::<R>())
    }
}

impl<A, R> Clone for Function<A, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A, R> Copy for Function<A, R> {}

impl<A, R> fmt::Debug for Function<A, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: {}", self.name, Self::signature())
    }
}

/// What can be called with arguments `A` that were sent, and gives an `R`: functions and closures of up to six arguments.
pub trait Callable<A, R>: Send + Sync + 'static {
    /// Reads the arguments, and calls it.
    fn call_with(&self, arguments: &[&[u8]]) -> Result<R, TaskError>;
}

/// What a function that may fail gives: `Result<R, E>`, of an error that people can read.
pub trait Fallible<R> {
    /// The result, or the error as that of a task.
    fn told(self) -> Result<R, TaskError>;
}

impl<R, E: Display> Fallible<R> for Result<R, E> {
    fn told(self) -> Result<R, TaskError> {
        self.map_err(|error| TaskError::new(ErrorKind::Value, error.to_string()))
    }
}

macro_rules! callable {
    ($($argument:ident $at:tt),*) => {
        impl<F, R, $($argument: Portable),*> Callable<($($argument,)*), R> for F
        where
            F: Fn($($argument),*) -> R + Send + Sync + 'static,
        {
            fn call_with(&self, arguments: &[&[u8]]) -> Result<R, TaskError> {
                const COUNT: usize = <[u8]>::len(&[$($at),*]);
                if arguments.len() != COUNT {
                    let message = format!("it has {COUNT} arguments, and {} came", arguments.len());
                    return Err(TaskError::new(ErrorKind::Type, message));
                }
                Ok(self($(read::<$argument>(arguments[$at])?),*))
            }
        }
    };
}

callable!();
callable!(A 0);
callable!(A 0, B 1);
callable!(A 0, B 1, C 2);
callable!(A 0, B 1, C 2, D 3);
callable!(A 0, B 1, C 2, D 3, E 4);
callable!(A 0, B 1, C 2, D 3, E 4, G 5);

/// Functions that a worker knows, by their names.
#[derive(Clone, Default)]
pub struct Functions(BTreeMap<&'static str, Known>);

/// Reads arguments that were sent, and gives what is to be sent back.
type Call = dyn Fn(&[&[u8]]) -> Result<Value, TaskError> + Send + Sync;

#[derive(Clone)]
pub(crate) struct Known {
    signature: Arc<str>,
    pub call: Arc<Call>,
}

impl Functions {
    /// None yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// These and one more.
    ///
    /// # Panics
    /// If there is one of that name.
    pub fn with<A, R: Portable>(self, function: Function<A, R>, code: impl Callable<A, R>) -> Self {
        self.add(function, move |arguments| Packed::of(&code.call_with(arguments)?).map(Packed::value))
    }

    /// These and one more, which may fail: a task that gets an error from it has failed with that.
    ///
    /// # Panics
    /// If there is one of that name.
    pub fn with_fallible<A, R: Portable, O: Fallible<R>>(
        self,
        function: Function<A, R>,
        code: impl Callable<A, O>,
    ) -> Self {
        self.add(function, move |arguments| Packed::of(&code.call_with(arguments)?.told()?).map(Packed::value))
    }

    fn add<A, R>(
        mut self,
        function: Function<A, R>,
        call: impl Fn(&[&[u8]]) -> Result<Value, TaskError> + Send + Sync + 'static,
    ) -> Self {
        let known = Known { signature: Function::<A, R>::signature().into(), call: Arc::new(call) };
        let before = self.0.insert(function.name, known);
        assert!(before.is_none(), "two functions of the name `{}`", function.name);
        self
    }

    /// Their names, in order.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.0.keys().copied()
    }

    /// The one of this name and with these types.
    pub(crate) fn find(&self, name: &str, signature: &str) -> Result<Known, String> {
        let Some(known) = self.0.get(name) else {
            let names: Vec<_> = self.names().collect();
            let there = if names.is_empty() { "none".into() } else { names.join(", ") };
            return Err(format!("no function of the name `{name}` is registered there; registered: {there}"));
        };
        if *known.signature != *signature {
            return Err(format!("`{name}` is called as `{signature}`, and is registered as `{}`", known.signature));
        }
        Ok(known.clone())
    }
}
