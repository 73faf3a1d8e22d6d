//! Histories of any bundled model in shapes that are hard to check.
//!
//! `linpoint gen` performs operations one after the other. Any history in which each operation is open at its place in that
//! order is linearizable, so a shape only has to move calls forward and returns back.

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;

/// An operation as two lines: its call and its return.
pub struct Operation {
    call: String,
    end: Option<String>,
}

/// A history, one operation after the other.
pub struct Operations {
    header: String,
    list: Vec<Operation>,
}

/// Which operations are open together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// All are open together, and return in the order of their calls.
    Concurrent,
    /// All are open together, and the last one called returns first.
    Nested,
    /// The first is open around all others, which come one after the other.
    Spanning,
    /// Each is open together with the 30 before it.
    Staggered,
    /// One after the other; every third never returns.
    Pending,
}

impl Shape {
    pub const ALL: [Shape; 5] =
        [Shape::Concurrent, Shape::Nested, Shape::Spanning, Shape::Staggered, Shape::Pending];

    pub fn name(self) -> &'static str {
        match self {
            Shape::Concurrent => "concurrent",
            Shape::Nested => "nested",
            Shape::Spanning => "spanning",
            Shape::Staggered => "staggered",
            Shape::Pending => "pending",
        }
    }

    /// The lines of the history in this shape.
    pub fn of(self, operations: &Operations) -> String {
        let n = operations.list.len();
        // Each event with the moment at which it happens.
        let mut events: Vec<(usize, &str)> = Vec::with_capacity(2 * n);
        for (i, Operation { call, end }) in operations.list.iter().enumerate() {
            let (from, to) = match self {
                Shape::Concurrent => (i, n + i),
                Shape::Nested => (i, 2 * n - i),
                Shape::Spanning if i == 0 => (0, 4 * n),
                Shape::Spanning | Shape::Pending => (2 * i, 2 * i + 1),
                Shape::Staggered => (2 * i, 2 * i + 61),
            };
            events.push((from, call));
            let returns = self != Shape::Pending || i % 3 != 0 || i + 1 == n;
            if let Some(end) = end.as_ref().filter(|_| returns) {
                events.push((to, end));
            }
        }
        // Stable: calls stay before returns of the same moment.
        events.sort_by_key(|(at, _)| *at);
        let lines: Vec<&str> = events.iter().map(|(_, line)| *line).collect();
        format!("{}\n{}\n", operations.header, lines.join("\n"))
    }
}

/// How the history ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// It is linearizable.
    Right,
    /// The last operation has a result that is impossible at any time.
    Wrong,
    /// The last operation has a result that was possible much earlier. In some shapes, it still is.
    Stale,
}

impl Ending {
    pub const ALL: [Ending; 3] = [Ending::Right, Ending::Wrong, Ending::Stale];

    pub fn name(self) -> &'static str {
        match self {
            Ending::Right => "right",
            Ending::Wrong => "wrong",
            Ending::Stale => "stale",
        }
    }
}

/// Whether values are written several times.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Values {
    Distinct,
    Few,
}

impl Values {
    pub const ALL: [Values; 2] = [Values::Distinct, Values::Few];

    pub fn name(self) -> &'static str {
        match self {
            Values::Distinct => "distinct",
            Values::Few => "few",
        }
    }
}

/// Generates a history. The error is why there is none.
pub fn history(
    linpoint: &Path,
    model: &str,
    size: usize,
    values: Values,
    ending: Ending,
) -> Result<Operations, String> {
    let size = size.to_string();
    let args = ["--model", model, "--ops", &size, "--overlap", "0", "--values", values.name()];
    let generate = |more: &[&str]| -> Result<Operations, String> {
        let output = Command::new(linpoint).arg("gen").args(args).args(more).output();
        let output = output.map_err(|e| e.to_string())?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).trim().to_owned());
        }
        operations(&String::from_utf8_lossy(&output.stdout))
    };
    let mut right = generate(&[])?;
    match ending {
        Ending::Right => {}
        Ending::Wrong => {
            // What is impossible at any time is impossible at the end.
            let wrong = generate(&["--mutate"])?;
            let differs = |i: &usize| right.list[*i].end != wrong.list[*i].end;
            let at = (0..right.list.len()).find(differs).ok_or("nothing was changed")?;
            right = wrong;
            let last = right.list.remove(at);
            right.list.push(last);
        }
        Ending::Stale => make_stale(&mut right)?,
    }
    Ok(right)
}

/// Gives one of the last operations the result of the first that is called like it and returned something else.
fn make_stale(operations: &mut Operations) -> Result<(), String> {
    let list = &mut operations.list;
    let mut first: HashMap<&str, &str> = HashMap::new();
    let mut found = None;
    for (at, operation) in list.iter().enumerate() {
        let Some(value) = value(operation) else { continue };
        let early = *first.entry(name_and_args(&operation.call)).or_insert(value);
        if early != value {
            found = Some((at, early.to_owned()));
        }
    }
    let (last, stale) = found.ok_or("no operation is called twice with different results")?;
    let id = id(&list[last].call).to_owned();
    list[last].end = Some(format!("{{\"return\":{id},\"value\":{stale}"));
    list.truncate(last + 1);
    Ok(())
}

/// `"op":...` up to the end of the line.
fn name_and_args(call: &str) -> &str {
    call.find("\"op\"").map_or("", |at| &call[at..])
}

fn id(call: &str) -> &str {
    call.trim_start_matches("{\"call\":").split(',').next().unwrap_or_default()
}

/// The result, with the closing brace of the line.
fn value(operation: &Operation) -> Option<&str> {
    let end = operation.end.as_ref()?;
    end.split_once("\"value\":").map(|(_, value)| value)
}

/// Pairs of lines, without processes: in most shapes, one would perform several operations together.
fn operations(text: &str) -> Result<Operations, String> {
    let mut lines = text.lines();
    let header = lines.next().ok_or("nothing was generated")?.to_owned();
    let mut list: Vec<Operation> = Vec::new();
    let mut open: HashMap<String, String> = HashMap::new();
    for line in lines {
        if line.starts_with("{\"call\":") {
            let call = match (line.find("\"process\":"), line.find("\"op\":")) {
                (Some(from), Some(to)) if from < to => format!("{}{}", &line[..from], &line[to..]),
                _ => line.to_owned(),
            };
            open.insert(id(&call).to_owned(), call);
        } else if let Some(rest) = line.strip_prefix("{\"return\":") {
            // An operation that had to wait took effect just before it returned.
            let id = rest.split([',', '}']).next().unwrap_or_default();
            let call = open.remove(id).ok_or("a return without a call was generated")?;
            list.push(Operation { call, end: Some(line.to_owned()) });
        }
    }
    list.extend(open.into_values().map(|call| Operation { call, end: None }));
    Ok(Operations { header, list })
}
