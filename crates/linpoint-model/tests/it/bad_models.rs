//! Models that panic, spin, never end or do not fit: they give errors or hit limits, and nothing hangs.

use std::time::Duration;

use linpoint::spec::models::{Counter, CounterOp, CounterRet};
use linpoint::{Cancel, Limit, Limits, Sequential};
use linpoint_model::catalogue::{Asked, find};
use linpoint_model::{
    Bounds, Counts, Cx, Exploration, Flow, Interface, Model, ModelError, Order, Outcome, Settings,
    explore,
};

/// An object with one operation that always returns 0.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Nothing;

impl Sequential for Nothing {
    type Op = ();
    type Ret = u8;

    fn apply(&mut self, (): &()) -> u8 {
        0
    }
}

/// The behaviour of the only operation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Does {
    Panic,
    Spin,
    CountForEver,
    MergeForEver,
    Choose,
    ChooseMany,
    Overflow,
}

struct Bad(Does);

impl Model for Bad {
    type Spec = Nothing;
    const INTERFACE: Interface<Nothing> = Interface::new(|_, _| vec![()], |_, _, _| None);
    type Shared = u64;
    type Local = u8;

    fn spec(&self) -> &Nothing {
        &Nothing
    }

    fn initial(&self) -> u64 {
        0
    }

    fn step(&self, cx: &mut Cx, (): &(), mem: &mut u64, me: &mut u8) -> Flow<u8> {
        match self.0 {
            Does::Panic if cx.line == 1 => panic!("no such node"),
            Does::CountForEver => {
                *mem += 1;
                Flow::Goto(1)
            }
            Does::Choose => match cx.line {
                0 => {
                    *me = cx.choose(3) as u8 * 2 + cx.choose(2) as u8;
                    Flow::Goto(1)
                }
                _ => Flow::Return(u8::from(*me == 5)),
            },
            Does::ChooseMany => Flow::Return((cx.choose(300) > 400).into()),
            Does::Overflow => {
                *me = me.wrapping_sub(1);
                *me += 1;
                *me -= 1;
                Flow::Goto(1)
            }
            _ => Flow::Goto(1),
        }
    }

    fn is_mover(&self, _cx: &Cx, (): &(), _mem: &u64, _me: &u8) -> bool {
        self.0 == Does::MergeForEver
    }
}

fn explored(does: Does, settings: &Settings<'_>) -> Result<Exploration, ModelError> {
    explore(&Bad(does), &Bounds::Total { threads: 2, ops: 2 }, settings)
}

#[test]
fn panics_are_errors_that_name_the_line() {
    let error = explored(Does::Panic, &Settings::default()).unwrap_err();
    assert_eq!(error.to_string(), "the model panicked at line 1 of (): no such node");
    let error = explored(Does::Overflow, &Settings::default()).unwrap_err();
    assert!(error.to_string().contains("overflow"), "{error}");
}

#[test]
fn spin_loops_are_cycles_and_end() {
    let settings = Settings { order: Order::Depth, ..Settings::default() };
    let result = explored(Does::Spin, &settings).unwrap();
    assert!(matches!(result.outcome, Outcome::Clean));
    assert!(result.counts.cycles > 0);
    let result = explored(Does::Spin, &Settings::default()).unwrap();
    assert!(matches!(result.outcome, Outcome::Clean));
}

#[test]
fn endless_operations_hit_limits_and_keep_their_counts() {
    for order in Order::ALL {
        let limits = Limits { memory: Some(40 << 20), time: None };
        let result =
            explored(Does::CountForEver, &Settings { limits, order, ..Settings::default() })
                .unwrap();
        assert!(matches!(result.outcome, Outcome::Limit(Limit::Memory)), "{order:?}");
        // Full tables grow by half or double, so slightly more than the limit may be in use.
        let Counts { stored, bytes, .. } = result.counts;
        assert!(stored > 1000 && bytes <= 60 << 20, "{:?}", result.counts);
        let limits = Limits { memory: None, time: Some(Duration::from_millis(50)) };
        let result =
            explored(Does::CountForEver, &Settings { limits, order, ..Settings::default() })
                .unwrap();
        assert!(matches!(result.outcome, Outcome::Limit(Limit::Time)), "{order:?}");
    }
}

#[test]
fn endless_merged_steps_are_an_error() {
    let error = explored(Does::MergeForEver, &Settings::default()).unwrap_err();
    assert!(matches!(error, ModelError::EndlessMerge { .. }), "{error}");
}

