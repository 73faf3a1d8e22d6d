//! Every kind of false shape is found.

use std::cmp::Ordering;

use super::check_claims;
use crate::spec::models::{
    CasRegister, CasRegisterOp, Counter, CounterOp, Deque, DequeOp, KeyValue, KeyValueOp, Mutex,
    MutexOp, Order, PriorityQueue, PriorityQueueOp, Queue, QueueOp, Semaphore, SemaphoreOp, Set,
    SetOp, Snapshot, SnapshotOp, Stack, StackOp,
};
use crate::spec::{Footprint, Mention, Name, Role, Run, Shape, Shaped, Spec};

#[derive(Clone, Copy)]
enum Lie {
    None,
    /// Of what kind the object is.
    Shape(Shape),
    /// This role is really that one.
    Role(fn(Role) -> Role),
    /// All values are one, and have one name.
    AllSame,
    /// Nothing is initial.
    NoInitial,
    /// All operations are of the shape.
    Complete,
    /// The role of a completed operation with an unknown result is really that one.
    Unknown(fn(Role) -> Role),
    /// What comes out first comes out last.
    Reversed,
    /// There are keys where there are none.
    Keys,
    /// A scan reveals nothing.
    Blind,
    /// Replaying finds this.
    Replay(Result<(), usize>),
}

/// The relation of another spec, and what it says about its shape, but for one lie.
struct Shapely<S>(S, Lie);

impl<S: Spec> Shapely<S> {
    fn honest(&self) -> &dyn Shaped<S::Op, S::Ret> {
        self.0.shaped().expect("a spec that has a shape")
    }
}

impl<S: Spec> Spec for Shapely<S> {
    type Op = S::Op;
    type Ret = S::Ret;
    type State = S::State;

    fn initial(&self) -> S::State {
        self.0.initial()
    }

    fn successors(
        &self,
        state: &S::State,
        op: &S::Op,
        ret: Option<&S::Ret>,
        next: &mut Vec<S::State>,
    ) {
        self.0.successors(state, op, ret, next);
    }

    fn outcomes(&self, state: &S::State, op: &S::Op, out: &mut Vec<(S::Ret, S::State)>) -> bool {
        self.0.outcomes(state, op, out)
    }

    fn fits(&self, op: &S::Op, exact: &S::Ret, recorded: &S::Ret) -> bool {
        self.0.fits(op, exact, recorded)
    }

    fn footprint(&self, op: &S::Op) -> Footprint {
        self.0.footprint(op)
    }

    fn shaped(&self) -> Option<&dyn Shaped<S::Op, S::Ret>> {
        Some(self)
    }

    fn replay(&self, run: Run<'_, '_, S::Op, S::Ret>) -> Option<Result<(), usize>> {
        match self.1 {
            Lie::Replay(result) => Some(result),
            _ => self.0.replay(run),
        }
    }
}

impl<S: Spec> Shaped<S::Op, S::Ret> for Shapely<S> {
    fn shape(&self) -> Shape {
        match self.1 {
            Lie::Shape(shape) => shape,
            _ => self.honest().shape(),
        }
    }

    fn is_complete(&self) -> bool {
        matches!(self.1, Lie::Complete) || self.honest().is_complete()
    }

    fn role(&self, op: &S::Op, ret: Option<&S::Ret>, pending: bool) -> Role {
        let role = self.honest().role(op, ret, pending);
        match (self.1, role) {
            (Lie::Unknown(turned), role) if ret.is_none() && !pending => turned(role),
            (Lie::Role(turned), role) => turned(role),
            (Lie::AllSame, Role::Write(_)) => Role::Write(Name(7)),
            (Lie::AllSame, Role::Read(_)) => Role::Read(Name(7)),
            _ => role,
        }
    }

    fn key(&self, op: &S::Op) -> Option<Name> {
        if matches!(self.1, Lie::Keys) { Some(Name::of(op)) } else { self.honest().key(op) }
    }

