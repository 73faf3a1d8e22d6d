//! What happened beside the operations: faults that were injected, messages of servers, and the readings of a clock.
//!
//! Nothing here can change a verdict. Readers report what they find as [`Aside`]s; [`faults`] finds out how long each lasted.

use std::fmt;

use rustc_hash::FxHashMap;

use super::Color;
use crate::{RawError, Value};

/// A reading of a clock, which is not negative.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Reading {
    /// A whole number.
    Whole(u64),
    /// Any other number.
    Float(f64),
}

impl Reading {
    /// The reading with the precision of a floating-point number.
    pub fn as_float(self) -> f64 {
        match self {
            Reading::Whole(n) => n as f64,
            Reading::Float(x) => x,
        }
    }
}

impl fmt::Display for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reading::Whole(n) => n.fmt(f),
            Reading::Float(x) => write!(f, "{x:?}"),
        }
    }
}

/// The unit of a clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// 10⁻⁹ seconds.
    Nanoseconds,
    /// 10⁻⁶ seconds.
    Microseconds,
    /// 10⁻³ seconds.
    Milliseconds,
    /// Seconds.
    Seconds,
}

impl Unit {
    const ALL: [Unit; 4] =
        [Unit::Nanoseconds, Unit::Microseconds, Unit::Milliseconds, Unit::Seconds];

    /// Its name in files: `ns`, `us`, `ms`, `s`.
    pub fn name(self) -> &'static str {
        match self {
            Unit::Nanoseconds => "ns",
            Unit::Microseconds => "us",
            Unit::Milliseconds => "ms",
            Unit::Seconds => "s",
        }
    }

    /// The unit with this name.
    pub fn parse(name: &str) -> Option<Unit> {
        Unit::ALL.into_iter().find(|unit| unit.name() == name)
    }
}

/// A position among the events of a history.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Moment {
    /// The number of calls and ends before it. It has no meaning if operations have times: then the time says when it was.
    pub after: u64,
    /// The clock, if it is known.
    pub time: Option<Reading>,
}

/// Something that is not an operation, as a reader finds it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Aside {
    /// The line it is on.
    pub line: u32,
    /// The row in which it is drawn.
    pub lane: String,
    /// The client in whose lane it is drawn instead.
    pub process: Option<Value>,
    /// Its colour, if it has one of its own.
    pub color: Option<Color>,
    /// What it is called: `partition`, or a function of a nemesis.
    pub name: String,
    /// More about it.
    pub detail: Option<String>,
    /// What it means for the time after it.
    pub mark: Mark,
    /// The clock, if it is known.
    pub time: Option<Reading>,
}

/// What an [`Aside`] means for the time after it.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub enum Mark {
    /// A fault begins.
    Begins,
    /// The fault with this name ends.
    Ends,
    /// A fault with its end, which is `None` if it never ended.
    Lasts(Option<Reading>),
    /// Nothing: it is a single moment.
    #[default]
    Moment,
    /// By its name: `start-partition` begins a fault, and `stop-partition` ends it.
    Named,
}

/// A fault that was injected, or another event.
#[derive(Clone, PartialEq, Debug)]
pub struct Fault {
    /// The line on which it begins.
    pub line: u32,
    /// The row in which it is drawn: `nemesis`, `server 3`; the name of the client, if it is of one.
    pub lane: String,
    /// The client in whose lane it is drawn, where that is possible.
    pub process: Option<Value>,
    /// Its colour, if it has one of its own.
    pub color: Option<Color>,
    /// What it is called: `partition`.
    pub name: String,
    /// More about it: which nodes are cut off.
    pub detail: Option<String>,
    /// When it began.
    pub begin: Moment,
    /// When it was over.
    pub end: Lasting,
}

/// How long a [`Fault`] lasted.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Lasting {
    /// It was a single moment.
    Moment,
    /// Until then.
    Until(Moment),
    /// To the end of the history.
    ToTheEnd,
}

impl Fault {
    /// The name and the detail.
    pub fn text(&self) -> String {
        match &self.detail {
            Some(detail) => format!("{} {detail}", self.name),
            None => self.name.clone(),
        }
    }
}

/// Functions of Jepsen's nemeses that begin a fault, its name, and what ends it. `start-X` and `stop-X` are such a pair for
/// every X.
const PAIRS: &[(&str, &str, &[&str])] = &[
    ("start", "fault", &["stop"]),
    ("kill", "kill", &["start", "restart"]),
    ("pause", "pause", &["resume"]),
    ("partition", "partition", &["heal"]),
    ("isolate", "isolate", &["heal"]),
    ("bump-clock", "clock", &["reset-clock"]),
    ("strobe-clock", "clock", &["reset-clock"]),
    ("bump", "clock", &["reset"]),
    ("strobe", "clock", &["reset"]),
];

/// Functions that end every fault of their lane, if none of those that are open has an end of its own with this name.
const ENDS: &[&str] = &["stop", "heal", "recover", "restart", "resume", "repair"];