#[test]
fn every_choice_is_explored() {
    let result = explored(Does::Choose, &Settings::default()).unwrap();
    let Outcome::Violation(violation) = result.outcome else { panic!("5 was not chosen") };
    assert_eq!(violation.operations[0].ret.as_deref(), Some("1"));
}

#[test]
fn too_many_choices_are_an_error() {
    let error = explored(Does::ChooseMany, &Settings::default()).unwrap_err();
    assert_eq!(error.to_string(), "a step has more than 256 outcomes");
}

#[test]
fn progress_is_reported_and_another_thread_can_cancel() {
    let cancel = Cancel::new();
    let progress = |progress: linpoint_model::Progress| {
        assert!(progress.states > 0 && progress.bytes > 0);
        cancel.cancel();
    };
    let settings =
        Settings { cancel: cancel.clone(), progress: Some(&progress), ..Settings::default() };
    let result = explored(Does::CountForEver, &settings).unwrap();
    assert!(matches!(result.outcome, Outcome::Limit(Limit::Cancelled)));
}

#[test]
fn invalid_bounds_programs_and_names_are_errors() {
    let stack = find("treiber").unwrap().0.model(2, None);
    let error = |asked: Asked| stack.explore(&asked, &Settings::default()).unwrap_err().to_string();
    let many = "between 1 and 10 threads can be explored";
    assert_eq!(error(Asked::Total { threads: 0, ops: 1 }), many);
    assert_eq!(error(Asked::PerThread { threads: 11, ops: 1 }), many);
    let program = |text: &str| error(Asked::Program(text.to_owned()));
    assert_eq!(
        program("push 1; peek | pop"),
        "\"peek\" is not an operation of this model; it has push(1), pop"
    );
    assert_eq!(program("push x"), "\"x\" in \"push x\" is not a number below 64");
    assert_eq!(program("push 1 2"), "\"2\" in \"push 1 2\" is one word too many");
    assert!(
        find("treibor").is_err() && find("treiber:2").is_err() && find("array-queue:9").is_err()
    );
}

/// A model with a specification of the library.
struct Atomic(Counter);

impl Model for Atomic {
    type Spec = Counter;
    const INTERFACE: Interface<Counter> =
        Interface::new(|_, _| vec![CounterOp::Add(1), CounterOp::Get], |_, _, _| None);
    type Shared = i64;
    type Local = i64;

    fn spec(&self) -> &Counter {
        &self.0
    }

    fn initial(&self) -> i64 {
        0
    }

    fn step(&self, cx: &mut Cx, op: &CounterOp, mem: &mut i64, me: &mut i64) -> Flow<CounterRet> {
        match (op, cx.line) {
            (CounterOp::Add(_), 0) => {
                *me = *mem;
                Flow::Goto(1)
            }
            (CounterOp::Add(n), _) => {
                *mem = *me + *n;
                Flow::Return(CounterRet::Done)
            }
            _ => Flow::Return(CounterRet::Value(*mem)),
        }
    }
}

#[test]
fn specifications_of_the_library_can_be_used() {
    let model = Atomic(Counter::default());
    let result =
        explore(&model, &Bounds::Total { threads: 2, ops: 3 }, &Settings::default()).unwrap();
    assert!(matches!(result.outcome, Outcome::Violation(_)));
}

/// A specification that panics.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Fragile;

impl Sequential for Fragile {
    type Op = ();
    type Ret = u8;

    fn apply(&mut self, (): &()) -> u8 {
        panic!("out of paper")
    }
}

struct OnPaper(Fragile);

impl Model for OnPaper {
    type Spec = Fragile;
    const INTERFACE: Interface<Fragile> = Interface::new(|_, _| vec![()], |_, _, _| None);
    type Shared = ();
    type Local = ();

    fn spec(&self) -> &Fragile {
        &self.0
    }

    fn initial(&self) {}

    fn step(&self, _cx: &mut Cx, (): &(), (): &mut (), (): &mut ()) -> Flow<u8> {
        Flow::Return(0)
    }
}

#[test]
fn panics_of_a_specification_are_errors() {
    let bounds = Bounds::Total { threads: 2, ops: 2 };
    let error = explore(&OnPaper(Fragile), &bounds, &Settings::default()).unwrap_err();
    assert!(error.to_string().ends_with("out of paper"), "{error}");
}
