//! Both sides, with memory between them, many clients on threads, and time that stands still until it is told to go on.

mod bytes;
mod many;
mod one;
mod pair;
