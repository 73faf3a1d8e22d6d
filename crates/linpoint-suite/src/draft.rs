//! A history that can still be edited: plain rows with clock readings.
//!
//! Hand-made tests, mutations, transformations and the shrinker all edit drafts; a draft prints
//! itself as the Rust code that builds it.

use std::fmt::{self, Debug};

use linpoint::history::{Extras, History, Interval, OrderHint, Span, Ties};

/// One operation of a [`Draft`].
#[derive(Clone, PartialEq, Debug)]
pub struct Row<O, R> {
    /// What was called.
    pub op: O,
    /// What was returned, if known.
    pub ret: Option<R>,
    /// When it was called.
    pub start: u64,
    /// When it returned; `None` if it did not.
    pub end: Option<u64>,
    /// Process, object, hint.
    pub extras: Extras,
}

/// A history that can still be edited.
///
/// ```
/// use linpoint_suite::Draft;
///
/// let history = Draft::new().completed("write 1", "ok", 0, 3).by(7).pending("read", 1).build();
/// assert_eq!(history.len(), 2);
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Draft<O, R> {
    /// The operations, in the order of the columns.
    pub rows: Vec<Row<O, R>>,
    /// What equal readings mean.
    pub ties: Ties,
}

impl<O, R> Default for Draft<O, R> {
    fn default() -> Self {
        Draft { rows: Vec::new(), ties: Ties::Concurrent }
    }
}

impl<O, R> Draft<O, R> {
    /// No operations; equal readings are concurrent.
    pub fn new() -> Self {
        Self::default()
    }

    /// No operations, with a policy for equal readings.
    pub fn with_ties(ties: Ties) -> Self {
        Draft { rows: Vec::new(), ties }
    }

    fn row(mut self, op: O, ret: Option<R>, start: u64, end: Option<u64>) -> Self {
        self.rows.push(Row { op, ret, start, end, extras: Extras::default() });
        self
    }

    /// Adds an operation that returned `ret`.
    pub fn completed(self, op: O, ret: R, start: u64, end: u64) -> Self {
        self.row(op, Some(ret), start, Some(end))
    }

    /// Adds an operation that returned something unknown.
    pub fn unknown(self, op: O, start: u64, end: u64) -> Self {
        self.row(op, None, start, Some(end))
    }

    /// Adds an operation that never returned.
    pub fn pending(self, op: O, start: u64) -> Self {
        self.row(op, None, start, None)
    }

    fn edit_last(mut self, edit: impl FnOnce(&mut Extras)) -> Self {
        edit(&mut self.rows.last_mut().expect("an operation to describe").extras);
        self
    }

    /// The last operation added was performed by this process.
    pub fn by(self, process: u32) -> Self {
        self.edit_last(|e| e.process = Some(process))
    }

    /// The last operation added was performed on this object.
    pub fn on(self, object: u32) -> Self {
        self.edit_last(|e| e.object = Some(object))
    }

    /// The last operation added has this position in the order of effects.
    pub fn hinted(self, scope: u32, position: u64) -> Self {
        self.edit_last(|e| e.hint = Some(OrderHint { scope, position }))
    }

    /// Number of pairs of events of different kinds that share a reading.
    pub fn tied(&self) -> usize {
        let ends = self.rows.iter().filter_map(|r| r.end);
        ends.map(|end| self.rows.iter().filter(|r| r.start == end).count()).sum()
    }

    /// Builds the history. Edits may leave a process with two overlapping operations; then all
    /// processes are dropped, which does not affect any verdict.
    ///
    /// # Panics
    ///
    /// If an operation returns before it is called.
    pub fn build(&self) -> History<O, R>
    where
        O: Clone,
        R: Clone,
    {
        let attempt = |processes: bool| {
            let mut b = History::from_intervals(self.ties);
            for r in &self.rows {
                let process = if processes { r.extras.process } else { None };
                let interval = Interval {
                    op: r.op.clone(),
                    ret: r.ret.clone(),
                    start: r.start,
                    end: r.end,
                    extras: Extras { process, ..r.extras },
                };
                b.add(interval).expect("a return after its call");
            }
            b.finish()
        };
        attempt(true).or_else(|_| attempt(false)).expect("only processes can be at fault")
    }
}

impl<O: Clone, R: Clone> From<&History<O, R>> for Draft<O, R> {
    /// Ranks become readings. The order of events is kept exactly.
    fn from(history: &History<O, R>) -> Self {
        let row = |id| {
            let Span { call, ret } = history.span(id);
            Row {
                op: history.op(id).clone(),
                ret: history.ret(id).cloned(),
                start: call.into(),
                end: (ret != Span::NEVER).then_some(ret.into()),
                extras: history.extras(id),
            }
        };
        Draft { rows: history.ids().map(row).collect(), ties: Ties::Concurrent }
    }
}

impl<O: Debug, R: Debug> fmt::Display for Draft<O, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.ties {
            Ties::Concurrent => writeln!(f, "let history = Draft::new()")?,
            Ties::Ordered => writeln!(f, "let history = Draft::with_ties(Ties::Ordered)")?,
        }
        for r in &self.rows {
            let (op, start) = (&r.op, r.start);
            match (r.end, &r.ret) {
                (None, _) => write!(f, "    .pending({op:?}, {start})")?,
                (Some(end), None) => write!(f, "    .unknown({op:?}, {start}, {end})")?,
                (Some(end), Some(ret)) => {
                    write!(f, "    .completed({op:?}, {ret:?}, {start}, {end})")?
                }
            }
            if let Some(process) = r.extras.process {
                write!(f, ".by({process})")?;
            }
            if let Some(object) = r.extras.object {
                write!(f, ".on({object})")?;
            }
            if let Some(OrderHint { scope, position }) = r.extras.hint {
                write!(f, ".hinted({scope}, {position})")?;
            }
            writeln!(f)?;
        }
        write!(f, "    .build();")
    }
}
