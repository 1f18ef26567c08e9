//! The Python module: convert, call, convert back.
