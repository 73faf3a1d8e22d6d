//! Operations that wait: legal if the mailbox is empty, a fault if a wake-up was lost.

use linpoint_gallery::specs::{MailOp::*, MailSpec};
use linpoint_gallery::{loomed, shuttled};
use linpoint_test::Test;
use linpoint_test::report::Fault;
use linpoint_test::research::{Coverage, Runner, Scenario, Truncation};
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
        let failure = attempt.failure.expect("the message arrives in the window");
        let Fault::Stuck { waiting, lost } = &failure.fault else { panic!("{failure:?}") };
        assert_eq!((waiting.len(), lost.len()), (1, 1));
        assert_eq!(failure.execution.history.op(lost[0]), &Receive);
    }
}

#[test]
fn a_legal_wait_is_no_failure_under_shuttle() {
    let test = mailbox!(shuttled, true);
    let mut runner = Shuttle::depth_first();
    let attempt = runner.attempt(&test, &scenario(&[&[Send(1)], &[Receive]]));
    assert!(attempt.failure.is_none(), "{attempt:?}");
    assert_eq!(attempt.coverage, Coverage::All);
    // There is only one message: in every execution the second receive waits forever, legally.
    let attempt = runner.attempt(&test, &scenario(&[&[Receive, Receive], &[Send(1)]]));
    assert!(attempt.failure.is_none(), "{attempt:?}");
    assert_eq!(attempt.coverage, Coverage::All);
    assert!(attempt.executions > 10);
}

#[test]
fn a_lost_wake_up_is_a_fault_under_loom() {
    let test = mailbox!(loomed, false);
    let attempt = Loom::new().attempt(&test, &scenario(&[&[Send(1)], &[Receive]]));
    let failure = attempt.failure.expect("the message arrives in the window");
    assert!(matches!(failure.fault, Fault::Stuck { .. }), "{failure:?}");
}

#[test]
fn a_legal_wait_truncates_the_exploration_under_loom() {
    let test = mailbox!(loomed, true);
    let attempt = Loom::new().attempt(&test, &scenario(&[&[Send(1)], &[Receive]]));
    assert!(attempt.failure.is_none(), "{attempt:?}");
    assert_eq!(attempt.coverage, Coverage::All);
    let attempt = Loom::new().attempt(&test, &scenario(&[&[Send(1)], &[Receive, Receive]]));
    assert!(attempt.failure.is_none(), "{attempt:?}");
    assert_eq!(attempt.coverage, Coverage::Truncated(Truncation::Wait));
}
