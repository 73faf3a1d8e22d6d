//! Claims that only the search needs: which operations can affect which, and in what order to try them.

use std::ops::Deref;

use super::{Derived, PartView, Refutation, Returned, Spec, Traces};

/// Claims about an object that make the search faster. All methods are optional, and their defaults
/// are safe. A false claim makes verdicts wrong: test them with
/// [`check_claims`](super::claims::check_claims).
///
/// An object with a [shape](super::Shaped) does not need them: they are [derived](Derived) from it.
pub trait Claims<O, R>: Sync {
    /// The traces that an operation leaves in the state, by which others can notice it. Together with
    /// [`Claims::senses`], this determines which pending operations can matter to which others.
    ///
    /// CLAIM: if `p` leaves nothing that `x` senses, and both belong to one part (see
    /// [`Spec::footprint`]), then wherever `p` (with any result) and then `x` can run back to back,
    /// `x` alone can run too, with the same result and to the same state.
    fn leaves(&self, _op: &O) -> Traces {
        Traces::Any
    }

    /// The traces that an operation with this result depends on. See [`Claims::leaves`].
    fn senses(&self, _op: &O, _ret: Option<&R>) -> Traces {
        Traces::Any
    }

    /// The traces that a *pending* operation depends on where it changes the state. Pending
    /// operations that change nothing are left out anyway, so this may be less than
    /// `senses(op, None)`: a compare-and-set acts only if it finds what it expects.
    ///
    /// CLAIM: as for [`Claims::leaves`], with `x` a pending operation that changes the state: wherever
    /// `p` and then `op` can run back to back and `op` changes the state, `op` alone can lead to the
    /// same state.
    fn senses_to_act(&self, op: &O) -> Traces {
        self.senses(op, None)
    }

    /// Pending operations whose traces no operation senses *by name* are often interchangeable: writes
    /// of values that no operation mentions. Operations with the same number are then treated as
    /// identical.
    ///
    /// CLAIM: two pending operations with equal kinds, whose traces no operation senses by name
    /// (sensing [`Traces::Any`] does not count as by name), can replace each other in every
    /// linearization.
    fn anonymous_kind(&self, _op: &O) -> Option<u64> {
        None
    }

    /// True if two operations of equal [kinds](Claims::anonymous_kind) are of one kind indeed, and not only
    /// because two kinds have one number. Override it where numbers are hashes.
    fn same_kind(&self, _a: &O, _b: &O) -> bool {
        true
    }

    /// True if a pending operation of this kind has no use unless another operation mentions it: an
    /// enqueue of a value that was never dequeued.
    ///
    /// CLAIM: if no completed operation of the part senses one of its traces by name
    /// ([`Claims::senses`]), and no other pending one does so to act ([`Claims::senses_to_act`]), and no completed
    /// one [needs what it does not name](Claims::needs_unnamed), then every history that has a linearization with
    /// this pending operation has one without it.
    fn idle_unless_named(&self, _op: &O) -> bool {
        false
    }

    /// True if a completed operation with this result may need an operation that is
    /// [idle unless named](Claims::idle_unless_named) and does not name it. A dequeue with an unknown result
    /// names nothing, but may have taken this very element; a compare-and-set that failed needs some value other
    /// than the expected one.
    fn needs_unnamed(&self, _op: &O, ret: Option<&R>) -> bool {
        ret.is_none()
    }

    /// A cheap and exact proof that the operations of `part` contradict the specification, if
    /// there is an obvious one: a value that was never written, a value taken twice.
    ///
    /// CLAIM: no linearization of any history that contains the named operations unchanged,
    /// and the others of the part at any time, with any result, or not at all, is legal.
    fn refute(&self, _part: &PartView<'_, O, R>) -> Option<Refutation> {
        None
    }

    /// A guess at the order in which the operations of `part` took effect, as sort keys in the
    /// order of [`PartView::iter`]: where several operations could be next, those with smaller keys
    /// are tried first. A bad guess costs time and never changes a verdict. Called only after the
    /// cheap tactics have failed.
    fn guide(&self, _part: &PartView<'_, O, R>) -> Option<Vec<u64>> {
        None
    }

    /// A guess at the order in which completed operations took effect, as positions in `run`, which is
    /// in the order of returns. Used by stress tests, where most runs are correct and a guess is
    /// cheaper than a check. `None` if there is nothing better than the order of returns.
    ///
    /// Nothing is claimed: the caller checks that the order respects real time and is legal
    /// ([`Spec::replay`]).
    fn likely_order(&self, _run: &[Returned<'_, O, R>]) -> Option<Vec<u32>> {
        None
    }
}

/// The claims that engines use: those of the specification, or else those that follow from its shape, or else safe
/// defaults.
pub struct EffectiveClaims<'a, O, R> {
    source: Source<'a, O, R>,
}

enum Source<'a, O, R> {
    Own(&'a dyn Claims<O, R>),
    Derived(Derived<'a, O, R>),
    Defaults(NoClaims),
}

impl<'a, O, R> EffectiveClaims<'a, O, R> {
    /// The claims about `spec`.
    pub fn of<S: Spec<Op = O, Ret = R>>(spec: &'a S) -> Self {
        let own = spec.claims().map(Source::Own);
        let derived = || Derived::of(spec).map(Source::Derived);
        EffectiveClaims { source: own.or_else(derived).unwrap_or(Source::Defaults(NoClaims)) }
    }
}

struct NoClaims;

impl<O, R> Claims<O, R> for NoClaims {}

impl<'a, O: 'a, R: 'a> Deref for EffectiveClaims<'a, O, R> {
    type Target = dyn Claims<O, R> + 'a;

    fn deref(&self) -> &Self::Target {
        match &self.source {
            Source::Own(claims) => *claims,
            Source::Derived(claims) => claims,
            Source::Defaults(claims) => claims,
        }
    }
}
