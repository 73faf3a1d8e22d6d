//! From a tape of steps and a journal of events to an interleaving.

use linpoint::Spec;

use super::names::Names;
use super::{Interleaving, Moment, What};
use crate::schedule::journal::Event;
use crate::sync::watch::{Effect, Entry, Outcome, Step};

/// What differs between the schedulers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Scheduler {
    /// Memory is sequentially consistent, and it is known when a thread falls asleep.
    #[cfg_attr(not(feature = "shuttle"), allow(dead_code))]
    Shuttle,
    /// Loads may return old values, so orderings and all reads are shown.
    #[cfg_attr(not(feature = "loom"), allow(dead_code))]
    Loom,
}

/// A recorded execution.
pub(crate) struct Recording<Op, Ret> {
    pub scheduler: Scheduler,
    pub entries: Vec<Entry>,
    pub events: Vec<Event<Op, Ret>>,
    pub threads: u32,
}

impl<Op, Ret> Recording<Op, Ret> {
    /// The interleaving, with operations and results as the specification describes them.
    pub fn interleaving<S: Spec<Op = Op, Ret = Ret>>(self, spec: &S) -> Interleaving {
        let processes = self.processes();
        let steps = self.entries.iter().filter_map(|entry| match entry {
            Entry::Step(step) => Some(step),
            Entry::Event { .. } => None,
        });
        let names = Names::of(steps);
        let mut writer = Writer { scheduler: self.scheduler, names, asleep: Vec::new() };
        let mut open: Vec<(u32, &Op)> = Vec::new();
        let mut moments = Vec::new();
        let mut events = self.events.iter();
        for entry in &self.entries {
            match entry {
                Entry::Event { .. } => {
                    let Some(event) = events.next() else { break };
                    moments.push(happened(spec, event, &mut open));
                }
                Entry::Step(step) => {
                    let process = processes.of(step.thread);
                    let what = writer.step(step);
                    // The steps of destructors and of the threads before their first operation.
                    let outside = process <= self.threads && !open.iter().any(|o| o.0 == process);
                    if !outside {
                        moments.push(Moment { process, what });
                    }
                }
            }
        }
        let all_reads = self.scheduler == Scheduler::Loom;
        Interleaving { moments, all_reads, threads: self.threads, fewest: None }
    }

    /// Which process each thread of the scheduler is.
    fn processes(&self) -> Processes {
        let mut known: Vec<(u64, u32)> = Vec::new();
        let mut events = self.events.iter();
        for entry in &self.entries {
            if let Entry::Event { thread } = entry
                && let Some(event) = events.next()
                && !known.iter().any(|(id, _)| id == thread)
            {
                known.push((*thread, process_of(event)));
            }
        }
        let mut next = self.threads + 1;
        for entry in &self.entries {
            if let Entry::Step(step) = entry
                && !known.iter().any(|(id, _)| *id == step.thread)
            {
                known.push((step.thread, next));
                next += 1;
            }
        }
        Processes(known)
    }
}

struct Processes(Vec<(u64, u32)>);

impl Processes {
    fn of(&self, thread: u64) -> u32 {
        self.0.iter().find(|(id, _)| *id == thread).map_or(u32::MAX, |(_, process)| *process)
    }
}

fn process_of<Op, Ret>(event: &Event<Op, Ret>) -> u32 {
    match event {
        Event::Call(process, _) | Event::Return(process, _) | Event::Panic(process, _) => *process,
    }
}

fn happened<'a, S: Spec>(
    spec: &S,
    event: &'a Event<S::Op, S::Ret>,
    open: &mut Vec<(u32, &'a S::Op)>,
) -> Moment {
    let process = process_of(event);
    let called = open.iter().find(|(by, _)| *by == process).map(|(_, op)| *op);
    let what = match event {
        Event::Call(_, op) => What::Call(spec.describe_op(op)),
        Event::Return(_, ret) => What::Return(match called {
            Some(op) => spec.describe_ret(op, ret),
            None => format!("{ret:?}"),
        }),
        Event::Panic(_, message) => What::Panic(message.clone()),
    };
    open.retain(|(by, _)| *by != process);
    if let Event::Call(_, op) = event {
        open.push((process, op));
    }
    Moment { process, what }
}

struct Writer {
    scheduler: Scheduler,
    names: Names,
    /// The threads that sleep, and in which object.
    asleep: Vec<(u64, u32)>,
}

impl Writer {
    fn step(&mut self, step: &Step) -> What {
        let object = self.names.object(step.object);
        let dot = if object.is_empty() { "" } else { "." };
        let mut arguments: Vec<String> =
            step.arguments.iter().map(|value| self.names.value(value)).collect();
        if let (Scheduler::Loom, Some(order)) = (self.scheduler, step.order) {
            arguments.push(format!("{order:?}"));
        }
        let arguments = match arguments.is_empty() {
            true => String::new(),
            false => format!("({})", arguments.join(", ")),
        };
        let outcome = match &step.outcome {
            Outcome::Nothing => self.wakes(step).to_owned(),
            Outcome::Value(value) => format!(" → {}", self.names.value(value)),
            Outcome::Succeeded if step.name == "wait" => " → woken up".to_owned(),
            Outcome::Succeeded => " → ok".to_owned(),
            Outcome::Found(value) => format!(" → failed, found {}", self.names.value(value)),
            Outcome::WouldBlock => " → taken".to_owned(),
            Outcome::Sleeps => " sleeps".to_owned(),
        };
        self.asleep.retain(|(thread, _)| *thread != step.thread);
        if step.outcome == Outcome::Sleeps {
            self.asleep.push((step.thread, step.object));
        }
        let fruitless = matches!(step.outcome, Outcome::Found(_) | Outcome::WouldBlock);
        What::Step {
            text: format!("{object}{dot}{}{arguments}{outcome}", step.name),
            place: step.place.map(|place| (place.file().to_owned(), place.line())),
            writes: step.effect == Effect::Write && !fruitless,
        }
    }

    /// Whether a notification reaches a thread, if that is known.
    fn wakes(&self, step: &Step) -> &'static str {
        let notifies = step.name.starts_with("notify_");
        let heard = self.asleep.iter().any(|(_, object)| *object == step.object);
        match notifies && !heard && self.scheduler == Scheduler::Shuttle {
            true => " (no thread waits)",
            false => "",
        }
    }
}
