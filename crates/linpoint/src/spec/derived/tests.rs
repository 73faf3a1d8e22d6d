//! What follows from the shapes of the bundled models and of an ordinary struct, and that names may collide.

use std::collections::VecDeque;
use std::fmt::Debug;

use super::Derived;
use crate::history::History;
use crate::spec::claims::check_claims;
use crate::spec::models::*;
use crate::spec::{
    Claims, EffectiveClaims, Footprint, Mention, Name, PartView, Role, Sequential, Shape, Shaped,
    Spec, Traces,
};

/// The claims hold, and they are derived.
fn holds<S: Spec>(spec: &S, ops: &[S::Op]) {
    assert!(spec.claims().is_none(), "{ops:?}: claims of its own");
    assert!(spec.shaped().is_some_and(|shaped| shaped.is_complete()), "{ops:?}: no shape");
    for seed in 0..3 {
        check_claims(spec, ops, seed, 300).unwrap();
    }
    // Names may collide, as long as equal values have equal names.
    for bits in [0, 1] {
        let colliding = Colliding { spec, mask: (1 << bits) - 1 };
        for seed in 0..3 {
            check_claims(&colliding, ops, seed, 200).unwrap();
        }
    }
}

/// A specification whose values share few names.
struct Colliding<'a, S> {
    spec: &'a S,
    mask: u64,
}

impl<S> Colliding<'_, S> {
    fn name(&self, name: Name) -> Name {
        Name(name.0 & self.mask)
    }
}

impl<S: Spec> Spec for Colliding<'_, S> {
    type Op = S::Op;
    type Ret = S::Ret;
    type State = S::State;

    fn initial(&self) -> S::State {
        self.spec.initial()
    }

    fn successors(
        &self,
        state: &S::State,
        op: &S::Op,
        ret: Option<&S::Ret>,
        next: &mut Vec<S::State>,
    ) {
        self.spec.successors(state, op, ret, next);
    }

    fn outcomes(&self, state: &S::State, op: &S::Op, out: &mut Vec<(S::Ret, S::State)>) -> bool {
        self.spec.outcomes(state, op, out)
    }

    fn fits(&self, op: &S::Op, exact: &S::Ret, recorded: &S::Ret) -> bool {
        self.spec.fits(op, exact, recorded)
    }

    fn footprint(&self, op: &S::Op) -> Footprint {
        self.spec.footprint(op)
    }

    fn is_read(&self, op: &S::Op, ret: Option<&S::Ret>) -> bool {
        self.spec.is_read(op, ret)
    }

    fn shaped(&self) -> Option<&dyn Shaped<S::Op, S::Ret>> {
        Some(self)
    }
}

impl<S: Spec> Colliding<'_, S> {
    fn shape_of_spec(&self) -> &dyn Shaped<S::Op, S::Ret> {
        self.spec.shaped().expect("a specification with a shape")
    }
}

impl<S: Spec> Shaped<S::Op, S::Ret> for Colliding<'_, S> {
    fn shape(&self) -> Shape {
        match self.shape_of_spec().shape() {
            Shape::Registers { initial } => Shape::Registers { initial: self.name(initial) },
            Shape::Snapshot { segments, initial } => {
                Shape::Snapshot { segments, initial: self.name(initial) }
            }
            shape => shape,
        }
    }

    fn is_complete(&self) -> bool {
        self.shape_of_spec().is_complete()
    }

    fn role(&self, op: &S::Op, ret: Option<&S::Ret>, pending: bool) -> Role {
        match self.shape_of_spec().role(op, ret, pending) {
            Role::Add(name) => Role::Add(self.name(name)),
            Role::Remove(name) => Role::Remove(self.name(name)),
            Role::Peek(name) => Role::Peek(self.name(name)),
            Role::AddFront(name) => Role::AddFront(self.name(name)),
            Role::RemoveFront(name) => Role::RemoveFront(self.name(name)),
            Role::PeekFront(name) => Role::PeekFront(self.name(name)),
            Role::Write(name) => Role::Write(self.name(name)),
            Role::Read(name) => Role::Read(self.name(name)),
            Role::Other(name) => Role::Other(self.name(name)),
            Role::Replace { from, to } => {
                Role::Replace { from: self.name(from), to: self.name(to) }
            }
            Role::Update { segment, value } => Role::Update { segment, value: self.name(value) },
            role => role,
        }
    }

    fn key(&self, op: &S::Op) -> Option<Name> {
        self.shape_of_spec().key(op).map(|key| self.name(key))
    }

    fn same_name(&self, a: Mention<'_, S::Op, S::Ret>, b: Mention<'_, S::Op, S::Ret>) -> bool {
        self.shape_of_spec().same_name(a, b)
    }

    fn is_initial(&self, mention: Mention<'_, S::Op, S::Ret>) -> bool {
        self.shape_of_spec().is_initial(mention)
    }

    fn compare(
        &self,
        a: Mention<'_, S::Op, S::Ret>,
        b: Mention<'_, S::Op, S::Ret>,
    ) -> std::cmp::Ordering {
        self.shape_of_spec().compare(a, b)
    }

    fn view(&self, ret: &S::Ret, names: &mut Vec<Option<Name>>) {
        let from = names.len();
        self.shape_of_spec().view(ret, names);
        names[from..].iter_mut().flatten().for_each(|name| *name = self.name(*name));
    }
}

