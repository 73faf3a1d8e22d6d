//! Histories as text: one line per operation, in the order of returns.
//!
//! Containers and sets are written in fastlin's format. Registers and snapshots, which it does not
//! support, are written as linpoint's JSON lines.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use linpoint::spec::models::{
    PriorityQueueOp, PriorityQueueRet, QueueOp, QueueRet, RegisterOp, RegisterRet, SetOp, SetRet,
    SnapshotOp, SnapshotRet, StackOp, StackRet,
};

use crate::generate::Log;

/// An operation that has returned.
pub struct Row<O, R> {
    process: u32,
    op: O,
    ret: R,
    start: u64,
    end: u64,
}

/// An operation that has been called.
pub struct Called<O> {
    process: u32,
    op: O,
    start: u64,
}

/// Operations and results that can be written.
pub trait Text<R>: Sized {
    /// Writes a line.
    fn write(row: &Row<Self, R>, out: &mut impl Write) -> io::Result<()>;
}

/// A history file. Events take place at 0, 1, 2 and so on.
pub struct TextLog {
    out: BufWriter<File>,
    clock: u64,
    /// The first error; nothing is written after it.
    error: Option<io::Error>,
}

impl TextLog {
    /// A file that begins with this line.
    pub fn create(path: &Path, header: &str) -> io::Result<Self> {
        let mut out = BufWriter::with_capacity(1 << 20, File::create(path)?);
        writeln!(out, "{header}")?;
        Ok(TextLog { out, clock: 0, error: None })
    }

    /// Writes what is left.
    pub fn finish(mut self) -> io::Result<()> {
        self.error.map_or_else(|| self.out.flush(), Err)
    }

    fn tick(&mut self) -> u64 {
        self.clock += 1;
        self.clock - 1
    }
}

impl<R, O: Text<R> + Clone> Log<O, R> for TextLog {
    type Id = Called<O>;

    fn call(&mut self, process: u32, op: &O) -> Called<O> {
        Called { process, op: op.clone(), start: self.tick() }
    }

    fn ret(&mut self, Called { process, op, start }: Called<O>, ret: R) {
        let row = Row { process, op, ret, start, end: self.tick() };
        if self.error.is_none() {
            self.error = O::write(&row, &mut self.out).err();
        }
    }

    fn crash(&mut self, _called: Called<O>) {
        unreachable!("these histories have no pending operations");
    }
}

/// A line in fastlin's format: the method, the value or -1 for none, and the times.
fn fastlin<O, R>(
    row: &Row<O, R>,
    method: &str,
    value: Option<i64>,
    out: &mut impl Write,
) -> io::Result<()> {
    writeln!(out, "{method} {} {} {}", value.unwrap_or(-1), row.start, row.end)
}

impl Text<QueueRet<i64>> for QueueOp<i64> {
    fn write(row: &Row<Self, QueueRet<i64>>, out: &mut impl Write) -> io::Result<()> {
        let found = if let QueueRet::Value(v) = row.ret { v } else { None };
        match row.op {
            QueueOp::Enqueue(v) => fastlin(row, "enq", Some(v), out),
            QueueOp::Dequeue => fastlin(row, "deq", found, out),
            QueueOp::Peek => fastlin(row, "peek", found, out),
        }
    }
}

impl Text<StackRet<i64>> for StackOp<i64> {
    fn write(row: &Row<Self, StackRet<i64>>, out: &mut impl Write) -> io::Result<()> {
        let found = if let StackRet::Value(v) = row.ret { v } else { None };
        match row.op {
            StackOp::Push(v) => fastlin(row, "push", Some(v), out),
            StackOp::Pop => fastlin(row, "pop", found, out),
            StackOp::Peek => fastlin(row, "peek", found, out),
        }
    }
}

impl Text<PriorityQueueRet<i64>> for PriorityQueueOp<i64> {
    fn write(row: &Row<Self, PriorityQueueRet<i64>>, out: &mut impl Write) -> io::Result<()> {
        let found = if let PriorityQueueRet::Value(v) = row.ret { v } else { None };
        match row.op {
            PriorityQueueOp::Insert(v) => fastlin(row, "insert", Some(v), out),
            PriorityQueueOp::Poll => fastlin(row, "poll", found, out),
            PriorityQueueOp::Peek => fastlin(row, "peek", found, out),
        }
    }
}

/// Here inserts and removals have no results: they always succeed.
impl Text<SetRet> for SetOp<i64> {
    fn write(row: &Row<Self, SetRet>, out: &mut impl Write) -> io::Result<()> {
        match row.op {
            SetOp::Insert(v) => fastlin(row, "insert", Some(v), out),
            SetOp::Remove(v) => fastlin(row, "remove", Some(v), out),
            SetOp::Contains(v) if row.ret.0 => fastlin(row, "contains_true", Some(v), out),
            SetOp::Contains(v) => fastlin(row, "contains_false", Some(v), out),
        }
    }
}

impl<O, R> Row<O, R> {
    /// A JSON line; `rest` follows the name: arguments, or the result.
    fn json(
        &self,
        op: &str,
        rest: std::fmt::Arguments<'_>,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let Row { process, start, end, .. } = self;
        writeln!(out, r#"{{"process":{process},"op":"{op}",{rest},"start":{start},"end":{end}}}"#)
    }
}

impl Text<RegisterRet<i64>> for RegisterOp<i64> {
    fn write(row: &Row<Self, RegisterRet<i64>>, out: &mut impl Write) -> io::Result<()> {
        match (&row.op, &row.ret) {
            (RegisterOp::Write(v), _) => row.json("write", format_args!(r#""args":[{v}]"#), out),
            (_, RegisterRet::Value(v)) => row.json("read", format_args!(r#""value":{v}"#), out),
            (_, RegisterRet::Written) => unreachable!("reads give values"),
        }
    }
}

impl Text<SnapshotRet<i64>> for SnapshotOp<i64> {
    fn write(row: &Row<Self, SnapshotRet<i64>>, out: &mut impl Write) -> io::Result<()> {
        match (&row.op, &row.ret) {
            (SnapshotOp::Update(at, v), _) => {
                row.json("update", format_args!(r#""args":[{at},{v}]"#), out)
            }
            (_, SnapshotRet::Values(values)) => {
                row.json("scan", format_args!(r#""value":[{}]"#, Commas(values)), out)
            }
            (_, SnapshotRet::Done) => unreachable!("scans give values"),
        }
    }
}

/// Known values with commas between them.
struct Commas<'a>(&'a [Option<i64>]);

impl std::fmt::Display for Commas<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (i, value) in self.0.iter().flatten().enumerate() {
            let comma = if i == 0 { "" } else { "," };
            write!(f, "{comma}{value}")?;
        }
        Ok(())
    }
}
