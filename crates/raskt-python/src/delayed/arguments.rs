use super::Argument;
use pyo3::prelude::*;

/// The arguments of a call: two words, since there may be millions of calls. Most have one to three arguments and none by
/// name; what they have more lies behind a pointer.
pub(crate) enum Arguments {
    None,
    One(Argument),
    Two(Box<[Argument; 2]>),
    Three(Box<[Argument; 3]>),
    Many(Box<Many>),
}

/// An argument by name.
pub(crate) type Named = (Py<PyAny>, Argument);

/// Any number of arguments.
pub(crate) struct Many {
    positional: Box<[Argument]>,
    named: Box<[Named]>,
}

impl Arguments {
    pub fn new(positional: Vec<Argument>, named: Vec<Named>) -> Self {
        if !named.is_empty() {
            return Self::many(positional, named);
        }
        let positional = match <[Argument; 1]>::try_from(positional) {
            Ok([argument]) => return Self::One(argument),
            Err(positional) => positional,
        };
        let positional = match Box::try_from(positional) {
            Ok(two) => return Self::Two(two),
            Err(positional) => positional,
        };
        match Box::try_from(positional) {
            Ok(three) => Self::Three(three),
            Err(positional) if positional.is_empty() => Self::None,
            Err(positional) => Self::many(positional, named),
        }
    }

    fn many(positional: Vec<Argument>, named: Vec<Named>) -> Self {
        Self::Many(Box::new(Many { positional: positional.into(), named: named.into() }))
    }

    pub fn positional(&self) -> &[Argument] {
        match self {
            Self::None => &[],
            Self::One(argument) => std::slice::from_ref(argument),
            Self::Two(arguments) => &**arguments,
            Self::Three(arguments) => &**arguments,
            Self::Many(many) => &many.positional,
        }
    }

    pub fn named(&self) -> &[Named] {
        match self {
            Self::Many(many) => &many.named,
            _ => &[],
        }
    }

    /// Moves all of them to the end of `into`.
    pub fn take(self, into: &mut Vec<Argument>) {
        match self {
            Self::None => {}
            Self::One(argument) => into.push(argument),
            Self::Two(arguments) => into.extend(*arguments),
            Self::Three(arguments) => into.extend(*arguments),
            Self::Many(many) => {
                into.extend(many.positional);
                into.extend(many.named.into_iter().map(|(_, argument)| argument));
            }
        }
    }
}
