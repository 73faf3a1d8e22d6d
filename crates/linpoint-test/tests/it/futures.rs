//! Operations that are futures.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::task::{Poll, Waker};

use linpoint_test::prelude::*;
use linpoint_test::report::Files;
use linpoint_test::schedule::shuttle::Shuttle;
use linpoint_test::sync::{plain, shuttled};

#[derive(Default)]
struct Inside {
    messages: VecDeque<u64>,
    waiting: Vec<Waker>,
    is_closed: bool,
}

impl Inside {
    fn receive(&mut self) -> Option<ChannelRet<u64>> {
        let message = self.messages.pop_front().map(ChannelRet::Message);
        message.or_else(|| self.is_closed.then_some(ChannelRet::Closed))
    }
}

/// An unbounded channel with an asynchronous receive, for the locks of `$sync`.
macro_rules! async_channel {
    ($name:ident, $sync:ident) => {
        struct $name {
            inside: $sync::Mutex<Inside>,
            /// Looks, and registers its waker when the lock was released in between: a wake-up is lost.
            looks_first: bool,
        }

        impl $name {
            fn new(looks_first: bool) -> Self {
                $name { inside: $sync::Mutex::new(Inside::default()), looks_first }
            }

            fn change(&self, change: impl FnOnce(&mut Inside)) {
                let mut inside = self.inside.lock().unwrap();
                change(&mut inside);
                let waiting = std::mem::take(&mut inside.waiting);
                drop(inside);
                waiting.into_iter().for_each(Waker::wake);
            }

            async fn perform(&self, op: &ChannelOp<u64>) -> ChannelRet<u64> {
                match op {
                    ChannelOp::Send(v) => {
                        let mut ret = ChannelRet::Done;
                        self.change(|inside| match inside.is_closed {
                            true => ret = ChannelRet::Closed,
                            false => inside.messages.push_back(*v),
                        });
                        ret
                    }
                    ChannelOp::Recv => self.receive().await,
                    _ => {
                        self.change(|inside| inside.is_closed = true);
                        ChannelRet::Done
                    }
                }
            }

            async fn receive(&self) -> ChannelRet<u64> {
                poll_fn(|context| {
                    let mut inside = self.inside.lock().unwrap();
                    if let Some(ret) = inside.receive() {
                        return Poll::Ready(ret);
                    }
                    if self.looks_first {
                        drop(inside);
                        inside = self.inside.lock().unwrap();
                    }
                    inside.waiting.push(context.waker().clone());
                    Poll::Pending
                })
                .await
            }
        }
    };
}
async_channel!(Plain, plain);
async_channel!(Shuttled, shuttled);

fn draw(rng: &mut Rng) -> ChannelOp<u64> {
    match rng.below(9) {
        0 => ChannelOp::Close,
        1..5 => ChannelOp::Send(rng.fresh()),
        _ => ChannelOp::Recv,
    }
}

#[test]
fn futures_are_performed_on_threads() {
    let summary = Stress::new(|| Plain::new(false))
        .spec(Channel::unbounded())
        .ops(draw)
        .perform_async(async |channel, op| channel.perform(op).await)
        .unblock(|channel| channel.change(|inside| inside.is_closed = true))
        .runs(300)
        .files(Files::none())
        .run();
    assert_eq!(summary.runs, 300);
}

#[test]
fn a_lost_wake_up_of_a_future_is_found_under_a_scheduler() {
    let test = |looks_first| {
        Test::new(move || Shuttled::new(looks_first))
            .spec(Channel::unbounded())
            .ops_from([ChannelOp::Recv, ChannelOp::Send(1)])
            .perform_async(async |channel, op| channel.perform(op).await)
            .name("async channel")
            .shuttle(Shuttle::random().executions(200))
            .small_scope(2, 1)
            .files(Files::none())
    };
    let report = test(true).try_run().unwrap_err().to_string();
    assert!(report.contains("STUCK"), "{report}");
    assert!(report.contains("recv()"), "{report}");
    test(false).run();
}