/// What a function of a nemesis begins: the name of the fault, and true if it lasts to the end of the history unless
/// something ends it.
fn begun_by(function: &str) -> (&str, bool) {
    if let Some(name) = function.strip_prefix("start-") {
        return (name, true);
    }
    match PAIRS.iter().find(|(begins, ..)| *begins == function) {
        Some((_, name, _)) => (name, true),
        None => (function, false),
    }
}

/// True if this function ends the faults that the other one has begun.
fn ends(function: &str, begun: &str) -> bool {
    match (function.strip_prefix("stop-"), begun.strip_prefix("start-")) {
        (Some(ended), Some(begun)) => ended == begun,
        _ => PAIRS.iter().any(|(begins, _, ends)| *begins == begun && ends.contains(&function)),
    }
}

/// The functions with which a nemesis begins and ends a fault of this name.
pub(crate) fn functions(name: &str) -> (String, String) {
    match PAIRS.iter().find(|(_, fault, _)| *fault == name) {
        Some((begins, _, ends)) => ((*begins).to_owned(), ends[0].to_owned()),
        None => (format!("start-{name}"), format!("stop-{name}")),
    }
}

/// A fault that has not ended yet.
struct Open {
    /// Its place in the list of faults.
    at: usize,
    /// The function that began it, if its name says what it is.
    function: Option<String>,
    /// The other events with its name.
    again: Vec<Fault>,
}

/// Joins the events that belong together to faults.
///
/// A nemesis reports each of its operations twice, when it begins and when it is done, with the same name: a fault lasts from
/// the first event of its name to the first one that ends it. Names that do not sound like a fault, and that nothing ends,
/// are single moments.
pub(super) fn faults(asides: Vec<(u64, Aside)>) -> Vec<Fault> {
    let mut all: Vec<Fault> = Vec::with_capacity(asides.len());
    let (mut open, mut done): (Vec<Open>, _) = Default::default();
    for (after, aside) in asides {
        let now = Moment { after, time: aside.time };
        match aside.mark {
            Mark::Begins => {
                open.push(Open { at: all.len(), function: None, again: Vec::new() });
                all.push(fault(aside, now, Lasting::ToTheEnd));
            }
            Mark::Ends => {
                let is_it = |open: &Open| {
                    open.function.is_none()
                        && (&all[open.at].lane, &all[open.at].name) == (&aside.lane, &aside.name)
                };
                if let Some(at) = open.iter().position(is_it) {
                    all[open.swap_remove(at).at].end = Lasting::Until(now);
                }
            }
            Mark::Lasts(Some(end)) if Some(end) == aside.time => {
                all.push(fault(aside, now, Lasting::Moment));
            }
            Mark::Lasts(Some(end)) => {
                let end = Moment { after, time: Some(end) };
                all.push(fault(aside, now, Lasting::Until(end)));
            }
            Mark::Lasts(None) => all.push(fault(aside, now, Lasting::ToTheEnd)),
            Mark::Moment => all.push(fault(aside, now, Lasting::Moment)),
            Mark::Named => named(aside, now, &mut all, &mut open, &mut done),
        }
    }
    // What nothing ended, and does not sound like a fault.
    for Open { at, function, again } in open {
        let is_moment = function.is_some_and(|function| !begun_by(&function).1);
        if is_moment {
            all[at].end = Lasting::Moment;
            all.extend(again);
        }
    }
    all.sort_by_key(|fault| fault.line);
    all
}

fn fault(aside: Aside, begin: Moment, end: Lasting) -> Fault {
    let Aside { line, lane, process, color, name, detail, .. } = aside;
    Fault { line, lane, process, color, name, detail, begin, end }
}

/// An event of a nemesis.
fn named(
    mut aside: Aside,
    now: Moment,
    all: &mut Vec<Fault>,
    open: &mut Vec<Open>,
    done: &mut FxHashMap<String, String>,
) {
    let in_lane = |fault: &Fault| fault.lane == aside.lane;
    let function = std::mem::take(&mut aside.name);
    let of = |open: &Open| open.function.clone().filter(|_| in_lane(&all[open.at]));
    let partners: Vec<bool> =
        open.iter().map(|open| of(open).is_some_and(|begun| ends(&function, &begun))).collect();
    let is_own = partners.contains(&true);
    let is_general = !is_own && ENDS.iter().any(|end| function.starts_with(end));
    let ended: Vec<bool> = match is_general {
        true => open.iter().map(|open| of(open).is_some()).collect(),
        false => partners,
    };
    if ended.contains(&true) {
        done.insert(aside.lane, function);
        let mut ended = ended.into_iter();
        open.retain(|open| {
            let is_over = ended.next().unwrap_or_default();
            if is_over {
                all[open.at].end = Lasting::Until(now);
            }
            !is_over
        });
        return;
    }
    let (name, _) = begun_by(&function);
    let mut new = fault(Aside { name: name.to_owned(), ..aside }, now, Lasting::ToTheEnd);
    // The operation that ended the last fault is done, or it ends a fault whose beginning was not recorded.
    let is_done = done.remove(&new.lane).as_ref() == Some(&function);
    if is_done || is_general || function.starts_with("stop-") {
        function.clone_into(&mut new.name);
        new.end = Lasting::Moment;
        all.push(new);
        return;
    }
    let known = open
        .iter_mut()
        .find(|open| open.function.as_ref() == Some(&function) && all[open.at].lane == new.lane);
    match known {
        Some(open) => {
            let first = &mut all[open.at];
            // Its outcome says more than what was asked for.
            if new.detail.is_some() && open.again.is_empty() {
                first.detail.clone_from(&new.detail);
            }
            new.end = Lasting::Moment;
            open.again.push(new);
        }
        None => {
            open.push(Open { at: all.len(), function: Some(function), again: Vec::new() });
            all.push(new);
        }
    }
}

