//! Where a call stands.

/// Where a call `C` stands that gives an `R`, or fails with an `F`.
///
/// | from | to | by |
/// |---|---|---|
/// | `Waiting` | `Running` | its inputs were there, and its turn in the line came |
/// | `Waiting` | `Failed`, `Cancelled` | an input failed or was cancelled |
/// | `Waiting`, `Running` | `Cancelled` | somebody cancelled it, or its process goes |
/// | `Running` | `Done`, `Failed` | the call returned or failed |
/// | `Failed` | `Waiting` | somebody wants the call to be made again |
pub enum State<C, R, F> {
    /// Inputs are missing, or its turn hasn't come.
    Waiting(C),
    /// A thread makes the call.
    Running,
    /// The result is there.
    Done(R),
    /// The call, or one that it reads, has failed. The call is kept so that it can be made again.
    Failed(F, Option<Box<C>>),
    /// Nobody wants it, for this reason. What a thread may still do for it counts for nothing.
    Cancelled(String),
}

/// How a call ended.
pub enum Outcome<C, R, F> {
    /// With a result.
    Done(R),
    /// With a failure; and the call, if it was made.
    Failed(F, Option<Box<C>>),
    /// Nobody wants it, for this reason.
    Cancelled(String),
}

impl<C, R, F> State<C, R, F> {
    /// Whether it is over.
    pub fn is_done(&self) -> bool {
        !matches!(self, Self::Waiting(_) | Self::Running)
    }

    /// Whether it is over without a result.
    pub fn is_bad(&self) -> bool {
        matches!(self, Self::Failed(..) | Self::Cancelled(_))
    }

    /// Holds the result otherwise, if it is there; gives what held it before, or else would now.
    pub fn hold(&mut self, held: R) -> Option<R> {
        match self {
            Self::Done(own) => Some(std::mem::replace(own, held)),
            _ => Some(held),
        }
    }

    /// Keeps the call of the state before this one if it is needed to begin again; what is left of that state comes back.
    pub fn keep_call_of(&mut self, before: Self) -> Self {
        match (self, before) {
            (Self::Failed(_, kept @ None), Self::Waiting(call)) => {
                *kept = Some(Box::new(call));
                Self::Running
            }
            (_, before) => before,
        }
    }
}

impl<C, R, F> From<Outcome<C, R, F>> for State<C, R, F> {
    fn from(outcome: Outcome<C, R, F>) -> Self {
        match outcome {
            Outcome::Done(result) => Self::Done(result),
            Outcome::Failed(failure, call) => Self::Failed(failure, call),
            Outcome::Cancelled(reason) => Self::Cancelled(reason),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Own = State<&'static str, i32, &'static str>;

    #[test]
    fn what_is_over_and_what_is_bad() {
        let states: [(Own, bool, bool); 5] = [
            (State::Waiting("f"), false, false),
            (State::Running, false, false),
            (Outcome::Done(1).into(), true, false),
            (Outcome::Failed("no", None).into(), true, true),
            (Outcome::Cancelled("why".into()).into(), true, true),
        ];
        for (state, is_done, is_bad) in states {
            assert_eq!((state.is_done(), state.is_bad()), (is_done, is_bad));
        }
    }

    #[test]
    fn a_call_whose_input_failed_is_kept_to_be_made_again_and_one_that_was_made_brings_its_own() {
        let mut failed: Own = State::Failed("no", None);
        assert!(matches!(failed.keep_call_of(State::Waiting("f")), State::Running));
        assert!(matches!(&failed, State::Failed("no", Some(call)) if **call == "f"));
        assert!(matches!(failed.keep_call_of(State::Waiting("g")), State::Waiting("g")));
        let mut cancelled: Own = State::Cancelled("why".into());
        assert!(matches!(cancelled.keep_call_of(State::Waiting("f")), State::Waiting("f")));
    }

    #[test]
    fn a_result_is_held_otherwise_only_where_it_is() {
        let mut done: Own = State::Done(1);
        assert_eq!(done.hold(2), Some(1));
        assert!(matches!(done, State::Done(2)));
        let mut running: Own = State::Running;
        assert_eq!(running.hold(2), Some(2));
        assert!(matches!(running, State::Running));
    }
}
