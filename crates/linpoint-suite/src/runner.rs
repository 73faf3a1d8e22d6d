//! Runs candidates on histories and compares the answers with the oracle.

use std::collections::BTreeSet;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use linpoint::Hints;
use linpoint::history::{History, OpId};
use linpoint::spec::Spec;
use linpoint::verdict::ViolationKind;

use crate::draft::Draft;
use crate::oracle::{Oracle, called_by, prefix, relax_outside};
use crate::replay::replay;
use crate::shrink::shrink;

/// A history, and how to use its hints.
pub struct Case<S: Spec> {
    /// The history.
    pub history: History<S::Op, S::Ret>,
    /// How to use its hints.
    pub hints: Hints,
    /// Number of events that shared a clock reading.
    pub ties: usize,
    /// The seed and index with which [`crate::generate::case`] draws it again.
    pub origin: Option<(u64, u64)>,
}

impl<S: Spec> Clone for Case<S> {
    fn clone(&self) -> Self {
        Case { history: self.history.clone(), ..*self }
    }
}

impl<S: Spec> Case<S> {
    /// A history without hints and without an origin.
    pub fn new(history: History<S::Op, S::Ret>) -> Self {
        Case { history, hints: Hints::Ignore, ties: 0, origin: None }
    }
}

/// A candidate's answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// Linearizable in this order.
    Yes(Vec<OpId>),
    /// Not linearizable.
    No(Refusal),
    /// A limit was hit.
    Undecided(String),
    /// No answer was possible. Always a disagreement.
    Error(String),
}

/// A candidate's statements about a violation. All of them are checked.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Refusal {
    /// Operations that contradict each other even if all others are relaxed.
    pub core: Option<Vec<OpId>>,
    /// The claim that relaxing any one operation of the core as well ends the contradiction.
    pub core_is_minimal: bool,
    /// The operation at whose return there was no linearization left.
    pub failing: Option<OpId>,
    /// The claim that it is the earliest such return of the part.
    pub failing_is_earliest: bool,
    /// The independent part of the history that `failing` belongs to; `None` for all of it.
    pub part: Option<Vec<OpId>>,
    /// Everything that `failing`, at its return, would have been allowed to return, as text.
    pub allowed: Option<Vec<String>>,
    /// Whether only the hints are violated.
    pub kind: Option<ViolationKind>,
}

/// Something that decides histories.
pub trait Candidate<S: Spec> {
    /// For reports.
    fn name(&self) -> String;
    /// Decides whether the history is linearizable. Hints bind only if they are asserted.
    fn decide(&self, spec: &S, history: &History<S::Op, S::Ret>, hints: Hints) -> Answer;
}

/// How much to check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Histories larger than this are not given to the oracle; the candidates are compared with
    /// each other.
    pub oracle_ops: usize,
    /// Histories larger than this are given to an oracle that remembers failures.
    pub plain_ops: usize,
    /// Confirm cores, failing returns and kinds, on histories the oracle can decide.
    pub evidence: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { oracle_ops: 12, plain_ops: 5, evidence: true }
    }
}

/// Counts of what was compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Histories.
    pub histories: u64,
    /// Linearizable ones.
    pub yes: u64,
    /// Others.
    pub no: u64,
    /// Histories that neither the oracle nor a candidate decided.
    pub open: u64,
    /// Histories with pending operations.
    pub pending: u64,
    /// Histories with completed operations of unknown result.
    pub unknown: u64,
    /// Histories in which events shared a clock reading.
    pub ties: u64,
    /// Histories with asserted hints.
    pub asserted: u64,
    /// Histories that the oracle decided.
    pub by_oracle: u64,
    /// Cores that were confirmed.
    pub cores: u64,
    /// Failing returns that were confirmed.
    pub failures: u64,
    /// Number of answers.
    pub answers: u64,
    /// Answers of candidates that hit a limit.
    pub undecided: u64,
}

