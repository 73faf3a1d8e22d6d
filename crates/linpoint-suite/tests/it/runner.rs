//! The runner passes correct candidates and catches broken ones, with a readable reproduction.

use linpoint::history::{History, OpId, Row, Span};
use linpoint::spec::Spec;
use linpoint::spec::models::Register;
use linpoint::{Hints, verdict::ViolationKind};
use linpoint_suite::corpus;
use linpoint_suite::exhaustive::{Exhaustive, Shapes};
use linpoint_suite::generate::{Params, cases};
use linpoint_suite::oracle::Oracle;
use linpoint_suite::runner::{
    Answer, Candidate, Case, Disagreement, Fault, Options, Refusal, Tally, run,
};
use linpoint_suite::{CheckerCandidate, Draft, OracleCandidate};

/// The oracle, run on another history, or with its answer changed.
struct Broken<Q, A> {
    name: &'static str,
    question: Q,
    answer: A,
}

impl<S, Q, A> Candidate<S> for Broken<Q, A>
where
    S: Spec,
    Q: Fn(&History<S::Op, S::Ret>) -> (History<S::Op, S::Ret>, Vec<OpId>),
    A: Fn(&History<S::Op, S::Ret>, Answer) -> Answer,
{
    fn name(&self) -> String {
        self.name.into()
    }

    fn decide(&self, spec: &S, history: &History<S::Op, S::Ret>, hints: Hints) -> Answer {
        let (question, ids) = (self.question)(history);
        let oracle = Oracle::new().assert_hints(hints == Hints::Assert).remember_failures(true);
        let answer = match oracle.order(spec, &question) {
            Some(order) => Answer::Yes(order.into_iter().map(|id| ids[id.index()]).collect()),
            None => Answer::No(Refusal::default()),
        };
        (self.answer)(history, answer)
    }
}

const REGISTER: Register<u8> = Register { initial: 0 };

type Reg = Register<u8>;
type RegHistory = History<<Reg as Spec>::Op, <Reg as Spec>::Ret>;

fn same(history: &RegHistory) -> (RegHistory, Vec<OpId>) {
    (history.clone(), history.ids().collect())
}

fn honest(_: &RegHistory, answer: Answer) -> Answer {
    answer
}

/// Runs one broken candidate over random registers; it must be caught.
fn catch(candidate: &dyn Candidate<Reg>) -> Box<Disagreement<Reg>> {
    catch_with(candidate, Params::small())
}

fn catch_with(candidate: &dyn Candidate<Reg>, params: Params) -> Box<Disagreement<Reg>> {
    let vocabulary = corpus::register();
    let drawn = cases(&vocabulary, params, 21, 20_000);
    let found = run(&vocabulary.spec, drawn, &[candidate], Options::default());
    let disagreement = found.expect_err("a broken candidate must be caught");
    println!("{disagreement}");
    disagreement
}

#[test]
fn the_oracle_passes_with_all_its_evidence() {
    for vocabulary in corpus::all() {
        let honest = [OracleCandidate::default(), OracleCandidate { remember_failures: true }];
        let honest: Vec<&dyn Candidate<_>> = honest.iter().map(|c| c as _).collect();
        let params = Params { max_ops: 6, ..Params::small() };
        let drawn = cases(&vocabulary, params, 20, 500);
        let all =
            Exhaustive { max_ops: 2, pending: true, unknown: true, shapes: Shapes::Sequences };
        let listed = all.histories(&vocabulary).map(Case::new);
        let tally = run(&vocabulary.spec, drawn.chain(listed), &honest, Options::default());
        let tally = tally.expect("the oracle agrees with itself");
        println!("{}: {tally}", vocabulary.name);
        // Both make the same statements, which are confirmed once.
        assert_eq!(tally.histories, 500 + all.count(&vocabulary));
        assert_eq!((tally.yes + tally.no, tally.open, tally.undecided), (tally.histories, 0, 0));
        assert_eq!((tally.cores, tally.failures), (tally.no, tally.no));
        assert_eq!(tally.and(Tally::default()), tally);
    }
}

