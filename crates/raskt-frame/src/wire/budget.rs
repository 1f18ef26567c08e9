//! How much may come of what came.

/// How much may be made of what came: what is written once and used often takes memory, or time, each time.
pub(super) struct Budget(u64);

/// So many nodes, columns and types, or sixteen bytes of them.
const UNITS: u64 = 1 << 24;

impl Budget {
    pub fn new() -> Self {
        Self(UNITS)
    }

    pub fn spend(&mut self, units: usize) -> Result<(), String> {
        self.0 = self.0.checked_sub(units as u64).ok_or("more comes of it than any plan is made of")?;
        Ok(())
    }
}
