//! Tests a model: random runs, what it claims, and how fast it is.

use std::time::{Duration, Instant};

use linpoint::spec::Spec;
use linpoint::spec::claims::check_claims;
use linpoint::wire::{Mismatch, NamedCall, Value};

use crate::model::{CustomModel, Failed};
use crate::op::CustomOp;
use crate::relation::{Arg, State};

/// What a test has found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TestReport {
    /// The operations that were tried, with different arguments.
    pub ops: Vec<String>,
    /// Operations that were performed.
    pub steps: u64,
    /// Different states that were met.
    pub states: usize,
    /// For each name: how often an operation of the name was performed, and how often it was not enabled.
    pub performed: Vec<(&'static str, u64, u64)>,
    /// The first claim that is false.
    pub false_claim: Option<String>,
    /// A question that was answered in two ways.
    pub differs: Option<String>,
    /// How long the steps took.
    pub time: Duration,
}

/// Values that places in operations are filled with.
const KEYS: [&str; 2] = ["k1", "k2"];
const VALUES: [i64; 3] = [1, 2, 3];
const AMOUNTS: [i64; 2] = [1, 2];
const PROCESSES: [u32; 2] = [0, 1];
/// More different operations are not tried.
const MOST_OPS: usize = 48;
/// Runs of the test of claims, and steps of each run.
const RUNS: usize = 60;
const STEPS: usize = 30;
/// How long to measure.
const PATIENCE: Duration = Duration::from_millis(300);

/// Tests a model with the operations that it says can be called.
///
/// # Errors
///
/// The model failed, or does not say what can be called.
pub fn test(model: &CustomModel, seed: u64) -> Result<TestReport, Failed> {
    let failed = || model.failure();
    let check = || failed().map_or(Ok(()), Err);
    let initial = model.initial();
    check()?;
    let mut random = Random(seed);
    let ops = operations(model, &initial, &mut random)?;
    check()?;
    if ops.is_empty() {
        return Err(Failed("the model does not say what can be called: define `ops`".to_owned()));
    }
    let mut report = TestReport {
        ops: ops.iter().map(|op| model.describe_op(op)).collect(),
        steps: 0,
        states: 0,
        performed: Vec::new(),
        false_claim: None,
        differs: None,
        time: Duration::ZERO,
    };
    walk(model, &ops, initial, &mut random, &mut report);
    check()?;
    if report.differs.is_none() {
        report.false_claim =
            check_claims(model, &ops, seed, RUNS).err().map(|claim| claim.to_string());
        check()?;
    }
    Ok(report)
}

/// Random walks. Some steps are performed twice.
fn walk(
    model: &CustomModel,
    ops: &[CustomOp],
    initial: State,
    random: &mut Random,
    report: &mut TestReport,
) {
    let mut states = std::collections::HashSet::from([initial.clone()]);
    let begin = Instant::now();
    while begin.elapsed() < PATIENCE && model.failure().is_none() {
        let mut state = initial.clone();
        for _ in 0..STEPS {
            let op = &ops[random.below(ops.len())];
            let mut out = Vec::new();
            model.outcomes(&state, op, &mut out);
            report.steps += 1;
            let at = report.performed.iter().position(|(name, ..)| *name == op.name);
            let at = at.unwrap_or_else(|| {
                report.performed.push((op.name, 0, 0));
                report.performed.len() - 1
            });
            let (_, done, waited) = &mut report.performed[at];
            *(if out.is_empty() { waited } else { done }) += 1;
            if random.below(8) == 0 {
                let mut again = Vec::new();
                model.relation().forget(&state, op);
                model.outcomes(&state, op, &mut again);
                report.steps += 1;
                if again != out {
                    let (op, state) = (model.describe_op(op), model.describe_state(&state));
                    report.differs = Some(format!("{op} in state {state}"));
                    return;
                }
            }
            if !out.is_empty() {
                state = out.swap_remove(random.below(out.len())).1;
                if states.len() < 100_000 {
                    states.insert(state.clone());
                }
            }
        }
    }
    report.time = begin.elapsed();
    report.states = states.len();
}

/// Operations with different arguments, from the states of a random walk.
fn operations(
    model: &CustomModel,
    initial: &State,
    random: &mut Random,
) -> Result<Vec<CustomOp>, Failed> {
    let mut ops: Vec<CustomOp> = Vec::new();
    let mut state = initial.clone();
    for step in 0..200 {
        let process = PROCESSES[step % PROCESSES.len()];
        let Some(templates) = model.templates(&state, process) else { break };
        // All, or some of many: the first ones are often alike.
        let few = templates.len().min(4);
        for at in 0..few {
            let at = if templates.len() > few { random.below(templates.len()) } else { at };
            let template = &templates[at];
            let fill = |arg: &Arg, random: &mut Random| match arg {
                Arg::Fixed(value) => value.clone(),
                Arg::Key => Value::str(KEYS[random.below(KEYS.len())]),
                Arg::Value => Value::Int(VALUES[random.below(VALUES.len())]),
                Arg::Amount => Value::Int(AMOUNTS[random.below(AMOUNTS.len())]),
                Arg::Process => Value::Int(process.into()),
            };
            let args: Vec<Value> = template.args.iter().map(|arg| fill(arg, random)).collect();
            let call = NamedCall { name: &template.name, args: &args, process: Some(process) };
            let wrong = |wrong: Mismatch| Failed(wrong.message(call.name, args.len()));
            let op = model.op(&call).map_err(wrong)?;
            if ops.len() < MOST_OPS && !ops.contains(&op) {
                ops.push(op);
            }
        }
        if ops.is_empty() {
            break;
        }
        let mut out = Vec::new();
        model.outcomes(&state, &ops[random.below(ops.len())], &mut out);
        if !out.is_empty() {
            state = out.swap_remove(random.below(out.len())).1;
        }
    }
    Ok(ops)
}

/// Random numbers that are the same for a seed.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n.max(1) as u64) as usize
    }
}