/// It makes claims of its own. Those that follow from its shape hold too.
#[test]
fn deque() {
    use DequeOp::{PeekBack, PeekFront, PopBack, PopFront, PushBack, PushFront};
    let ops = [PushFront(1), PushBack(2), PushFront(3), PopFront, PopBack, PeekFront, PeekBack];
    for mask in [u64::MAX, 1, 0] {
        let derived = Colliding { spec: &Deque::new(), mask };
        assert!(derived.claims().is_none() && derived.is_complete());
        for seed in 0..3 {
            check_claims(&derived, &ops, seed, 300).unwrap();
        }
    }
}

#[test]
fn claims_about_containers_hold() {
    use QueueOp::{Dequeue, Enqueue, Peek};
    let ops = [Enqueue(1), Enqueue(2), Enqueue(3), Dequeue, Dequeue, Peek];
    holds(&Queue::new(), &ops);
    holds(&Queue::bounded(1), &ops);
    holds(&Queue::bounded(2), &ops);
    let ops = [StackOp::Push(1), StackOp::Push(2), StackOp::Pop, StackOp::Pop, StackOp::Peek];
    holds(&Stack::new(), &ops);
    let ops = [1, 2, 3].map(PriorityQueueOp::Insert);
    let ops = [&ops[..], &[PriorityQueueOp::Poll, PriorityQueueOp::Peek]].concat();
    holds(&PriorityQueue::new(Order::Max), &ops);
    holds(&PriorityQueue::new(Order::Min), &ops);
    holds(&Bag::new(), &[BagOp::Add(1), BagOp::Add(2), BagOp::Add(3), BagOp::Remove]);
}

#[test]
fn claims_about_flags_hold() {
    use MutexOp::{Acquire, Release, TryAcquire};
    use SetOp::{Contains, Insert, Remove};
    holds(&Mutex { owner: false }, &[Acquire(None), Release(None), TryAcquire(None)]);
    holds(&Mutex { owner: false }, &[Acquire(None), Release(None), Release(Some(1))]);
    holds(&Set::new(), &[Insert(1), Remove(1), Contains(1), Insert(2), Remove(2), Contains(2)]);
    holds(&Set::new(), &[Insert(1), Remove(1), Contains(1)]);
}

#[test]
fn claims_about_registers_hold() {
    let ops = [0, 1, 2, 3].map(RegisterOp::Write);
    holds(&Register { initial: 0 }, &[&ops[..], &[RegisterOp::Read]].concat());
    holds(&Rmw { initial: 0 }, &[0, 1, 2, 3].map(RmwOp));
    use CasRegisterOp::{Cas, Read, Write};
    let spec = CasRegister { initial: 0 };
    holds(&spec, &[Read, Write(0), Write(1), Write(2), Cas(0, 1), Cas(0, 4), Cas(1, 1)]);
    holds(&spec, &[Read, Write(1), Write(2), Cas(1, 2), Cas(1, 3), Cas(2, 3)]);
    holds(&spec, &[Read, Write(7), Write(8), Cas(0, 1), Cas(0, 2), Cas(1, 7)]);
    holds(&spec, &[Read, Cas(0, 1), Cas(0, 2), Cas(1, 0), Cas(2, 0)]);
}