    fn same_name(&self, a: Mention<'_, S::Op, S::Ret>, b: Mention<'_, S::Op, S::Ret>) -> bool {
        matches!(self.1, Lie::AllSame) || self.honest().same_name(a, b)
    }

    fn is_initial(&self, mention: Mention<'_, S::Op, S::Ret>) -> bool {
        !matches!(self.1, Lie::NoInitial) && self.honest().is_initial(mention)
    }

    fn compare(&self, a: Mention<'_, S::Op, S::Ret>, b: Mention<'_, S::Op, S::Ret>) -> Ordering {
        let honest = self.honest().compare(a, b);
        if matches!(self.1, Lie::Reversed) { honest.reverse() } else { honest }
    }

    fn view(&self, ret: &S::Ret, names: &mut Vec<Option<Name>>) {
        self.honest().view(ret, names);
        if matches!(self.1, Lie::Blind) {
            names.clear();
        }
    }
}

/// What is said about a lie. Without it, all is well.
fn error<S: Spec>(spec: S, lie: Lie, ops: &[S::Op]) -> String {
    let mut liar = Shapely(spec, Lie::None);
    check_claims(&liar, ops, 3, 300).unwrap();
    liar.1 = lie;
    check_claims(&liar, ops, 3, 300).unwrap_err().to_string()
}

const REGISTER: CasRegister<u8> = CasRegister { initial: 0 };

fn register_ops() -> Vec<CasRegisterOp<u8>> {
    use CasRegisterOp::{Cas, Read, Write};
    vec![Read, Write(0), Write(1), Write(2), Cas(0, 1), Cas(1, 2)]
}

#[test]
fn a_stack_is_no_queue() {
    let ops = [StackOp::Push(1), StackOp::Push(2), StackOp::Pop];
    let said = error(Stack::new(), Lie::Shape(Shape::Queue), &ops);
    assert!(said.starts_with("shaped: ") && said.contains("Queue"), "{said}");
}

#[test]
fn the_ends_of_a_deque_are_told_apart() {
    use DequeOp::{PeekFront, PopBack, PopFront, PushBack, PushFront};
    let ops = [PushFront(1), PushBack(2), PushBack(3), PopFront, PopBack, PeekFront];
    let lies: [fn(Role) -> Role; 4] = [
        |role| if let Role::AddFront(name) = role { Role::Add(name) } else { role },
        |role| if let Role::RemoveFront(name) = role { Role::Remove(name) } else { role },
        |role| if let Role::PeekFront(name) = role { Role::Peek(name) } else { role },
        |role| if role == Role::TakeFront { Role::Take } else { role },
    ];
    for lie in lies {
        let said = error(Deque::new(), Lie::Role(lie), &ops);
        assert!(said.starts_with("shaped: ") && said.contains("Deque"), "{said}");
    }
}

#[test]
fn a_full_queue_is_found() {
    let ops = [QueueOp::Enqueue(1), QueueOp::Enqueue(2), QueueOp::Dequeue];
    let said = error(Queue::bounded(1), Lie::Shape(Shape::Queue), &ops);
    assert!(said.starts_with("shaped: "), "{said}");
    let larger = Lie::Shape(Shape::BoundedQueue { capacity: 2 });
    let said = error(Queue::bounded(1), larger, &ops);
    assert!(said.starts_with("shaped: "), "{said}");
}

