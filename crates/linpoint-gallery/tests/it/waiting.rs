//! Operations that wait: legal where there is nothing to wait for, a fault where a wake-up was lost.

use linpoint_gallery::specs::{MailOp::*, MailSpec};
use linpoint_gallery::{loomed, shuttled};
use linpoint_test::Test;
use linpoint_test::execution::{Coverage, Runner};
use linpoint_test::judge::Fault;
use linpoint_test::scenario::Scenario;
use linpoint_test::schedule::loom::Loom;
use linpoint_test::schedule::shuttle::Shuttle;

macro_rules! mailbox {
    ($flavour:ident, $careful:expr) => {{
        use $flavour::structures::mailbox::Mailbox;
        Test::new(|| Mailbox::new($careful))
            .spec(MailSpec::default())
            .ops(|_| unreachable!("nothing is drawn"))
            .perform(Mailbox::perform)
    }};
}

fn scenario(
    threads: &[&[linpoint_gallery::specs::MailOp]],
) -> Scenario<linpoint_gallery::specs::MailOp> {
    let threads = threads.iter().map(|ops| ops.to_vec()).collect();
    Scenario { setup: vec![], threads, finally: vec![] }
}

#[test]
fn a_lost_wake_up_is_a_fault_under_shuttle() {
    let test = mailbox!(shuttled, false);
    for mut runner in [Shuttle::depth_first(), Shuttle::random(), Shuttle::pct(2)] {
        let attempt = runner.attempt(&test, &scenario(&[&[Send(1)], &[Receive]]));
        let failure = attempt.failure.expect("the message comes in the gap");
        let Fault::Stuck { waiting, lost } = &failure.fault else { panic!("{failure:?}") };
        assert_eq!((waiting.len(), lost.len()), (1, 1));
        assert_eq!(failure.execution.history.op(lost[0]), &Receive);
    }
}

#[test]
fn nobody_is_blamed_for_waiting_under_shuttle() {
    let test = mailbox!(shuttled, true);
    let mut runner = Shuttle::depth_first();
    let attempt = runner.attempt(&test, &scenario(&[&[Send(1)], &[Receive]]));
    assert!(attempt.failure.is_none(), "{attempt:?}");
    assert_eq!(attempt.coverage, Coverage::All);
    // Only one message comes: in every execution, the second receive waits for ever, and may.
    let attempt = runner.attempt(&test, &scenario(&[&[Receive, Receive], &[Send(1)]]));
    assert!(attempt.failure.is_none(), "{attempt:?}");
    assert_eq!(attempt.coverage, Coverage::All);
    assert!(attempt.executions > 10);
}

#[test]
fn a_lost_wake_up_is_a_fault_under_loom() {
    let test = mailbox!(loomed, false);
    let attempt = Loom::new().attempt(&test, &scenario(&[&[Send(1)], &[Receive]]));
    let failure = attempt.failure.expect("the message comes in the gap");
    assert!(matches!(failure.fault, Fault::Stuck { .. }), "{failure:?}");
}

#[test]
fn loom_says_that_it_cannot_go_on_after_a_legal_wait() {
    let test = mailbox!(loomed, true);
    let attempt = Loom::new().attempt(&test, &scenario(&[&[Send(1)], &[Receive]]));
    assert!(attempt.failure.is_none(), "{attempt:?}");
    assert_eq!(attempt.coverage, Coverage::All);
    let attempt = Loom::new().attempt(&test, &scenario(&[&[Send(1)], &[Receive, Receive]]));
    assert!(attempt.failure.is_none(), "{attempt:?}");
    let Coverage::Truncated(why) = attempt.coverage else { panic!("not everything was seen") };
    assert!(why.contains("ends in waiting"), "{why}");
}