#[test]
fn claims_about_numbers_and_segments_hold() {
    use CounterOp::{Add, FetchAdd, Get};
    holds(&Counter { initial: 0 }, &[Get, Add(1), Add(0), FetchAdd(1), Add(-1), FetchAdd(2)]);
    for initial in [0, 1, u64::MAX] {
        use SemaphoreOp::{Acquire, Release, TryAcquire};
        holds(&Semaphore { initial }, &[Release, TryAcquire, Acquire]);
    }
    use SnapshotOp::{Scan, Update};
    let ops = [Scan, Scan, Update(0, 0), Update(0, 1), Update(0, 2), Update(1, 1), Update(2, 1)];
    holds(&Snapshot { segments: 2, initial: 0 }, &ops);
}

#[test]
fn claims_prune_as_much_as_they_can() {
    use CasRegisterOp::{Cas, Read, Write};
    let spec = CasRegister { initial: 0 };
    let claims = EffectiveClaims::of(&spec);
    assert_eq!(claims.leaves(&Read), Traces::none());
    assert_eq!(claims.leaves(&Cas(5, 1)), claims.leaves(&Write(1)));
    assert_eq!(
        claims.senses(&Cas(1, 2), Some(&CasRegisterRet::Bool(true))),
        claims.leaves(&Write(1))
    );
    assert_eq!(claims.senses_to_act(&Cas(1, 2)), claims.leaves(&Write(1)));
    assert_eq!(claims.senses(&Write(1), None), Traces::none());
    assert!(claims.senses(&Cas(1, 2), None).is_any());
    assert_eq!(claims.anonymous_kind(&Write(1)), claims.anonymous_kind(&Write(2)));
    assert_eq!(claims.anonymous_kind(&Cas(0, 1)), claims.anonymous_kind(&Cas(0, 2)));
    assert_ne!(claims.anonymous_kind(&Cas(0, 1)), claims.anonymous_kind(&Cas(1, 2)));
    assert!(claims.idle_unless_named(&Write(1)));
    assert!(claims.needs_unnamed(&Cas(1, 2), Some(&CasRegisterRet::Bool(false))));
    assert!(!claims.needs_unnamed(&Read, Some(&CasRegisterRet::Value(1))));
}

fn concurrent<O: Clone, R: Clone>(ops: &[(O, R)]) -> History<O, R> {
    crate::spec::models::tests::part_of(ops)
}

fn refutes<S: Spec>(spec: &S, ops: &[(S::Op, S::Ret)]) -> Option<String> {
    let history = concurrent(ops);
    let ids: Vec<_> = history.ids().collect();
    let found = Derived::of(spec)?.with_foreign_operations();
    Some(found.refute(&PartView::new(&history, &ids))?.reason.to_string())
}

#[test]
fn refutations_say_why() {
    let read = |v| (RegisterOp::Read, RegisterRet::Value(v));
    let found = refutes(&Register { initial: 0 }, &[read(0), read(5)]);
    assert_eq!(found.as_deref(), Some("read() -> 5 found what was never written"));
    let scan = SnapshotRet::Values(vec![Some(0), Some(7)].into());
    let found = refutes(&Snapshot { segments: 2, initial: 0 }, &[(SnapshotOp::Scan, scan)]);
    let expected = "scan() -> [0, 7] found a value in segment 1 that was never written there";
    assert_eq!(found.as_deref(), Some(expected));
    let take = (MutexOp::Acquire(None), MutexRet::Done);
    let found = refutes(&Mutex { owner: false }, &[take, take]);
    let expected = "acquire() and acquire() ended a state that was there at most once";
    assert_eq!(found.as_deref(), Some(expected));
    let found = refutes(&Semaphore { initial: 0 }, &[(SemaphoreOp::Acquire, SemaphoreRet::Done)]);
    assert_eq!(found.as_deref(), Some("acquire() took a permit that was never released"));
}

