//! Sets and maps that are made for what stands in them.

pub(crate) mod boxes;
pub(crate) mod by_number;
pub(crate) mod rank_set;
pub(crate) mod worklist;
