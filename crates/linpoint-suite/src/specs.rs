//! The suite's own specifications, for features that the bundled models do not have.
//!
//! Nondeterministic ones, with several states after one result, with and without enumerable
//! results; an ordinary struct as a user would write it; a blocking one; one with keys that some
//! operations join; one whose shape does not cover all its operations. Their values are small numbers: [`Value`].

use std::collections::VecDeque;

use linpoint::spec::{Footprint, Mention, Name, Role, Sequential, Shape, Shaped, Spec};

/// What is stored.
pub type Value = u8;

/// A register whose writes may get lost silently: one result, two successors.
#[derive(Clone, Debug)]
pub struct LossyRegister;

/// Operations of a [`LossyRegister`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum LossyOp {
    /// Returns the value.
    Read,
    /// Returns nothing.
    Write(Value),
}

impl Spec for LossyRegister {
    type Op = LossyOp;
    type Ret = Option<Value>;
    type State = Value;

    fn initial(&self) -> Value {
        0
    }

    fn successors(
        &self,
        s: &Value,
        op: &LossyOp,
        ret: Option<&Option<Value>>,
        next: &mut Vec<Value>,
    ) {
        let mut out = Vec::new();
        self.outcomes(s, op, &mut out);
        next.extend(out.into_iter().filter(|(r, _)| ret.is_none_or(|ret| ret == r)).map(|o| o.1));
    }

    fn outcomes(&self, s: &Value, op: &LossyOp, out: &mut Vec<(Option<Value>, Value)>) -> bool {
        match *op {
            LossyOp::Read => out.push((Some(*s), *s)),
            LossyOp::Write(v) if v == *s => out.push((None, v)),
            LossyOp::Write(v) => out.extend([(None, v), (None, *s)]),
        }
        true
    }

    fn is_read(&self, op: &LossyOp, _ret: Option<&Option<Value>>) -> bool {
        matches!(op, LossyOp::Read)
    }
}

/// A pool of values: taking returns any of them, or nothing if it is empty, or (so that a result
/// can leave the state open) discards one unseen.
#[derive(Clone, Debug)]
pub struct Pool;

/// Operations of [`Pool`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum PoolOp {
    /// Adds a value; returns nothing.
    Put(Value),
    /// Removes any value and returns it, or nothing if there is none.
    Take,
    /// Removes any value, if there is one; returns nothing.
    Discard,
}

impl Spec for Pool {
    type Op = PoolOp;
    type Ret = Option<Value>;
    /// Sorted.
    type State = Vec<Value>;

    fn initial(&self) -> Vec<Value> {
        Vec::new()
    }

    fn successors(
        &self,
        state: &Vec<Value>,
        op: &PoolOp,
        ret: Option<&Option<Value>>,
        next: &mut Vec<Vec<Value>>,
    ) {
        let mut out = Vec::new();
        self.outcomes(state, op, &mut out);
        next.extend(out.into_iter().filter(|(r, _)| ret.is_none_or(|ret| ret == r)).map(|o| o.1));
    }

    fn outcomes(
        &self,
        state: &Vec<Value>,
        op: &PoolOp,
        out: &mut Vec<(Option<Value>, Vec<Value>)>,
    ) -> bool {
        if let PoolOp::Put(v) = op {
            let mut after = state.clone();
            after.insert(after.partition_point(|x| x < v), *v);
            out.push((None, after));
            return true;
        }
        if state.is_empty() {
            out.push((None, Vec::new()));
        }
        for i in 0..state.len() {
            // Equal values lead to equal states: list them once.
            if i > 0 && state[i] == state[i - 1] {
                continue;
            }
            let mut after = state.clone();
            let v = after.remove(i);
            out.push((if *op == PoolOp::Take { Some(v) } else { None }, after));
        }
        true
    }
}

/// A die that shows 0 at first. Rolling shows anything but the previous value, and returns nothing:
/// several successors for one result. It claims that results cannot be enumerated.
#[derive(Clone, Debug)]
pub struct Die;

/// Operations of a [`Die`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum DieOp {
    /// Returns nothing.
    Roll,
    /// Returns what the die shows.
    Look,
    /// Returns true if the die shows more than the given number, and then may roll off the table,
    /// which makes it show 0.
    Nudge(Value),
}

/// Results of a [`Die`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum DieRet {
    /// Of a roll.
    Rolled,
    /// Of a look.
    Shows(Value),
    /// Of a nudge.
    Nudged(bool),
}

impl Spec for Die {
    type Op = DieOp;
    type Ret = DieRet;
    type State = Value;

    fn initial(&self) -> Value {
        0
    }

    fn successors(&self, s: &Value, op: &DieOp, ret: Option<&DieRet>, next: &mut Vec<Value>) {
        let (result, after) = match op {
            DieOp::Roll => (DieRet::Rolled, (1..=3).filter(|v| v != s).collect()),
            DieOp::Look => (DieRet::Shows(*s), vec![*s]),
            DieOp::Nudge(v) if s > v => (DieRet::Nudged(true), vec![*s, 0]),
            DieOp::Nudge(_) => (DieRet::Nudged(false), vec![*s]),
        };
        if ret.is_none_or(|ret| *ret == result) {
            next.extend(after);
        }
    }

    /// Not a read if it returned true: then the die may have fallen.
    fn is_read(&self, op: &DieOp, ret: Option<&DieRet>) -> bool {
        match op {
            DieOp::Roll => false,
            DieOp::Look => true,
            DieOp::Nudge(_) => ret == Some(&DieRet::Nudged(false)),
        }
    }
}

