//! What is told when a store's machine has panicked.

use std::sync::Arc;
use thiserror::Error;

/// Something that changes a store panicked half way: a bug of the store. What was asked of it isn't done, and requests that
/// waited are forgotten. The results that it has it still has, and it goes on with them.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the store of results broke down: {story}")]
pub struct Broken {
    story: Arc<str>,
    /// How many breaks of the store there were, this one included.
    pub number: u64,
}

impl Broken {
    pub(crate) fn new(story: &str, number: u64) -> Self {
        Self { story: story.into(), number }
    }
}
