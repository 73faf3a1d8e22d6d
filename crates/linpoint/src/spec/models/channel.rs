//! A channel, initially open and empty: unbounded, bounded, or a rendezvous.
//!
//! Send adds a message at the back and gives [`ChannelRet::Done`]; it waits while the channel is full. Receive removes the
//! message at the front; it waits while the channel is empty and open. The `try` operations give
//! [`ChannelRet::Full`] and [`ChannelRet::Empty`] instead of waiting. There are two ways to close a channel. After
//! [`ChannelOp::Close`], sends give [`ChannelRet::Closed`], and receives do so when all messages have been received: this
//! is what dropping the last sender does. [`ChannelOp::Cancel`] also discards all messages: this is what dropping the
//! last receiver does. Both say whether the channel was open ([`ChannelRet::Bool`]), or nothing
//! ([`ChannelRet::Done`]).
//!
//! # Rendezvous
//!
//! In a channel without room, a send and a receive take effect together. A specification performs one operation after
//! the other, so here the *receive* comes first: it takes a message that is owed to the channel, and the next operation
//! must be the send of that message. Every correct history has such an order, because the two overlap. A send that
//! returns before its message is received has none: that is an error that real channels make. The opposite, a receive
//! that returns a message before the send was called, has an order, but no program can do that. If the last receive of a history
//! takes a message that was never sent, nothing comes after it that could notice: end the test with a close
//! (`finally` in `linpoint-test`). A `try_send` may always find no receiver and a `try_recv` no sender, because a history
//! does not say when an operation began to wait. Messages of different senders have no order.
//!
//! Pending: a send may add its message at any time after its call at which there is room, or never. A receive may remove the message at
//! the front at any time after its call, or do nothing. The channel may be closed at any time after the call, or
//! never.

mod shaped;
mod wire;

use std::collections::VecDeque;

use super::persistent::Fifo;
use super::{Value, deterministic, replay, show_elements};
use crate::spec::{Claims, Run, Shaped, Spec};
use crate::wire::ToWire;

/// A channel.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Channel<V> {
    /// The largest number of messages, if there is one. A rendezvous has none.
    pub capacity: Option<usize>,
    values: std::marker::PhantomData<fn() -> V>,
}

impl<V> Channel<V> {
    /// A channel without a bound: no send waits.
    pub fn unbounded() -> Self {
        Channel { capacity: None, values: std::marker::PhantomData }
    }

    /// A channel of at most `capacity` messages. With capacity 0, it is a [rendezvous](Channel::rendezvous).
    pub fn bounded(capacity: usize) -> Self {
        Channel { capacity: Some(capacity), ..Channel::unbounded() }
    }

    /// A channel without room: a send waits until its message is received.
    pub fn rendezvous() -> Self {
        Channel::bounded(0)
    }

    fn is_rendezvous(&self) -> bool {
        self.capacity == Some(0)
    }
}

/// Operations of a [`Channel`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum ChannelOp<V> {
    /// Waits for room. Gives [`ChannelRet::Done`] or [`ChannelRet::Closed`].
    Send(V),
    /// Gives [`ChannelRet::Done`], [`ChannelRet::Full`] or [`ChannelRet::Closed`].
    TrySend(V),
    /// Waits for a message. Gives [`ChannelRet::Message`] or [`ChannelRet::Closed`].
    Recv,
    /// Gives [`ChannelRet::Message`], [`ChannelRet::Empty`] or [`ChannelRet::Closed`].
    TryRecv,
    /// No more messages are sent; those in the channel can be received. Gives [`ChannelRet::Bool`] or
    /// [`ChannelRet::Done`].
    Close,
    /// Closes the channel and discards the messages in it. Gives [`ChannelRet::Bool`] or [`ChannelRet::Done`].
    Cancel,
}

/// Results of a [`Channel`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum ChannelRet<V> {
    /// The message was sent; or the channel is closed, and it is not known whether it was before.
    Done,
    /// There is no room.
    Full,
    /// There is no message.
    Empty,
    /// The channel is closed, and there is no message to receive.
    Closed,
    /// The message that was received.
    Message(V),
    /// Whether the channel was open before it was closed.
    Bool(bool),
}

