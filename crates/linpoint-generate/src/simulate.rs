//! Processes that use an object, one event at a time.

use linpoint_formats::write::{Call, Ending, Header, WriteError, Writer, Written, shown};
use linpoint_formats::{Format, Value};

use crate::fault::Fault;
use crate::objects::{Blocked, Object, Op, Recorded};
use crate::rng::Rng;
use crate::{Changed, Generated, Options};

/// Percentage of ambiguous operations that return an unknown result. The others never return.
const UNKNOWN_PERCENT: u64 = 25;
/// Percentage of lost operations that take effect. A quarter of these take effect later.
const EFFECTIVE_PERCENT: u64 = 60;
/// How fast the number of open operations is corrected.
const HASTE: f64 = 0.05;
/// Stop after this many failed attempts in a row: no process can continue.
const PATIENCE: u32 = 10_000;

/// An operation in progress.
struct Open {
    number: u64,
    process: u32,
    start: u64,
    op: Op,
    fate: Fate,
    /// Its result, once it has taken effect.
    done: Option<Option<Value>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Returns,
    ReturnsUnknown,
    /// Never returns; whether it takes effect.
    Lost(bool),
}

/// What is wrong with a run.
pub(crate) enum Wrong {
    Nothing,
    /// This operation has another result.
    Result(u64, Value),
    Fault(Fault),
}

/// The result of a run.
pub(crate) struct Run {
    pub(crate) generated: Generated,
    pub(crate) object: Box<dyn Object>,
}

/// Receives the number, the operation and the result of each operation that returns a known result.
type Judge<'j> = dyn FnMut(u64, &Op, &Value) + 'j;

/// A run of the object.
pub(crate) struct Simulation<'a, 'w> {
    options: &'a Options,
    object: Box<dyn Object>,
    writer: &'a mut (dyn Writer + 'w),
    rng: Rng,
    open: Vec<Open>,
    idle: Vec<u32>,
    /// Operations that never returned and will take effect later.
    late: Vec<(u32, Op)>,
    clock: u64,
    overlap: f64,
    /// The number of open operations to aim for, so that the mean overlap is right.
    aim: f64,
    generated: Generated,
    change: Option<(u64, Value)>,
    fault: Option<Fault>,
}

