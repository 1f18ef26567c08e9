//! What may stand for an argument of a call: a value, a future of one, or a list of futures.

use crate::calls::{Argument, Row};
use crate::error::FutureError;
use crate::future::Future;
use crate::packed::{Portable, written};

/// What may stand for an argument of type `T`: a `T`, a future of one, for lists futures of what is in them, and for texts
/// a `&str`.
pub trait IntoArgument<T> {
    /// Adds it to a call.
    fn put(self, row: &mut Row) -> Result<(), FutureError>;
}

impl<T: Portable> IntoArgument<T> for T {
    fn put(self, row: &mut Row) -> Result<(), FutureError> {
        row.arguments.push(Argument::Written(written(&self)?));
        Ok(())
    }
}

impl<T: Portable> IntoArgument<T> for &Future<T> {
    fn put(self, row: &mut Row) -> Result<(), FutureError> {
        row.results.push(self.only()?);
        row.arguments.push(Argument::Result);
        Ok(())
    }
}

impl<T: Portable> IntoArgument<Vec<T>> for &[Future<T>] {
    fn put(self, row: &mut Row) -> Result<(), FutureError> {
        let count = u32::try_from(self.len());
        let count = count.map_err(|_| FutureError::Stays(format!("a call reads {} results", self.len())))?;
        for future in self {
            row.results.push(future.only()?);
        }
        row.arguments.push(Argument::Results(count));
        Ok(())
    }
}

impl<T: Portable> IntoArgument<Vec<T>> for &Vec<Future<T>> {
    fn put(self, row: &mut Row) -> Result<(), FutureError> {
        self.as_slice().put(row)
    }
}

impl IntoArgument<String> for &str {
    fn put(self, row: &mut Row) -> Result<(), FutureError> {
        self.to_owned().put(row)
    }
}

/// What may stand for the arguments `A` of a call, a tuple: a tuple of as many.
pub trait Arguments<A> {
    /// Adds them to a call.
    fn put(self, row: &mut Row) -> Result<(), FutureError>;
}

macro_rules! arguments {
    ($($own:ident $wanted:ident $at:tt),*) => {
        impl<$($own, $wanted),*> Arguments<($($wanted,)*)> for ($($own,)*)
        where
            $($own: IntoArgument<$wanted>),*
        {
            fn put(self, _row: &mut Row) -> Result<(), FutureError> {
                $(self.$at.put(_row)?;)*
                Ok(())
            }
        }
    };
}

arguments!();
arguments!(A TA 0);
arguments!(A TA 0, B TB 1);
arguments!(A TA 0, B TB 1, C TC 2);
arguments!(A TA 0, B TB 1, C TC 2, D TD 3);
arguments!(A TA 0, B TB 1, C TC 2, D TD 3, E TE 4);
arguments!(A TA 0, B TB 1, C TC 2, D TD 3, E TE 4, F TF 5);