use ChannelOp::{Cancel, Close, Recv, Send, TryRecv, TrySend};
use ChannelRet::{Bool, Closed, Done, Empty, Full, Message};

/// The state of a [`Channel`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ChannelState<V: PartialEq> {
    messages: Fifo<V>,
    is_closed: bool,
    /// What the next operation must send, in a rendezvous.
    owed: Owed<V>,
}

/// A message that was received and has yet to be sent.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Owed<V> {
    None,
    This(V),
    /// It is not known which one was received.
    Any,
}

type State<V> = ChannelState<V>;

impl<V: Value> Channel<V> {
    fn is_full(&self, state: &State<V>) -> bool {
        self.capacity.is_some_and(|c| state.messages.len() >= c)
    }

    /// One step of a channel with room for messages; `None` if the operation waits.
    fn step(&self, state: &State<V>, op: &ChannelOp<V>) -> Option<(ChannelRet<V>, State<V>)> {
        let with = |messages| State { messages, ..state.clone() };
        Some(match op {
            Send(_) | TrySend(_) if state.is_closed => (Closed, state.clone()),
            Send(_) if self.is_full(state) => return None,
            TrySend(_) if self.is_full(state) => (Full, state.clone()),
            Send(v) | TrySend(v) => (Done, with(state.messages.push(v.clone()))),
            Recv | TryRecv => match state.messages.pop() {
                Some((v, rest)) => (Message(v), with(rest)),
                None if state.is_closed => (Closed, state.clone()),
                None if *op == Recv => return None,
                None => (Empty, state.clone()),
            },
            Close | Cancel => (Bool(!state.is_closed), state.closed(op)),
        })
    }

    /// Every state to which an operation of a rendezvous leads.
    fn meet(
        &self,
        state: &State<V>,
        op: &ChannelOp<V>,
        ret: Option<&ChannelRet<V>>,
        next: &mut Vec<State<V>>,
    ) {
        let may_be = |result: ChannelRet<V>| ret.is_none_or(|ret| *ret == result);
        if state.owed != Owed::None {
            let is_it = |v: &V| state.owed == Owed::Any || state.owed == Owed::This(v.clone());
            if let Send(v) | TrySend(v) = op
                && is_it(v)
                && may_be(Done)
            {
                next.push(State { owed: Owed::None, ..state.clone() });
            }
            return;
        }
        let stays = match op {
            Close | Cancel => return deterministic(self.step(state, op), ret, next),
            _ if state.is_closed => may_be(Closed),
            TrySend(_) => may_be(Full),
            TryRecv => may_be(Empty),
            Send(_) | Recv => false,
        };
        if stays {
            next.push(state.clone());
        }
        let owed = match ret {
            None => Owed::Any,
            Some(Message(v)) => Owed::This(v.clone()),
            Some(_) => return,
        };
        if matches!(op, Recv | TryRecv) && !state.is_closed {
            next.push(State { owed, ..state.clone() });
        }
    }
}

impl<V: Value> ChannelState<V> {
    /// The state after the channel was closed.
    fn closed(&self, how: &ChannelOp<V>) -> Self {
        let messages = if *how == Cancel { Fifo::new() } else { self.messages.clone() };
        State { messages, is_closed: true, ..self.clone() }
    }
}

/// True if the operation closed the channel and does not say whether it was open.
fn says_nothing<V: PartialEq>(op: &ChannelOp<V>, ret: &ChannelRet<V>) -> bool {
    matches!(op, Close | Cancel) && *ret == Done
}

impl<V: Value> Spec for Channel<V> {
    type Op = ChannelOp<V>;
    type Ret = ChannelRet<V>;
    type State = ChannelState<V>;

    fn initial(&self) -> Self::State {
        State { messages: Fifo::new(), is_closed: false, owed: Owed::None }
    }

    fn successors(
        &self,
        state: &Self::State,
        op: &Self::Op,
        ret: Option<&Self::Ret>,
        next: &mut Vec<Self::State>,
    ) {
        let ret = ret.filter(|ret| !says_nothing(op, ret));
        if self.is_rendezvous() {
            self.meet(state, op, ret, next);
        } else {
            deterministic(self.step(state, op), ret, next);
        }
    }

