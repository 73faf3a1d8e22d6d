//! A channel in the words of the monitors: a queue, as long as it is not closed.

use super::{Channel, ChannelOp, ChannelRet};
use crate::spec::models::Value;
use crate::spec::{
    Claims, Derived, Mention, Name, PartView, Refutation, Returned, Role, Shape, Shaped,
};

use ChannelOp::{Cancel, Close, Recv, Send, TryRecv, TrySend};
use ChannelRet::{Closed, Done, Empty, Full, Message};

/// The message that an operation sends, or receives.
fn message<'a, V>(mention: Mention<'a, ChannelOp<V>, ChannelRet<V>>) -> Option<&'a V> {
    match (mention.op, mention.ret) {
        (Send(v) | TrySend(v), _) | (_, Some(Message(v))) => Some(v),
        _ => None,
    }
}

impl<V: Value> Shaped<ChannelOp<V>, ChannelRet<V>> for Channel<V> {
    fn shape(&self) -> Shape {
        self.capacity.map_or(Shape::Queue, |capacity| Shape::BoundedQueue { capacity })
    }

    /// Where a role is not foreign, the channel is open: a sequence that closes it has an operation that is.
    fn role(&self, op: &ChannelOp<V>, ret: Option<&ChannelRet<V>>, pending: bool) -> Role {
        match (op, ret) {
            (Close | Cancel, _) | (_, Some(Closed)) => Role::Foreign("the channel is closed"),
            // A send that waited has found room.
            (Send(v), None | Some(Done)) | (TrySend(v), Some(Done)) => Role::Add(Name::of(v)),
            (TrySend(v), None) if pending || self.capacity.is_none() => Role::Add(Name::of(v)),
            (TrySend(_), None) => {
                Role::Foreign("it is not known whether a completed try_send found the channel full")
            }
            (TrySend(_), Some(Full)) => Role::Full,
            (Recv | TryRecv, Some(Message(v))) => Role::Remove(Name::of(v)),
            (TryRecv, None) => Role::Take,
            // A pending one removes a message, or might as well not have happened.
            (Recv, None) if pending => Role::Take,
            (Recv, None) => Role::Foreign("it is not known what a completed recv received"),
            (TryRecv, Some(Empty)) => Role::Empty,
            _ => Role::Foreign("an operation has a result of another kind"),
        }
    }

    fn same_name(
        &self,
        a: Mention<'_, ChannelOp<V>, ChannelRet<V>>,
        b: Mention<'_, ChannelOp<V>, ChannelRet<V>>,
    ) -> bool {
        message(a) == message(b)
    }
}

/// What a channel does with messages, closed or not: sends provide them, receives take them. Other operations are left out, and
/// so is whether a receive that does not say what it received took anything. It is only for refutations, which do not depend on
/// more.
struct Messages;

impl<V: Value> Shaped<ChannelOp<V>, ChannelRet<V>> for Messages {
    fn shape(&self) -> Shape {
        Shape::Queue
    }

    fn is_complete(&self) -> bool {
        true
    }

    fn role(&self, op: &ChannelOp<V>, ret: Option<&ChannelRet<V>>, _pending: bool) -> Role {
        match (op, ret) {
            (Send(v) | TrySend(v), None | Some(Done)) => Role::Add(Name::of(v)),
            (Recv | TryRecv, Some(Message(v))) => Role::Remove(Name::of(v)),
            (Recv | TryRecv, None) => Role::Take,
            _ => Role::Idle,
        }
    }

    fn same_name(
        &self,
        a: Mention<'_, ChannelOp<V>, ChannelRet<V>>,
        b: Mention<'_, ChannelOp<V>, ChannelRet<V>>,
    ) -> bool {
        message(a) == message(b)
    }
}

/// The guesses of a queue. A close senses and ends everything, so nothing is claimed about what operations leave.
impl<V: Value> Claims<ChannelOp<V>, ChannelRet<V>> for Channel<V> {
    fn refute(&self, part: &PartView<'_, ChannelOp<V>, ChannelRet<V>>) -> Option<Refutation> {
        Derived::of_shape(&Messages, self).refute(part)
    }

    fn guide(&self, part: &PartView<'_, ChannelOp<V>, ChannelRet<V>>) -> Option<Vec<u64>> {
        Derived::of(self)?.guide(part)
    }

    fn likely_order(&self, run: &[Returned<'_, ChannelOp<V>, ChannelRet<V>>]) -> Option<Vec<u32>> {
        Derived::of(self)?.likely_order(run)
    }
}