impl Tally {
    /// The sum of two tallies.
    pub fn and(self, other: Tally) -> Tally {
        Tally {
            histories: self.histories + other.histories,
            yes: self.yes + other.yes,
            no: self.no + other.no,
            open: self.open + other.open,
            pending: self.pending + other.pending,
            unknown: self.unknown + other.unknown,
            ties: self.ties + other.ties,
            asserted: self.asserted + other.asserted,
            by_oracle: self.by_oracle + other.by_oracle,
            cores: self.cores + other.cores,
            failures: self.failures + other.failures,
            answers: self.answers + other.answers,
            undecided: self.undecided + other.undecided,
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} histories ({} yes, {} no, {} open; {} by the oracle), {} answers; {} pending, \
             {} unknown, {} ties, {} asserted hints; {} cores and {} failing returns confirmed; \
             {} undecided",
            self.histories,
            self.yes,
            self.no,
            self.open,
            self.by_oracle,
            self.answers,
            self.pending,
            self.unknown,
            self.ties,
            self.asserted,
            self.cores,
            self.failures,
            self.undecided
        )
    }
}

/// The way in which a candidate is wrong. Shrinking preserves it: a wrong verdict must not turn
/// into wrong evidence on the way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The wrong verdict.
    Verdict,
    /// A linearizable history with an order that is not legal.
    Witness,
    /// A violation with a false statement about it.
    Evidence,
    /// No answer, or a panic.
    Error,
}

/// The error of one candidate, by its index.
struct Complaint {
    candidate: usize,
    fault: Fault,
    text: String,
}

/// A candidate that is wrong about a history.
pub struct Disagreement<S: Spec> {
    /// The candidate.
    pub candidate: String,
    /// The way in which it is wrong.
    pub fault: Fault,
    /// What is wrong with its answer for the shrunk case.
    pub complaint: String,
    /// The history on which it was found, shrunk.
    pub shrunk: Case<S>,
    /// The history on which it was found.
    pub found: Case<S>,
}

impl<S: Spec> fmt::Display for Disagreement<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "// candidate {:?}: {}", self.candidate, self.complaint)?;
        if let Some((seed, index)) = self.found.origin {
            writeln!(f, "// shrunk from seed {seed:#x}, case {index}")?;
        }
        writeln!(f, "// hints: Hints::{:?}", self.shrunk.hints)?;
        write!(f, "{}", Draft::from(&self.shrunk.history))
    }
}

impl<S: Spec> fmt::Debug for Disagreement<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{self}\n")
    }
}

/// Compares all candidates on all cases, up to the first disagreement.
pub fn run<S: Spec>(
    spec: &S,
    cases: impl IntoIterator<Item = Case<S>>,
    candidates: &[&dyn Candidate<S>],
    options: Options,
) -> Result<Tally, Box<Disagreement<S>>> {
    run_in_turns(spec, cases, |_, asked| asked.extend(candidates), options)
}

