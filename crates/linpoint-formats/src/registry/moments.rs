//! When things happened: operations by the clock of the file, and faults among the events of the history.

use linpoint::OpId;

use crate::raw::{Clock, Fault, Lasting, Moment, RawHistory, RawOp, Reading, Unit};

/// The clock at calls and returns.
#[derive(Clone, Debug)]
pub struct Times {
    unit: Option<Unit>,
    since_1970: bool,
    list: Vec<(Reading, Option<Reading>)>,
}

impl Times {
    /// The unit, if the file says which.
    pub fn unit(&self) -> Option<Unit> {
        self.unit
    }

    /// True if the clock is known to count since 1970-01-01T00:00:00Z.
    pub fn since_1970(&self) -> bool {
        self.since_1970
    }

    /// The clock at the call and at the return of an operation.
    pub fn of(&self, id: OpId) -> Option<(Reading, Option<Reading>)> {
        self.list.get(id.index()).copied()
    }
}

/// A fault, with its place among the events of the history.
#[derive(Clone, PartialEq, Debug)]
pub struct PlacedFault {
    /// The fault.
    pub fault: Fault,
    /// The number of calls and returns before it began.
    pub from: u32,
    /// The number of calls and returns before it was over; `None` for a single moment.
    pub to: Option<u32>,
}

/// An operation that certainly did not happen. It is no part of the history.
#[derive(Clone, PartialEq, Debug)]
pub struct FailedOp {
    /// What was called.
    pub text: String,
    /// Who called it.
    pub client: Option<String>,
    /// The object it was called on.
    pub object: Option<String>,
    /// What the file says about it, for people; perhaps nothing.
    pub remark: String,
    /// The line of the call.
    pub line: u32,
    /// The number of calls and returns before it was called, and before it failed.
    pub place: (u32, u32),
    /// The clock then, if it is known.
    pub times: (Option<Reading>, Option<Reading>),
    /// The numbers of its events in the file.
    events: (u64, u64),
}

impl FailedOp {
    pub(super) fn new(op: &RawOp<'_>, raw: &RawHistory) -> FailedOp {
        let object = op.extras.object.and_then(|object| raw.objects.get(object as usize));
        let client = op.extras.process.and_then(|process| raw.processes.get(&process));
        FailedOp {
            text: crate::write::shown(op.name, op.args),
            client: client.map(super::loaded::client),
            object: object.map(crate::Value::bare),
            remark: String::new(),
            line: op.line,
            place: (0, 0),
            times: (None, None),
            events: (op.start, op.end.unwrap_or(op.start)),
        }
    }
}

/// The numbers or times of calls and returns, as the reader has them.
#[derive(Debug, Default)]
pub(crate) struct Events(Vec<(u64, u64)>);

/// The end of an operation that never returned.
const NEVER: u64 = u64::MAX;

impl Events {
    pub(crate) fn push(&mut self, start: u64, end: Option<u64>) {
        self.0.push((start, end.unwrap_or(NEVER)));
    }

    pub(super) fn end(&mut self, at: usize, time: u64) {
        if let Some((_, end)) = self.0.get_mut(at) {
            *end = time;
        }
    }

    /// Moves those of another part behind these; they happened `later` than they say.
    pub(super) fn append(&mut self, other: &mut Events, later: u64) {
        let moved = other
            .0
            .drain(..)
            .map(|(start, end)| (start + later, if end == NEVER { NEVER } else { end + later }));
        self.0.extend(moved);
    }

    /// The clock at each operation, if the file has one.
    pub(super) fn times(&self, raw: &RawHistory) -> Option<Times> {
        let reading = |number: u64| reading(raw, number);
        let times = |&(start, end): &(u64, u64)| {
            let end = if end == NEVER { None } else { reading(end) };
            Some((reading(start)?, end))
        };
        let list: Option<Vec<_>> = self.0.iter().map(times).collect();
        let list = list.filter(|list| !list.is_empty())?;
        Some(Times { unit: raw.unit, since_1970: raw.since_1970, list })
    }

    /// Finds the places of faults and of operations that failed.
    pub(super) fn place_all(
        self,
        faults: Vec<Fault>,
        mut failed: Vec<FailedOp>,
        raw: &RawHistory,
    ) -> (Vec<PlacedFault>, Vec<FailedOp>) {
        if faults.is_empty() && failed.is_empty() {
            return Default::default();
        }
        let places = Places::new(self, raw.clock);
        for op in &mut failed {
            let (call, end) = op.events;
            let before = |number| places.before(Moment { after: number, time: None }, false);
            op.place = (before(call), before(end));
            op.times = (reading(raw, call), reading(raw, end));
        }
        (places.place(faults), failed)
    }

    /// Finds the places of faults.
    pub(crate) fn place(self, faults: Vec<Fault>, clock: Clock) -> Vec<PlacedFault> {
        match faults.is_empty() {
            true => Vec::new(),
            false => Places::new(self, clock).place(faults),
        }
    }
}

/// The clock at an event, which has this number or this time.
fn reading(raw: &RawHistory, number: u64) -> Option<Reading> {
    match raw.clock {
        Clock::Order => {
            let event = usize::try_from(number.checked_sub(1)?).ok()?;
            raw.readings.get(event).or(raw.readings.last()).copied()
        }
        Clock::Whole => Some(Reading::Whole(number)),
        Clock::Float => Some(Reading::Float(f64::from_bits(number))),
    }
}

/// The events of a history in their order.
struct Places {
    events: Vec<u64>,
    clock: Clock,
}

impl Places {
    fn new(Events(all): Events, clock: Clock) -> Places {
        let ends = all.iter().map(|(_, end)| *end).filter(|end| *end != NEVER);
        let mut events: Vec<u64> = all.iter().map(|(start, _)| *start).chain(ends).collect();
        events.sort_unstable();
        Places { events, clock }
    }

    /// The number of events before a moment, and at it if they count.
    fn before(&self, moment: Moment, with_it: bool) -> u32 {
        let is_before = |event: &u64| match (self.clock, moment.time) {
            (Clock::Order, _) | (_, None) => *event <= moment.after,
            (Clock::Whole, Some(Reading::Whole(time))) => {
                *event < time || (with_it && *event == time)
            }
            (_, Some(time)) => {
                let event = match self.clock {
                    Clock::Float => f64::from_bits(*event),
                    _ => *event as f64,
                };
                event < time.as_float() || (with_it && event == time.as_float())
            }
        };
        self.events.partition_point(is_before) as u32
    }

    fn place(&self, faults: Vec<Fault>) -> Vec<PlacedFault> {
        let placed = |fault: Fault| PlacedFault {
            from: self.before(fault.begin, false),
            to: match fault.end {
                Lasting::Moment => None,
                Lasting::Until(end) => Some(self.before(end, true)),
                Lasting::ToTheEnd => Some(self.events.len() as u32),
            },
            fault,
        };
        faults.into_iter().map(placed).collect()
    }
}
