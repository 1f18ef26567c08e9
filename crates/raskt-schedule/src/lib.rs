//! The scheduler machine and the worker machine.