/// A struct as a user would write it: a list of at most three values, without any claims.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct ShortList(Vec<Value>);

/// Operations of a [`ShortList`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum ListOp {
    /// Appends a value; returns the new length, or nothing if the list is full.
    Push(Value),
    /// Reverses the list; returns its length.
    Reverse,
    /// Removes the last value and returns it.
    Pop,
}

impl Sequential for ShortList {
    type Op = ListOp;
    type Ret = Option<Value>;

    fn apply(&mut self, op: &ListOp) -> Option<Value> {
        match op {
            ListOp::Push(_) if self.0.len() == 3 => return None,
            ListOp::Push(v) => self.0.push(*v),
            ListOp::Reverse => self.0.reverse(),
            ListOp::Pop => return self.0.pop(),
        }
        Some(self.0.len() as Value)
    }
}

/// A place for one value: putting waits until it is free, taking until it is not.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Slot(Option<Value>);

/// Operations of a [`Slot`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum SlotOp {
    /// Waits; returns nothing.
    Put(Value),
    /// Waits; returns the value.
    Take,
    /// Returns the value, if there is one; never waits.
    Peek,
}

impl Sequential for Slot {
    type Op = SlotOp;
    type Ret = Option<Value>;

    fn apply(&mut self, op: &SlotOp) -> Option<Value> {
        match op {
            SlotOp::Put(v) => {
                self.0 = Some(*v);
                None
            }
            SlotOp::Take => self.0.take(),
            SlotOp::Peek => self.0,
        }
    }

    fn enabled(&self, op: &SlotOp) -> bool {
        match op {
            SlotOp::Put(_) => self.0.is_none(),
            SlotOp::Take => self.0.is_some(),
            SlotOp::Peek => true,
        }
    }

    fn is_read(&self, op: &SlotOp, _ret: Option<&Option<Value>>) -> bool {
        matches!(op, SlotOp::Peek)
    }
}

/// Three cells that are independent except for the operation that joins two of them.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Cells([Value; 3]);

/// Operations of [`Cells`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum CellOp {
    /// Returns the value of a cell.
    Get(usize),
    /// Changes a cell; returns nothing.
    Set(usize, Value),
    /// Copies the first cell to the second; returns the overwritten value.
    Copy(usize, usize),
}

impl Sequential for Cells {
    type Op = CellOp;
    type Ret = Option<Value>;

    fn apply(&mut self, op: &CellOp) -> Option<Value> {
        match *op {
            CellOp::Get(i) => Some(self.0[i]),
            CellOp::Set(i, v) => {
                self.0[i] = v;
                None
            }
            CellOp::Copy(from, to) => {
                let before = self.0[to];
                self.0[to] = self.0[from];
                Some(before)
            }
        }
    }

    fn footprint(&self, op: &CellOp) -> Footprint {
        match *op {
            CellOp::Get(i) | CellOp::Set(i, _) => Footprint::key(&i),
            CellOp::Copy(from, to) => Footprint::keys([from, to]),
        }
    }

    fn is_read(&self, op: &CellOp, _ret: Option<&Option<Value>>) -> bool {
        matches!(op, CellOp::Get(_))
    }
}

/// A queue that can say how long it is. Its [shape](Shaped) is that of a queue and is not complete:
/// asking for the length notices every value.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Mailbox(VecDeque<Value>);

/// Operations of a [`Mailbox`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum MailOp {
    /// Returns nothing.
    Send(Value),
    /// Returns the oldest value, if there is one.
    Receive,
    /// Returns the number of values.
    Count,
}

impl Sequential for Mailbox {
    type Op = MailOp;
    type Ret = Option<Value>;

    fn apply(&mut self, op: &MailOp) -> Option<Value> {
        match op {
            MailOp::Send(v) => {
                self.0.push_back(*v);
                None
            }
            MailOp::Receive => self.0.pop_front(),
            MailOp::Count => Some(self.0.len() as Value),
        }
    }

    fn is_read(&self, op: &MailOp, _ret: Option<&Option<Value>>) -> bool {
        matches!(op, MailOp::Count)
    }

    fn shaped(&self) -> Option<&dyn Shaped<MailOp, Option<Value>>> {
        Some(self)
    }
}

impl Shaped<MailOp, Option<Value>> for Mailbox {
    fn shape(&self) -> Shape {
        Shape::Queue
    }

    fn role(&self, op: &MailOp, ret: Option<&Option<Value>>, _pending: bool) -> Role {
        match (op, ret) {
            (MailOp::Send(v), None | Some(None)) => Role::Add(Name::of(v)),
            (MailOp::Receive, None) => Role::Take,
            (MailOp::Receive, Some(None)) => Role::Empty,
            (MailOp::Receive, Some(Some(v))) => Role::Remove(Name::of(v)),
            _ => Role::Foreign("a queue has no length"),
        }
    }

    fn same_name(
        &self,
        a: Mention<'_, MailOp, Option<Value>>,
        b: Mention<'_, MailOp, Option<Value>>,
    ) -> bool {
        let value = |mention: Mention<'_, MailOp, Option<Value>>| match (mention.op, mention.ret) {
            (MailOp::Send(v), _) | (_, Some(Some(v))) => Some(*v),
            _ => None,
        };
        value(a) == value(b)
    }
}