    /// What the receive of a rendezvous may return depends on what is sent after it.
    fn outcomes(
        &self,
        state: &Self::State,
        op: &Self::Op,
        out: &mut Vec<(Self::Ret, Self::State)>,
    ) -> bool {
        if self.is_rendezvous() {
            return false;
        }
        out.extend(self.step(state, op));
        true
    }

    fn fits(&self, op: &Self::Op, exact: &Self::Ret, recorded: &Self::Ret) -> bool {
        exact == recorded || (says_nothing(op, recorded) && matches!(exact, Bool(_)))
    }

    fn may_rest(&self, state: &Self::State, waiting: &[Self::Op]) -> bool {
        if self.is_rendezvous() {
            let sends = waiting.iter().filter(|op| matches!(op, Send(_))).count();
            let receives = waiting.iter().filter(|op| **op == Recv).count();
            let is_open = state.owed == Owed::None && !state.is_closed;
            let all_may_wait = sends + receives == waiting.len();
            return waiting.is_empty()
                || (is_open && all_may_wait && (sends == 0 || receives == 0));
        }
        waiting.iter().all(|op| self.step(state, op).is_none())
    }

    fn is_read(&self, op: &Self::Op, ret: Option<&Self::Ret>) -> bool {
        matches!((op, ret), (_, Some(Full | Empty | Closed)) | (Close, Some(Bool(false))))
    }

    fn shaped(&self) -> Option<&dyn Shaped<Self::Op, Self::Ret>> {
        (!self.is_rendezvous()).then_some(self)
    }

    fn claims(&self) -> Option<&dyn Claims<Self::Op, Self::Ret>> {
        (!self.is_rendezvous()).then_some(self)
    }

    fn replay(&self, run: Run<'_, '_, Self::Op, Self::Ret>) -> Option<Result<(), usize>> {
        if self.is_rendezvous() {
            return None;
        }
        let mut messages: VecDeque<&V> = VecDeque::new();
        let mut is_closed = false;
        replay(run, |op, ret| {
            let is_full = self.capacity.is_some_and(|c| messages.len() >= c);
            let got = match op {
                Send(_) | TrySend(_) if is_closed => Some(Closed),
                Send(_) | TrySend(_) if is_full => (!matches!(op, Send(_))).then_some(Full),
                Send(v) | TrySend(v) => {
                    messages.push_back(v);
                    Some(Done)
                }
                Recv | TryRecv => match messages.pop_front() {
                    Some(v) => Some(Message(v.clone())),
                    None if is_closed => Some(Closed),
                    None => (*op == TryRecv).then_some(Empty),
                },
                Close | Cancel => {
                    if *op == Cancel {
                        messages.clear();
                    }
                    Some(Bool(!std::mem::replace(&mut is_closed, true)))
                }
            };
            got.is_some_and(|got| ret.is_none_or(|ret| self.fits(op, &got, ret)))
        })
    }

    fn wire(&self) -> Option<&dyn ToWire<Self::Op, Self::Ret>> {
        Some(self)
    }

    fn describe_ret(&self, _op: &Self::Op, ret: &Self::Ret) -> String {
        match ret {
            Done => "ok".into(),
            Full => "full".into(),
            Empty => "empty".into(),
            Closed => "closed".into(),
            Message(v) => format!("{v:?}"),
            Bool(was_open) => was_open.to_string(),
        }
    }

    fn describe_state(&self, state: &Self::State) -> String {
        let messages = show_elements(state.messages.iter(), state.messages.len(), "front first");
        let owed = match &state.owed {
            Owed::None => String::new(),
            Owed::This(v) => format!(", {v:?} was received"),
            Owed::Any => ", something was received".into(),
        };
        format!("{messages}{owed}{}", if state.is_closed { ", closed" } else { "" })
    }

    /// States share their nodes, as those of a queue.
    fn state_bytes(&self, _state: &Self::State) -> usize {
        Fifo::<V>::bytes_of_version() + size_of::<Self::State>()
    }
}

#[cfg(test)]
mod tests;