impl<'a, 'w> Simulation<'a, 'w> {
    pub(crate) fn new(
        options: &'a Options,
        object: Box<dyn Object>,
        writer: &'a mut (dyn Writer + 'w),
    ) -> Self {
        let overlap = options.overlap.unwrap_or(f64::from(options.processes - 1) / 2.0);
        let model = options.model.clone();
        Simulation {
            options,
            object,
            writer,
            rng: Rng::new(options.seed),
            open: Vec::new(),
            idle: (0..options.processes).collect(),
            late: Vec::new(),
            clock: 0,
            overlap,
            aim: overlap,
            generated: Generated {
                model,
                operations: 0,
                pending: 0,
                unknown: 0,
                changed: None,
                victim: None,
            },
            change: None,
            fault: None,
        }
    }

    /// Runs to the end, with something wrong or nothing.
    pub(crate) fn run(mut self, wrong: Wrong) -> Result<Run, WriteError> {
        match wrong {
            Wrong::Nothing => {}
            Wrong::Result(number, value) => self.change = Some((number, value)),
            Wrong::Fault(fault) => self.fault = Some(fault),
        }
        self.go_on(&mut |_, _, _| {})?;
        Ok(Run { generated: self.generated, object: self.object })
    }

    /// Runs to the end and lets a judge look at all results.
    pub(crate) fn judged(mut self, judge: &mut Judge<'_>) -> Result<(), WriteError> {
        self.go_on(judge)
    }

    fn go_on(&mut self, judge: &mut Judge<'_>) -> Result<(), WriteError> {
        let mut vain = 0;
        while vain < PATIENCE {
            // If operations wait for others, let others be called.
            let moved = if self.wants_call() || vain % 2 == 1 {
                self.call()?
            } else {
                self.progress(judge)?
            };
            vain = if moved { 0 } else { vain + 1 };
            if self.open.is_empty() && self.left() == 0 {
                return Ok(());
            }
            if !self.late.is_empty() && self.rng.below(64) == 0 {
                let at = self.rng.index(self.late.len());
                let (process, op) = self.late.swap_remove(at);
                let _ = self.object.apply(process, &op, &mut self.rng);
            }
        }
        // Operations that wait forever never return.
        for open in std::mem::take(&mut self.open) {
            self.generated.pending += 1;
            self.object.record(&open.op, Recorded::Ambiguous);
            self.writer.end(&called(&open), Ending::Lost)?;
        }
        Ok(())
    }

    fn left(&self) -> u64 {
        self.options.operations - self.generated.operations
    }

    /// True if it is time for a call. Varies the number of open operations around the aim.
    fn wants_call(&mut self) -> bool {
        if self.left() == 0 || self.idle.is_empty() {
            return false;
        }
        let play = 2.0 * self.rng.fraction();
        self.open.is_empty() || (self.overlap > 0.0 && self.open.len() as f64 <= play * self.aim)
    }

    fn tick(&mut self) -> u64 {
        self.clock += 1;
        self.clock
    }

    /// An idle process calls an operation, if there is one that it can call.
    fn call(&mut self) -> Result<bool, WriteError> {
        let left = self.left();
        if left == 0 || self.idle.is_empty() {
            return Ok(false);
        }
        let at = self.rng.index(self.idle.len());
        let process = self.idle[at];
        let Some(op) = self.object.draw(process, left, &mut self.rng) else { return Ok(false) };
        self.idle.swap_remove(at);
        let error = self.overlap - self.open.len() as f64;
        self.aim = (self.aim + HASTE * error).clamp(0.0, 8.0 * f64::from(self.options.processes));
        self.generated.operations += 1;
        let fate = self.fate(&op);
        let (number, start) = (self.generated.operations, self.tick());
        let open = Open { number, process, start, op, fate, done: None };
        self.writer.call(&called(&open))?;
        self.open.push(open);
        Ok(true)
    }

    fn fate(&mut self, op: &Op) -> Fate {
        if self.options.ambiguous == 0.0 || !self.rng.chance(self.options.ambiguous) {
            return Fate::Returns;
        }
        let may_be_unknown = self.options.format == Format::Jsonl && self.object.has_results(op);
        if self.rng.percent(UNKNOWN_PERCENT) && may_be_unknown {
            return Fate::ReturnsUnknown;
        }
        Fate::Lost(self.rng.percent(EFFECTIVE_PERCENT))
    }

    /// An open operation takes effect, or ends.
    fn progress(&mut self, judge: &mut Judge<'_>) -> Result<bool, WriteError> {
        if self.open.is_empty() {
            return Ok(false);
        }
        let at = self.rng.index(self.open.len());
        let open = &mut self.open[at];
        match (&open.done, open.fate) {
            (None, Fate::Returns | Fate::ReturnsUnknown) => {
                let (who, object) = ((open.number, open.process), &mut *self.object);
                let performed = match &mut self.fault {
                    Some(fault) => fault.perform(object, who, &open.op, &mut self.rng),
                    None => object.apply(open.process, &open.op, &mut self.rng),
                };
                match performed {
                    Ok(result) => open.done = Some(result),
                    Err(Blocked) => return Ok(false),
                }
            }
            (_, Fate::Lost(effective)) => self.lose(at, effective)?,
            (Some(_), _) => self.end(at, judge)?,
        }
        Ok(true)
    }

    /// An operation is lost: it never returns.
    fn lose(&mut self, at: usize, effective: bool) -> Result<(), WriteError> {
        let open = self.open.swap_remove(at);
        self.writer.end(&called(&open), Ending::Lost)?;
        self.idle.push(open.process);
        self.generated.pending += 1;
        self.object.record(&open.op, Recorded::Ambiguous);
        let later = effective && self.rng.percent(25) && self.object.can_be_late();
        if later {
            self.late.push((open.process, open.op));
        } else if !effective || self.object.apply(open.process, &open.op, &mut self.rng).is_err() {
            self.object.give_up(&open.op);
        }
        Ok(())
    }

    fn end(&mut self, at: usize, judge: &mut Judge<'_>) -> Result<(), WriteError> {
        let open = self.open.swap_remove(at);
        self.idle.push(open.process);
        let clock = self.tick();
        let mut result = open.done.clone().flatten();
        let unknown = open.fate == Fate::ReturnsUnknown;
        if unknown {
            self.generated.unknown += 1;
            self.object.record(&open.op, Recorded::Ambiguous);
            result = None;
        } else {
            self.object.record(&open.op, Recorded::Known(result.as_ref()));
            if let Some(result) = &result {
                judge(open.number, &open.op, result);
            }
        }
        if let Some((_, is)) = self.change.take_if(|(number, _)| *number == open.number) {
            let was = result.replace(is.clone()).unwrap_or_default();
            let (op, process) = (shown(open.op.name, &open.op.args), open.process);
            let changed = Changed { number: open.number, op, process, was, is };
            self.generated.changed = Some(changed);
        }
        // In EDN, a compare-and-set that found another value failed, which means that it did not happen.
        let failed = self.options.format == Format::Edn
            && open.op.name == "cas"
            && result == Some(Value::Bool(false));
        let ending = match result.as_ref() {
            _ if failed => Ending::Failed,
            result => Ending::Returned { at: clock, result },
        };
        self.writer.end(&called(&open), ending)
    }
}

/// An operation as writers see it.
fn called(open: &Open) -> Call<'_> {
    Call {
        id: open.number,
        name: open.op.name,
        args: &open.op.args,
        process: Some(open.process),
        client: None,
        object: None,
        hint: None,
        start: open.start,
        clock: (None, None),
    }
}

/// A writer that writes nothing.
pub(crate) fn nowhere() -> impl Writer {
    struct Nowhere;
    impl Writer for Nowhere {
        fn begin(&mut self, _header: &Header<'_>) -> Written {
            Ok(())
        }
        fn call(&mut self, _call: &Call<'_>) -> Written {
            Ok(())
        }
        fn end(&mut self, _call: &Call<'_>, _ending: Ending<'_>) -> Written {
            Ok(())
        }
        fn finish(&mut self) -> Written {
            Ok(())
        }
    }
    Nowhere
}
