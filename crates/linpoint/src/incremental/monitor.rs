//! What the streaming form of a monitor can do.

use crate::spec::Spec;

/// Why an operation cannot be explained.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Miss {
    /// There is no linearization.
    Impossible,
    /// The monitor cannot tell.
    Unclear,
}

/// What a monitor wants to know about an operation when it ends.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Token {
    /// The moment of its call.
    pub(super) call: u64,
    /// What it writes, if it may write something.
    pub(super) own: Option<u64>,
}

/// What an operation that has ended was about. As long as that matters, it has to be told to another engine
/// that takes over.
#[derive(Clone, Copy, Debug)]
pub(super) enum Mark {
    /// Nothing that will ever matter.
    Nothing,
    /// It will matter until nothing is open.
    Always,
    /// This zone of a register.
    Zone(u64),
    /// What a crashed operation may have written.
    Crashed(u64),
}

/// The streaming form of a monitor: one object, one key.
pub(super) trait Monitor<S: Spec> {
    /// An operation begins. `None` if the monitor does not know such operations; then it has not
    /// changed.
    fn call(&mut self, spec: &S, op: &S::Op) -> Option<Token>;

    /// It returns. If that is a miss, nothing has changed.
    fn ret(
        &mut self,
        spec: &S,
        op: &S::Op,
        token: Token,
        ret: Option<&S::Ret>,
    ) -> Result<Mark, Miss>;

    /// It did not happen. If that is a miss, nothing has changed.
    fn fail(&mut self, spec: &S, op: &S::Op, token: Token) -> Result<(), Miss>;

    /// Nothing more will be heard of it.
    fn crash(&mut self, spec: &S, op: &S::Op, token: Token) -> Mark;

    /// Everything that it could return now; `None` if that cannot be enumerated.
    fn allowed(&self, spec: &S, op: &S::Op, token: Token) -> Option<Vec<S::Ret>>;

    /// States that are possible now.
    fn states(&self, spec: &S) -> Vec<S::State>;

    /// Nothing is open: the state, if it is certain and nothing that crashed can change it.
    fn settled(&self, spec: &S) -> Option<S::State>;

    /// True if another engine has to be told about the operation.
    fn matters(&self, mark: Mark) -> bool {
        !matches!(mark, Mark::Nothing)
    }

    /// True if marks stop mattering before nothing is open.
    fn forgets(&self) -> bool {
        false
    }

    /// Number of things that are stored.
    fn stored(&self) -> usize;
}

/// The results that an operation has in these states and that are possible, without repetition; `None` if
/// they cannot be enumerated. `is_possible` is told the number of the state, the result, and whether
/// the state would change.
pub(super) fn allowed_in<'a, S: Spec>(
    spec: &S,
    op: &S::Op,
    states: impl IntoIterator<Item = &'a S::State>,
    mut is_possible: impl FnMut(usize, &S::Ret, bool) -> bool,
) -> Option<Vec<S::Ret>>
where
    S::State: 'a,
{
    let mut outcomes = Vec::new();
    let mut seen = rustc_hash::FxHashSet::default();
    let mut allowed = Vec::new();
    for (at, state) in states.into_iter().enumerate() {
        if !spec.outcomes(state, op, &mut outcomes) {
            return None;
        }
        for (ret, next) in outcomes.drain(..) {
            if !seen.contains(&ret) && is_possible(at, &ret, next != *state) {
                seen.insert(ret.clone());
                allowed.push(ret);
            }
        }
    }
    Some(allowed)
}
