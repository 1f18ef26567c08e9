//! Who has named what: what nobody knows any more, and is of no use, goes.

use super::bytes::{Name, Session};
use super::error::{CoordinationError, Quantity};
use std::collections::BTreeSet;
use std::ops::Bound;

/// Which sessions have named which things of a kind.
#[derive(Debug, Default)]
pub(super) struct Known {
    by_session: BTreeSet<(Session, Name)>,
    by_name: BTreeSet<(Name, Session)>,
}

impl Known {
    /// A session names something.
    pub fn meet(&mut self, session: Session, name: &Name, most: usize) -> Result<(), CoordinationError> {
        if self.by_session.contains(&(session, name.clone())) {
            return Ok(());
        }
        if self.by_session.len() >= most {
            return Err(CoordinationError::TooMany { what: Quantity::Acquaintances, most: most as u64 });
        }
        self.by_session.insert((session, name.clone()));
        self.by_name.insert((name.clone(), session));
        Ok(())
    }

    /// Whether somebody who is there has named it.
    pub fn is_known(&self, name: &Name) -> bool {
        self.by_name.range((name.clone(), Session(0))..).next().is_some_and(|(of, _)| of == name)
    }

    /// It is gone.
    pub fn forget(&mut self, name: &Name) {
        while let Some((of, session)) = self.by_name.range((name.clone(), Session(0))..).next().cloned()
            && of == *name
        {
            self.by_name.remove(&(of.clone(), session));
            self.by_session.remove(&(session, of));
        }
    }

    /// A session is over; gives what it had named.
    pub fn leave(&mut self, session: Session) -> Vec<Name> {
        let from = (Bound::Included((session, Name::from(""))), Bound::Unbounded);
        let own = self.by_session.range(from).take_while(|(of, _)| *of == session);
        let names: Vec<Name> = own.map(|(_, name)| name.clone()).collect();
        for name in &names {
            self.by_session.remove(&(session, name.clone()));
            self.by_name.remove(&(name.clone(), session));
        }
        names
    }

    /// All names that somebody knows.
    pub fn names(&self) -> impl Iterator<Item = &Name> {
        self.by_name.iter().map(|(name, _)| name)
    }

    pub fn validate(&self) {
        let turned: BTreeSet<_> = self.by_name.iter().map(|(name, session)| (*session, name.clone())).collect();
        assert_eq!(self.by_session, turned);
    }
}