/// Compares candidates on all cases, up to the first disagreement. `choose` pushes the candidates
/// for a case, given its number: not every candidate has to decide every case.
pub fn run_in_turns<'c, S: Spec + 'c>(
    spec: &S,
    cases: impl IntoIterator<Item = Case<S>>,
    mut choose: impl FnMut(u64, &mut Vec<&'c dyn Candidate<S>>),
    options: Options,
) -> Result<Tally, Box<Disagreement<S>>> {
    let mut tally = Tally::default();
    let mut candidates = Vec::new();
    for (index, case) in (0..).zip(cases) {
        candidates.clear();
        choose(index, &mut candidates);
        let candidates = &candidates[..];
        let Err(found) = compare(spec, &case, candidates, options, &mut tally) else { continue };
        // While shrinking, only the wrong candidate is run; without an oracle, also those before
        // it, which it contradicts: then any of them may turn out to be wrong.
        let first = if case.history.len() > options.oracle_ops { 0 } else { found.candidate };
        let asked = &candidates[first..=found.candidate];
        let again = |case: &Case<S>| {
            let complaint = compare(spec, case, asked, options, &mut Tally::default()).err();
            complaint.filter(|c| c.fault == found.fault)
        };
        let shrunk = shrink(&case, |smaller| again(smaller).is_some());
        let (fault, name) = (found.fault, candidates[found.candidate].name());
        let (candidate, complaint) = match again(&shrunk) {
            Some(c) => (asked[c.candidate].name(), c.text),
            None => (name, format!("not every time: {}", found.text)),
        };
        return Err(Box::new(Disagreement { candidate, fault, complaint, shrunk, found: case }));
    }
    Ok(tally)
}

/// Compares all candidates on one case; the error names the one that is wrong.
fn compare<S: Spec>(
    spec: &S,
    case: &Case<S>,
    candidates: &[&dyn Candidate<S>],
    options: Options,
    tally: &mut Tally,
) -> Result<(), Complaint> {
    let history = &case.history;
    tally.histories += 1;
    tally.pending += u64::from(history.ids().any(|id| history.span(id).is_pending()));
    tally.unknown += u64::from(
        history.ids().any(|id| !history.span(id).is_pending() && history.ret(id).is_none()),
    );
    tally.ties += u64::from(case.ties > 0);
    tally.asserted += u64::from(case.hints == Hints::Assert);
    let judge = (history.len() <= options.oracle_ops).then(|| Judge::new(spec, case, options));
    let mut truth = judge.as_ref().map(|judge| judge.oracle.linearizable(spec, history));
    tally.by_oracle += u64::from(truth.is_some());
    // Candidates often make the same statements about a violation: confirming them once is enough.
    let mut confirmed: Vec<Refusal> = Vec::new();
    for (i, candidate) in candidates.iter().enumerate() {
        let wrong = |fault, text: String| Err(Complaint { candidate: i, fault, text });
        tally.answers += 1;
        let says = match ask(*candidate, spec, case) {
            Answer::Error(e) => return wrong(Fault::Error, format!("error: {e}")),
            Answer::Undecided(_) => {
                tally.undecided += 1;
                continue;
            }
            Answer::Yes(order) => {
                // Replay first: a valid witness settles the verdict.
                if let Err(e) = replay(spec, history, case.hints, &order) {
                    let (fault, but) = match truth {
                        Some(false) => (Fault::Verdict, ", and there is none"),
                        _ => (Fault::Witness, ""),
                    };
                    let text = format!("says yes, but its witness {order:?} is wrong{but}: {e}");
                    return wrong(fault, text);
                }
                true
            }
            Answer::No(refusal) => {
                if truth == Some(true) {
                    return wrong(Fault::Verdict, "says no to a linearizable history".into());
                }
                if options.evidence
                    && let Some(judge) = &judge
                    && !confirmed.contains(&refusal)
                {
                    if let Err(e) = judge.confirm(&refusal, tally) {
                        return wrong(Fault::Evidence, e);
                    }
                    confirmed.push(refusal);
                }
                false
            }
        };
        match truth {
            Some(truth) if truth != says => {
                let [says, truth] = [says, truth].map(|b| if b { "yes" } else { "no" });
                return wrong(Fault::Verdict, format!("says {says}, where the answer is {truth}"));
            }
            _ => truth = Some(says),
        }
    }
    *match truth {
        Some(true) => &mut tally.yes,
        Some(false) => &mut tally.no,
        None => &mut tally.open,
    } += 1;
    Ok(())
}

/// A panic counts as an error, so that the case can still be reproduced.
fn ask<S: Spec>(candidate: &dyn Candidate<S>, spec: &S, case: &Case<S>) -> Answer {
    let decide = || candidate.decide(spec, &case.history, case.hints);
    catch_unwind(AssertUnwindSafe(decide)).unwrap_or_else(|panic| {
        let message = panic.downcast_ref::<String>().map(String::as_str);
        let message = message.or_else(|| panic.downcast_ref::<&str>().copied());
        Answer::Error(format!("it panicked: {}", message.unwrap_or("no message")))
    })
}

/// Confirms what candidates say about violations.
struct Judge<'a, S: Spec> {
    spec: &'a S,
    case: &'a Case<S>,
    oracle: Oracle,
}

impl<'a, S: Spec> Judge<'a, S> {
    fn new(spec: &'a S, case: &'a Case<S>, options: Options) -> Self {
        let oracle = Oracle::new()
            .assert_hints(case.hints == Hints::Assert)
            .remember_failures(case.history.len() > options.plain_ops);
        Judge { spec, case, oracle }
    }

    /// Checks every statement. If a history has no linearization even without its hints, the
    /// statements are about the history without them.
    fn confirm(&self, refusal: &Refusal, tally: &mut Tally) -> Result<(), String> {
        if refusal.kind == Some(ViolationKind::NotLinearizable) {
            let oracle = self.oracle.assert_hints(false);
            return Judge { oracle, ..*self }.confirm_under_hints(refusal, tally);
        }
        self.confirm_under_hints(refusal, tally)
    }

