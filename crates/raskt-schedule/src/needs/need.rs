//! The numbers of requirements.

/// The number of a requirement; the first is that of none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Need(pub(super) u32);

impl Need {
    pub const NONE: Self = Self(0);
    /// That of memory, which no worker is asked for by number.
    pub const MEMORY: Self = Self(u32::MAX);
    pub const LAST: Self = Self(u32::MAX - 1);

    /// The number after this one.
    pub fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}
