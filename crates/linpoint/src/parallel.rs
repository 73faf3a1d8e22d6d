//! Two pieces of work at the same time.
//!
//! Long histories are decided in passes that mostly depend on each other. Where two do not, a second thread takes one of
//! them. What is computed does not depend on the number of threads.

/// Number of operations from which on a pass takes much longer than starting a thread.
const LEAST: usize = 1 << 16;

/// Whether there is a second thread.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Helper {
    is_there: bool,
}

impl Helper {
    /// No second thread.
    pub(crate) const NONE: Helper = Helper { is_there: false };

    /// A second thread for the work on this many operations, if it pays.
    pub(crate) fn among(threads: usize, operations: usize) -> Helper {
        Helper { is_there: threads > 1 && operations >= LEAST }
    }

    /// Both results. `there` runs on the second thread, and must not call code of the specification: a panic is to be
    /// caught where the check began. Without a second thread, `there` runs after `here`.
    pub(crate) fn both<A, B: Send>(
        self,
        here: impl FnOnce() -> A,
        there: impl FnOnce() -> B + Send,
    ) -> (A, B) {
        if !self.is_there {
            return (here(), there());
        }
        std::thread::scope(|scope| {
            let there = scope.spawn(there);
            let here = here();
            match there.join() {
                Ok(there) => (here, there),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        })
    }

    /// The same, where the work `here` may fail. Without a second thread, `there` does not run then.
    pub(crate) fn try_both<A, B: Send, E>(
        self,
        here: impl FnOnce() -> Result<A, E>,
        there: impl FnOnce() -> B + Send,
    ) -> Result<(A, B), E> {
        if !self.is_there {
            return Ok((here()?, there()));
        }
        let (here, there) = self.both(here, there);
        Ok((here?, there))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_histories_have_no_helper() {
        assert!(!Helper::among(8, LEAST - 1).is_there && !Helper::among(1, LEAST).is_there);
        assert!(Helper::among(2, LEAST).is_there);
    }

    #[test]
    fn both_results_or_the_error() {
        let this = || std::thread::current().id();
        for helper in [Helper::NONE, Helper::among(2, LEAST)] {
            let (here, there) = helper.both(this, this);
            assert_eq!(here, this());
            assert_eq!(there != here, helper.is_there);
            assert_eq!(helper.try_both(|| Ok::<_, ()>(1), || 2), Ok((1, 2)));
            assert_eq!(helper.try_both(|| Err::<(), _>(1), || 2), Err(1));
        }
    }

    #[test]
    fn a_panic_of_the_helper_is_one_of_the_caller() {
        let helper = Helper::among(2, LEAST);
        let caught = crate::subject::guard(|| helper.both(|| 1, || -> i32 { panic!("there") }));
        assert_eq!(caught, Err("there".to_owned()));
    }
}