#[test]
fn ignoring_real_time_is_caught_and_shrunk() {
    let timeless = Broken {
        name: "timeless",
        question: |h: &RegHistory| {
            let ids: Vec<OpId> = h.ids().collect();
            let open = |span: Span| Span { call: 0, ret: span.ret.max(1_000) };
            (h.derive(&ids, |_, row| row.span = open(row.span)), ids)
        },
        // Its orders would give it away immediately: where a valid one exists, it gets that.
        answer: |h: &RegHistory, answer| match (Oracle::new().order(&REGISTER, h), answer) {
            (Some(order), Answer::Yes(_)) => Answer::Yes(order),
            (_, answer) => answer,
        },
    };
    // Without hints: that it breaks them as well would be noticed first.
    let caught = catch_with(&timeless, Params { hinted: 0.0, ..Params::small() });
    // A stale read, with one write or two, or a read from the future: one after the other.
    assert_eq!(caught.fault, Fault::Verdict, "{caught}");
    assert!((2..=3).contains(&caught.shrunk.history.len()), "{caught}");
    assert!(caught.to_string().contains("let history = Draft::new()\n    ."), "{caught}");
    let h = &caught.shrunk.history;
    assert!(h.ids().all(|id| h.extras(id) == linpoint::history::Extras::default()), "{caught}");
}

#[test]
fn dropping_pending_operations_is_caught_and_shrunk() {
    let caught = catch(&Broken {
        name: "forgetful",
        question: |h: &RegHistory| {
            let ids: Vec<OpId> = h.ids().filter(|&id| !h.span(id).is_pending()).collect();
            (h.derive(&ids, |_, _| {}), ids)
        },
        answer: honest,
    });
    // A pending write and the read that saw it.
    assert_eq!(caught.shrunk.history.len(), 2, "{caught}");
    assert!(caught.shrunk.history.ids().any(|id| caught.shrunk.history.span(id).is_pending()));
    assert_eq!(caught.complaint, "says no to a linearizable history");
}

#[test]
fn leaving_out_operations_of_unknown_result_is_caught() {
    let caught = catch(&Broken {
        name: "lenient",
        question: |h: &RegHistory| {
            let ids: Vec<OpId> = h.ids().collect();
            let leave_out = |_, row: &mut Row<_>| {
                if row.ret.is_none() {
                    row.span.ret = Span::NEVER;
                }
            };
            (h.derive(&ids, leave_out), ids)
        },
        answer: honest,
    });
    assert!(caught.shrunk.history.len() <= 2, "{caught}");
}

#[test]
fn false_evidence_is_caught() {
    let refuse = |refusal: fn(&RegHistory) -> Refusal| {
        catch(&Broken {
            name: "false witness",
            question: same,
            answer: move |h: &RegHistory, answer| match answer {
                Answer::No(_) => Answer::No(refusal(h)),
                other => other,
            },
        })
        .complaint
    };
    let empty_core = refuse(|_| Refusal { core: Some(vec![]), ..Refusal::default() });
    assert!(empty_core.contains("no contradiction"), "{empty_core}");
    let all = refuse(|h| Refusal {
        core: Some(h.ids().collect()),
        core_is_minimal: true,
        ..Refusal::default()
    });
    assert!(all.contains("is not needed"), "{all}");
    let first = refuse(|h| Refusal {
        failing: h.ids().filter(|&id| !h.span(id).is_pending()).min_by_key(|&id| h.span(id).ret),
        failing_is_earliest: true,
        ..Refusal::default()
    });
    assert!(first.contains("first failing return"), "{first}");
    let allowed = refuse(|h| Refusal {
        failing: Oracle::new().earliest_failure(&REGISTER, h),
        allowed: Some(vec!["anything".into()]),
        ..Refusal::default()
    });
    assert!(allowed.contains("would have been allowed, but it is {\""), "{allowed}");
    let hints = refuse(|_| Refusal { kind: Some(ViolationKind::HintBroken), ..Refusal::default() });
    assert!(hints.contains("NotLinearizable"), "{hints}");
}