    fn confirm_under_hints(&self, refusal: &Refusal, tally: &mut Tally) -> Result<(), String> {
        if let Some(core) = &refusal.core {
            self.confirm_core(refusal, core)?;
            tally.cores += 1;
        }
        let history = &self.case.history;
        let part = refusal.part.clone().unwrap_or_else(|| history.ids().collect());
        let alone = history.derive(&part, |_, _| {});
        // A limit may have come before it was known.
        if let Some(kind) = refusal.kind.filter(|kind| *kind != ViolationKind::WithHints) {
            let binding = Oracle { assert_hints: false, ..self.oracle };
            let without_hints = binding.linearizable(self.spec, &alone);
            let expected = if without_hints {
                ViolationKind::HintBroken
            } else {
                ViolationKind::NotLinearizable
            };
            if kind != expected {
                return Err(format!("says the violation is {kind:?}, but it is {expected:?}"));
            }
        }
        let Some(failing) = refusal.failing else { return Ok(()) };
        let Some(local) = part.iter().position(|&id| id == failing) else {
            return Err(format!("says {failing} is failing, which is not in the part {part:?}"));
        };
        if history.span(failing).is_pending() {
            return Err(format!("says {failing} is failing, which never returned"));
        }
        if refusal.failing_is_earliest {
            let earliest = self.oracle.earliest_failure(self.spec, &alone);
            let expected = earliest.map(|id| part[id.index()]);
            if expected != Some(failing) {
                return Err(format!(
                    "says {failing} is the first failing return of {part:?}, but it is {expected:?}"
                ));
            }
        } else {
            let last = alone.span(OpId(local as u32)).ret;
            if self.oracle.linearizable(self.spec, &prefix(&alone, last)) {
                return Err(format!("says {failing} is failing, but there it was linearizable"));
            }
        }
        if let Some(allowed) = &refusal.allowed {
            self.confirm_allowed(&alone, OpId(local as u32), allowed)?;
        }
        tally.failures += 1;
        Ok(())
    }

    fn confirm_allowed(
        &self,
        alone: &History<S::Op, S::Ret>,
        failing: OpId,
        allowed: &[String],
    ) -> Result<(), String> {
        let last = alone.span(failing).ret;
        let called = called_by(alone, last);
        let local = called.iter().position(|&id| id == failing).expect("it was called");
        let (local, prefix) = (OpId(local as u32), prefix(alone, last));
        let Some(results) = self.oracle.allowed_results(self.spec, &prefix, local) else {
            return Err("says what would have been allowed, which the spec cannot tell".into());
        };
        let describe = |ret: &S::Ret| self.spec.describe_ret(alone.op(failing), ret);
        let expected: BTreeSet<String> = results.iter().map(describe).collect();
        if BTreeSet::from_iter(allowed.iter().cloned()) != expected {
            return Err(format!(
                "says {allowed:?} would have been allowed, but it is {expected:?}"
            ));
        }
        Ok(())
    }

    /// A core is about events up to the failing return, if one is named.
    fn confirm_core(&self, refusal: &Refusal, core: &[OpId]) -> Result<(), String> {
        let history = &self.case.history;
        let last = refusal.failing.map_or(u32::MAX - 1, |id| history.span(id).ret);
        let (called, cut) = (called_by(history, last), prefix(history, last));
        // Relaxed operations are many and concurrent with everything: too much for the plain
        // oracle.
        let oracle = self.oracle.remember_failures(true);
        let contradicts = |core: &[OpId]| {
            let place = |id: &OpId| called.iter().position(|c| c == id).map(|i| OpId(i as u32));
            let core: Vec<OpId> = core.iter().filter_map(place).collect();
            !oracle.linearizable(self.spec, &relax_outside(&cut, &core))
        };
        let minimal = refusal.core_is_minimal;
        if !contradicts(core) {
            return Err(format!("says no with the core {core:?}, which is no contradiction"));
        }
        for &id in core {
            let rest: Vec<OpId> = core.iter().copied().filter(|&other| other != id).collect();
            if minimal && contradicts(&rest) {
                return Err(format!("says the core {core:?} is minimal, but {id} is not needed"));
            }
        }
        Ok(())
    }
}
