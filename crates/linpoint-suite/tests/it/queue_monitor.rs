//! Histories that a queue checker once got wrong, ours or another. Each is compared with brute
//! force, including its order or contradiction.

use crate::common::queues::parse;
use linpoint_suite::small::check::Trial;
use linpoint_suite::small::objects::SmallQueue;

fn decide(text: &str) -> bool {
    Trial::new(SmallQueue).one(&parse(text)).expect("not refused")
}

#[test]
fn an_empty_history_and_single_operations() {
    assert!(decide(""));
    assert!(decide("enq1[1,2]"));
    assert!(decide("deqE[1,2]"));
    assert!(decide("deq?[1,..]"));
    assert!(decide("enq1[1,..]"));
    assert!(!decide("deq1[1,2]"));
    assert!(!decide("peek1[1,2]"));
}

#[test]
fn an_empty_result_at_the_end() {
    assert!(!decide("enq1[1,2] deqE[3,4]"));
    assert!(!decide("enq1[1,2] peekE[3,4]"));
}

#[test]
fn peeks_of_an_element_that_stays_and_of_one_that_goes() {
    assert!(decide("enq1[1,2] peek1[3,4]"));
    assert!(decide("enq1[1,2] peek1[3,4] deq1[5,6]"));
    assert!(!decide("enq1[0,1] enq2[2,3] peek2[4,5]"));
    assert!(!decide("enq1[0,1] deq2[2,5] enq2[3,4]"));
}

#[test]
fn empty_results_are_checked_after_pending_dequeues_are_assigned() {
    assert!(decide("enq1[4,7] deq?[4,..] deqE[11,16]"));
}

#[test]
fn the_first_pending_dequeues_are_used() {
    assert!(decide("enq0[0,1] peekE[1,2] deq?[0,..] deq?[2,..]"));
}

#[test]
fn the_element_enqueued_last_is_peeled_first_even_if_it_was_peeked_at() {
    assert!(decide("enq0[0,3] enq1[0,1] deqE[1,2] peek0[1,2] peek0[2,3] deq?[1,..]"));
    assert!(decide("enq5[0,1] enq3[0,4] deqE[1,3] deq?[2,..]"));
}

#[test]
fn peeling_from_the_front_would_assign_the_pending_dequeue_wrongly() {
    assert!(decide("enq1[0,1] enq2[0,1] enq3[0,1] peek3[0,1] deq1[1,2] peek1[1,2] deq?[0,..]"));
}

#[test]
fn three_elements_no_two_of_which_contradict_each_other() {
    let operations = [
        "enq3[0,2]",
        "enq2[1,12]",
        "enq1[4,18]",
        "deq1[6,20]",
        "peek2[10,13]",
        "deq3[14,28]",
        "deq2[22,26]",
    ];
    assert!(!decide(&operations.join(" ")));
    for value in ["1", "2", "3"] {
        let others: Vec<&str> = operations
            .into_iter()
            .filter(|o| !o.split('[').next().unwrap().ends_with(value))
            .collect();
        assert!(decide(&others.join(" ")));
    }
}

#[test]
fn a_completed_peek_with_an_unrecorded_result() {
    let history = parse("enq1[1,3] deq1[0,5] deqE[2,4] peek9[6,7]");
    let ids: Vec<_> = history.ids().collect();
    let history = history.derive(&ids, |id, row| {
        if id.index() == 3 {
            row.ret = None;
        }
    });
    assert_eq!(Trial::new(SmallQueue).one(&history), Some(true));
}

/// Lost elements make all dequeues part of the contradiction; others do not.
#[test]
fn contradictions_are_small() {
    let rows = |text: &str| {
        let mut trial = Trial::new(SmallQueue);
        assert_eq!(trial.one(&parse(text)), Some(false));
        trial.tally.contradiction_rows
    };
    let others = "enq7[20,21] deq7[22,23] enq8[24,25] deq8[26,27]";
    assert_eq!(rows(&format!("enq1[0,1] enq2[2,3] deq2[4,5] deq1[6,7] {others}")), 4);
    assert_eq!(rows(&format!("enq1[0,1] deqE[2,3] deq1[4,5] {others}")), 3);
    assert_eq!(rows(&format!("enq1[30,31] deqE[32,33] {others}")), 4);
    assert_eq!(rows(&format!("enq1[0,1] peek1[2,3] deqE[4,5] peek1[6,7] {others}")), 3);
}