/// The lanes and names of faults that are open, for readers that verify that each end belongs to one.
#[derive(Debug, Default)]
pub(super) struct OpenFaults(Vec<(String, String)>);

impl OpenFaults {
    /// Verifies the marks that state what they mean.
    pub(super) fn take(&mut self, aside: &Aside) -> Result<(), RawError> {
        let fault = || (aside.lane.clone(), aside.name.clone());
        match aside.mark {
            Mark::Begins => self.0.push(fault()),
            Mark::Ends => {
                let known = self.0.iter().position(|known| *known == fault());
                let known = known.ok_or_else(|| RawError::NoFault { name: aside.name.clone() })?;
                self.0.swap_remove(known);
            }
            _ => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Events of a nemesis, one after the other.
    fn nemesis(events: &[(&str, Option<&str>)]) -> Vec<String> {
        let aside = |(at, (name, detail)): (u64, &(&str, Option<&str>))| {
            let (lane, detail) = ("nemesis".to_owned(), detail.map(str::to_owned));
            let (line, time) = (at as u32, None);
            let (name, mark) = ((*name).to_owned(), Mark::Named);
            (at, Aside { line, lane, name, detail, mark, time, ..Aside::default() })
        };
        faults((1..).zip(events).map(aside).collect()).iter().map(shown).collect()
    }

    fn shown(fault: &Fault) -> String {
        let end = match fault.end {
            Lasting::Moment => String::new(),
            Lasting::Until(end) => format!("-{}", end.after),
            Lasting::ToTheEnd => "-".to_owned(),
        };
        format!("{} {}{end}", fault.text(), fault.begin.after)
    }

    #[test]
    fn a_nemesis_reports_each_operation_twice() {
        let events = [
            ("start", None),
            ("start", Some("isolated n1")),
            ("stop", None),
            ("stop", Some("fully connected")),
        ];
        assert_eq!(nemesis(&events), ["fault isolated n1 1-3", "stop fully connected 4"]);
    }

    #[test]
    fn faults_of_one_nemesis_overlap() {
        let events =
            ["start-partition", "kill", "stop-partition", "pause", "start", "start", "resume"];
        let events = events.map(|name| (name, None));
        assert_eq!(nemesis(&events), ["partition 1-3", "kill 2-5", "pause 4-7", "start 6"]);
    }

    #[test]
    fn an_end_that_belongs_to_none_ends_all() {
        let events = ["isolate", "kill", "check", "recover", "recover"].map(|name| (name, None));
        assert_eq!(nemesis(&events), ["isolate 1-4", "kill 2-4", "check 3-4", "recover 5"]);
    }

    #[test]
    fn only_what_sounds_like_a_fault_lasts_to_the_end() {
        let events = ["check", "check", "kill", "check"].map(|name| (name, None));
        assert_eq!(nemesis(&events), ["check 1", "check 2", "kill 3-", "check 4"]);
    }

    #[test]
    fn names_of_faults_are_functions_of_a_nemesis() {
        for function in ["start", "kill", "pause", "start-partition", "partition"] {
            let name = begun_by(function).0;
            let (begins, ended) = functions(name);
            assert_eq!(begun_by(&begins), (name, true));
            assert!(ends(&ended, &begins), "{ended} {begins}");
        }
    }

    #[test]
    fn marks_that_state_what_they_mean() {
        let aside = |after, name: &str, mark, time| {
            let (lane, name) = ("net".to_owned(), name.to_owned());
            (after, Aside { lane, name, mark, time, ..Aside::default() })
        };
        let time = |n| Some(Reading::Whole(n));
        let all = faults(vec![
            aside(1, "a", Mark::Begins, None),
            aside(2, "b", Mark::Begins, None),
            aside(3, "a", Mark::Ends, None),
            aside(4, "c", Mark::Moment, None),
            aside(0, "d", Mark::Lasts(time(9)), time(7)),
            aside(0, "e", Mark::Lasts(time(7)), time(7)),
            aside(0, "f", Mark::Lasts(None), time(7)),
        ]);
        let ends: Vec<Lasting> = all.iter().map(|fault| fault.end).collect();
        let until = |after, time| Lasting::Until(Moment { after, time });
        let (moment, never) = (Lasting::Moment, Lasting::ToTheEnd);
        assert_eq!(ends, [until(3, None), never, moment, until(0, time(9)), moment, never]);
    }
}