#[test]
fn false_completeness_is_found() {
    let ops = [KeyValueOp::Get(1), KeyValueOp::Put(1, 5), KeyValueOp::Append(1, 2)];
    let said = error(KeyValue::new(None), Lie::Complete, &ops);
    assert!(said.starts_with("is_complete: Append(1, 2)"), "{said}");
    let ops = [KeyValueOp::Get(1), KeyValueOp::GetOrElseUpdate(1, 5)];
    let said = error(KeyValue::new(None), Lie::Complete, &ops);
    assert!(said.starts_with("is_complete: GetOrElseUpdate(1, 5) -> Value(Some(5))"), "{said}");
    // A release with an unknown result has waited for the lock to be held.
    let unknown = |role| if role == Role::Lower { Role::Foreign("unknown") } else { role };
    let ops = [MutexOp::Acquire(None), MutexOp::Release(None)];
    let said = error(Mutex { owner: false }, Lie::Unknown(unknown), &ops);
    assert!(said.starts_with("leaves/senses: Release"), "{said}");
}

#[test]
fn wrong_roles_are_found() {
    let ops = [SetOp::Insert(1), SetOp::Remove(1), SetOp::Contains(1), SetOp::Insert(2)];
    let turned = |role| if role == Role::IsUp { Role::Raise } else { role };
    assert!(error(Set::new(), Lie::Role(turned), &ops).starts_with("shaped: "));
    // A pending insert does something.
    let turned = |role| if role == Role::Raise { Role::Idle } else { role };
    assert!(error(Set::new(), Lie::Role(turned), &ops).starts_with("shaped: "));
    let turned = |role| match role {
        Role::Replace { to, .. } => Role::Write(to),
        role => role,
    };
    assert!(error(REGISTER, Lie::Role(turned), &register_ops()).starts_with("shaped: "));
    let ops = [CounterOp::Get, CounterOp::Add(1), CounterOp::FetchAdd(2)];
    let turned = |role| match role {
        Role::ShiftFrom { by, .. } => Role::Shift(by),
        role => role,
    };
    assert!(error(Counter::default(), Lie::Role(turned), &ops).starts_with("shaped: "));
    let ops = [SemaphoreOp::Release, SemaphoreOp::TryAcquire];
    let turned = |role| if role == Role::NoPermit { Role::Idle } else { role };
    assert!(error(Semaphore::default(), Lie::Role(turned), &ops).starts_with("shaped: "));
}

#[test]
fn wrong_initial_numbers_are_found() {
    let ops = [SemaphoreOp::Release, SemaphoreOp::TryAcquire];
    let lie = Lie::Shape(Shape::Semaphore { initial: 2 });
    assert!(error(Semaphore { initial: 1 }, lie, &ops).starts_with("shaped: "));
    let ops = [CounterOp::Get, CounterOp::Add(1)];
    let lie = Lie::Shape(Shape::Counter { initial: 1 });
    assert!(error(Counter::default(), lie, &ops).starts_with("shaped: "));
}

#[test]
fn wrong_names_are_found() {
    assert!(error(REGISTER, Lie::AllSame, &register_ops()).starts_with("shaped: "));
    assert!(error(REGISTER, Lie::NoInitial, &register_ops()).starts_with("shaped: "));
    use PriorityQueueOp::{Insert, Poll};
    let ops = [Insert(1), Insert(2), Poll];
    let spec = PriorityQueue::new(Order::Max);
    assert!(error(spec, Lie::Reversed, &ops).starts_with("shaped: "));
    let ops = [SnapshotOp::Update(0, 1), SnapshotOp::Update(1, 1), SnapshotOp::Scan];
    let spec = Snapshot { segments: 2, initial: 0 };
    assert!(error(spec, Lie::Blind, &ops).starts_with("shaped: "));
}

#[test]
fn wrong_keys_are_found() {
    let ops = [KeyValueOp::Get(1), KeyValueOp::Put(1, 5), KeyValueOp::Put(2, 5)];
    let said = error(KeyValue::new(None), Lie::Keys, &ops);
    assert!(said.contains("different keys"), "{said}");
}

#[test]
fn a_wrong_replay_is_found() {
    for result in [Ok(()), Err(0)] {
        let said = error(REGISTER, Lie::Replay(result), &register_ops());
        assert!(said.starts_with("replay: "), "{said}");
    }
}