#[test]
fn a_wrong_witness_is_caught_even_if_the_answer_is_right() {
    let caught = catch(&Broken {
        name: "backwards",
        question: same,
        answer: |_: &RegHistory, answer| match answer {
            Answer::Yes(order) => Answer::Yes(order.into_iter().rev().collect()),
            other => other,
        },
    });
    assert_eq!(caught.shrunk.history.len(), 2, "{caught}");
    let caught = catch(&Broken {
        name: "lazy",
        question: same,
        answer: |_: &RegHistory, answer| match answer {
            Answer::Yes(_) => Answer::Yes(vec![]),
            other => other,
        },
    });
    assert_eq!(caught.shrunk.history.len(), 1, "{caught}");
}

#[test]
fn panics_and_errors_are_caught_with_their_history() {
    let caught = catch(&Broken {
        name: "nervous",
        question: same,
        answer: |h: &RegHistory, answer| {
            assert!(h.len() < 3, "too many operations");
            answer
        },
    });
    assert_eq!(caught.shrunk.history.len(), 3);
    assert!(caught.complaint.contains("panicked: too many operations"), "{caught}");
}

#[test]
fn ignoring_asserted_hints_is_caught() {
    struct Deaf;
    impl Candidate<Reg> for Deaf {
        fn name(&self) -> String {
            "deaf".into()
        }
        fn decide(&self, spec: &Reg, history: &RegHistory, _: Hints) -> Answer {
            OracleCandidate { remember_failures: true }.decide(spec, history, Hints::Ignore)
        }
    }
    let caught = catch(&Deaf);
    assert_eq!(caught.shrunk.hints, Hints::Assert);
    // Two whose order is asserted, and perhaps one that keeps the witness from being empty.
    assert!((2..=3).contains(&caught.shrunk.history.len()), "{caught}");
}

#[test]
fn beyond_the_oracle_candidates_are_compared_with_each_other() {
    let vocabulary = corpus::register();
    let honest = OracleCandidate { remember_failures: true };
    let no_sayer = Broken {
        name: "no-sayer",
        question: same,
        answer: |h: &RegHistory, answer| {
            if h.len() > 6 { Answer::No(Refusal::default()) } else { answer }
        },
    };
    let options = Options { oracle_ops: 3, ..Options::default() };
    let drawn = || cases(&vocabulary, Params::small(), 22, 300);
    let tally = run(&vocabulary.spec, drawn(), &[&honest], options).unwrap();
    assert!(tally.by_oracle < tally.histories / 2 && tally.open == 0);
    let caught = run(&vocabulary.spec, drawn(), &[&honest, &no_sayer], options).unwrap_err();
    assert_eq!((caught.candidate.as_str(), caught.shrunk.history.len()), ("no-sayer", 7));
}

#[test]
fn an_erased_model_is_the_same_model() {
    let (plain, erased) = (corpus::queue(), corpus::queue().erase());
    let drawn = cases(&plain, Params::small(), 23, 2000);
    for (typed, hidden) in drawn.zip(cases(&erased, Params::small(), 23, 2000)) {
        let text = Draft::from(&typed.history).to_string();
        assert_eq!(text, Draft::from(&hidden.history).to_string());
        for checker in [CheckerCandidate::planned(), CheckerCandidate::engine("breadth")] {
            let answer = checker.decide(&plain.spec, &typed.history, typed.hints);
            let other = checker.decide(&erased.spec, &hidden.history, hidden.hints);
            assert_eq!(answer, other, "{text}");
        }
    }
}
