//! A channel in the words of the monitors: a queue, as long as it is not closed.

use super::{Channel, ChannelOp, ChannelRet};
use crate::spec::models::Value;
use crate::spec::{Mention, Name, Role, Shape, Shaped};

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
