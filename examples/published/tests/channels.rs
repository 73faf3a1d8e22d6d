//! Channels.

use linpoint_test::prelude::*;
use linpoint_test::report::Files;
use published::{channel, draw_channel, perform_channel, release_channel};

#[test]
fn crossbeam_channel_unbounded() {
    channel(
        Channel::unbounded(),
        false,
        crossbeam_channel::unbounded,
        |ends, op| perform_channel!(crossbeam_channel, ends, op),
        |ends| release_channel!(ends),
    );
}

#[test]
fn crossbeam_channel_bounded() {
    channel(
        Channel::bounded(1),
        false,
        || crossbeam_channel::bounded(1),
        |ends, op| perform_channel!(crossbeam_channel, ends, op),
        |ends| release_channel!(ends),
    );
}

#[test]
fn crossbeam_channel_rendezvous() {
    channel(
        Channel::rendezvous(),
        false,
        || crossbeam_channel::bounded(0),
        |ends, op| perform_channel!(crossbeam_channel, ends, op),
        |ends| release_channel!(ends),
    );
}

#[test]
fn flume_unbounded() {
    channel(
        Channel::unbounded(),
        false,
        flume::unbounded,
        |ends, op| perform_channel!(flume, ends, op),
        |ends| release_channel!(ends),
    );
}

#[test]
fn flume_bounded() {
    channel(
        Channel::bounded(1),
        false,
        || flume::bounded(1),
        |ends, op| perform_channel!(flume, ends, op),
        |ends| release_channel!(ends),
    );
}

#[test]
fn flume_rendezvous() {
    channel(
        Channel::rendezvous(),
        false,
        || flume::bounded(0),
        |ends, op| perform_channel!(flume, ends, op),
        |ends| release_channel!(ends),
    );
}

#[test]
fn loole_bounded() {
    channel(
        Channel::bounded(1),
        false,
        || loole::bounded(1),
        |ends, op| perform_channel!(loole, ends, op),
        |ends| release_channel!(ends),
    );
}

#[test]
fn loole_rendezvous() {
    channel(
        Channel::rendezvous(),
        false,
        || loole::bounded(0),
        |ends, op| perform_channel!(loole, ends, op),
        |ends| release_channel!(ends),
    );
}

fn kanal(spec: Channel<u64>, make: fn() -> (kanal::Sender<u64>, kanal::Receiver<u64>)) {
    use linpoint_test::models::{ChannelOp::*, ChannelRet::*};
    let perform = |(sender, receiver): &(kanal::Sender<u64>, kanal::Receiver<u64>), op: &_| match op
    {
        Send(value) => sender.send(*value).map_or(Closed, |()| Done),
        TrySend(value) => match sender.try_send(*value) {
            Ok(true) => Done,
            Ok(false) => Full,
            Err(_) => Closed,
        },
        Recv => receiver.recv().map_or(Closed, Message),
        TryRecv => receiver.try_recv().map_or(Closed, |value| value.map_or(Empty, Message)),
        // It discards the messages.
        Close | Cancel => Bool(sender.close().is_ok()),
    };
    Stress::new(make)
        .spec(spec)
        .ops(|rng| match draw_channel(true)(rng) {
            Close => Cancel,
            op => op,
        })
        .perform(perform)
        .unblock(|(sender, _)| drop(sender.close()))
        .files(Files::none())
        .run();
}

#[test]
fn kanal_unbounded() {
    kanal(Channel::unbounded(), kanal::unbounded);
}

#[test]
fn kanal_bounded() {
    kanal(Channel::bounded(1), || kanal::bounded(1));
}

#[test]
fn kanal_rendezvous() {
    kanal(Channel::rendezvous(), || kanal::bounded(0));
}

fn async_channel(
    spec: Channel<u64>,
    make: fn() -> (async_channel::Sender<u64>, async_channel::Receiver<u64>),
) {
    use linpoint_test::models::{ChannelOp::*, ChannelRet::*};
    Stress::new(make)
        .spec(spec)
        .ops(draw_channel(true))
        .perform_async(async |(sender, receiver), op| match op {
            Send(value) => sender.send(*value).await.map_or(Closed, |()| Done),
            TrySend(value) => match sender.try_send(*value) {
                Ok(()) => Done,
                Err(async_channel::TrySendError::Full(_)) => Full,
                Err(_) => Closed,
            },
            Recv => receiver.recv().await.map_or(Closed, Message),
            TryRecv => match receiver.try_recv() {
                Ok(value) => Message(value),
                Err(async_channel::TryRecvError::Empty) => Empty,
                Err(_) => Closed,
            },
            Close | Cancel => Bool(sender.close()),
        })
        .unblock(|(sender, _)| drop(sender.close()))
        .files(Files::none())
        .run();
}

#[test]
fn async_channel_unbounded() {
    async_channel(Channel::unbounded(), async_channel::unbounded);
}

#[test]
fn async_channel_bounded_2() {
    async_channel(Channel::bounded(2), || async_channel::bounded(2));
}

#[test]
fn async_channel_bounded_1() {
    async_channel(Channel::bounded(1), || async_channel::bounded(1));
}
