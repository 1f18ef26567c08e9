//! The memory broker and the place of results.