#[test]
fn hash_collisions_refute_nothing() {
    use KeyValueOp::CompareAndSet;
    // Both keys begin with no value.
    let done = |key: u32| (CompareAndSet(key, None, 1), KeyValueRet::Bool(true));
    let spec = KeyValue::<u32, u32>::new(None);
    assert_eq!(refutes(&spec, &[done(1), done(2)]), None);
    assert!(refutes(&spec, &[done(1), done(1)]).is_some());
    let colliding = Colliding { spec: &spec, mask: 0 };
    assert_eq!(refutes(&colliding, &[done(1), done(2)]), None);
}

/// A mailbox with, or without, a way to ask for its size.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Mailbox {
    letters: VecDeque<u8>,
    has_size: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Mail {
    Send(u8),
    Receive,
    Size,
}

impl Sequential for Mailbox {
    type Op = Mail;
    type Ret = Option<usize>;

    fn apply(&mut self, op: &Mail) -> Option<usize> {
        match op {
            Mail::Send(letter) => {
                self.letters.push_back(*letter);
                None
            }
            Mail::Receive => self.letters.pop_front().map(usize::from),
            Mail::Size => Some(self.letters.len()),
        }
    }

    fn shaped(&self) -> Option<&dyn Shaped<Mail, Option<usize>>> {
        Some(self)
    }
}

impl Shaped<Mail, Option<usize>> for Mailbox {
    fn shape(&self) -> Shape {
        Shape::Queue
    }

    fn is_complete(&self) -> bool {
        !self.has_size
    }

    fn role(&self, op: &Mail, ret: Option<&Option<usize>>, _pending: bool) -> Role {
        match (op, ret) {
            (Mail::Send(letter), None | Some(None)) => Role::Add(Name(u64::from(*letter))),
            (Mail::Receive, None) => Role::Take,
            (Mail::Receive, Some(None)) => Role::Empty,
            (Mail::Receive, Some(Some(letter))) => Role::Remove(Name(*letter as u64)),
            _ => Role::Foreign("a queue has no size"),
        }
    }

    fn same_name(
        &self,
        _a: Mention<'_, Mail, Option<usize>>,
        _b: Mention<'_, Mail, Option<usize>>,
    ) -> bool {
        true // letters are their own names
    }
}

#[test]
fn an_ordinary_struct_gets_the_claims_of_its_shape() {
    let (mailbox, ops) = (Mailbox::default(), [Mail::Send(1), Mail::Send(2), Mail::Receive]);
    let claims = EffectiveClaims::of(&mailbox);
    assert!(claims.idle_unless_named(&Mail::Send(1)));
    assert_eq!(
        claims.leaves(&Mail::Send(1)).names(),
        claims.senses(&Mail::Receive, Some(&Some(1))).names()
    );
    check_claims(&mailbox, &ops, 1, 300).unwrap();
    let twice = [(Mail::Send(1), None), (Mail::Receive, Some(1)), (Mail::Receive, Some(1))];
    let history = concurrent(&twice);
    let ids: Vec<_> = history.ids().collect();
    assert_eq!(claims.refute(&PartView::new(&history, &ids)).unwrap().ops, ids[1..]);
}

#[test]
fn an_operation_of_another_kind_may_notice_everything() {
    let mailbox = Mailbox { has_size: true, ..Mailbox::default() };
    let ops = [Mail::Send(1), Mail::Send(2), Mail::Receive, Mail::Size];
    let claims = EffectiveClaims::of(&mailbox);
    assert!(!claims.idle_unless_named(&Mail::Send(1)));
    assert_eq!(claims.leaves(&Mail::Send(1)), Traces::Any);
    assert_eq!(claims.anonymous_kind(&Mail::Send(1)), None);
    check_claims(&mailbox, &ops, 1, 300).unwrap();
    // Saying that it is complete would be a lie, and it would be found out.
    let liar = Mailbox::default();
    let error = check_claims(&liar, &ops, 1, 300).unwrap_err();
    assert!(error.to_string().starts_with("is_complete: Size"), "{error}");
}
