//! The full story of a verdict, for `linpoint explain`: what `check` says in brief, every operation of the core, and for
//! each of the longest orders why it ends where it does.

use std::fmt::Write;

use anstyle::Style;
use linpoint::verdict::{
    Blocked, CoreStatus, Obstacle, Partial, PossibleResults, Verdict, Violation,
};
use linpoint::{OpId, Report};

use crate::difference::apart;
use crate::rendered::{Explanation, Operation, Operations, Outcome, Rendered, steps};
use crate::text::{
    self, MIN_WIDTH, QUIET, STRONG, clean, count, draw, failing, headline, paragraph, shorten,
};

/// Operations of the core that are listed.
const MAX_CORE: usize = 500;
/// Of a longer order, this many operations at the end are shown.
const MAX_ORDER: usize = 100;
/// Violations that are told.
const MAX_TOLD: usize = 20;
/// Operations that are in the way of an order, for each order.
const MAX_OBSTACLES: usize = 20;
/// Longer results are cut.
const MAX_RESULT: usize = 60;
/// Longer names of clients are cut.
const MAX_CLIENT: usize = 20;
/// Where all of a long list is.
const IN_JSON: &str = "--as json has all of them";

/// The story of one history.
pub fn render(
    rendered: &Rendered,
    operations: &dyn Operations,
    report: &Report,
    width: usize,
) -> String {
    let width = width.max(MIN_WIDTH);
    let mut out = String::new();
    headline(&mut out, rendered);
    if let Some(note) = &rendered.heading.note {
        paragraph(&mut out, &clean(note), width, QUIET);
    }
    match &rendered.outcome {
        Outcome::Linearizable => witness(&mut out, rendered, report, width),
        Outcome::Undecided(why) => {
            paragraph(&mut out, &text::undecided(why), width, Style::new());
        }
        Outcome::Violation(explanations) => {
            if let Some(parts) = &rendered.failing_parts {
                paragraph(&mut out, &clean(&parts.text()), width, STRONG);
            }
            let violations = report.verdict.violation().into_iter().chain(&report.more);
            let all = explanations.iter().zip(violations);
            for (explanation, violation) in all.take(MAX_TOLD) {
                Story { operations, explanation, violation, width }.tell(&mut out);
            }
            if let more @ 1.. = explanations.len().saturating_sub(MAX_TOLD) {
                let more = count(more, "more violation");
                paragraph(&mut out, &format!("and {more}; {IN_JSON}"), width, Style::new());
            }
        }
    }
    out
}

fn witness(out: &mut String, rendered: &Rendered, report: &Report, width: usize) {
    let Verdict::Linearizable(witness) = &report.verdict else { return };
    let all = rendered.heading.operations;
    let left = all.saturating_sub(witness.order.len());
    let mut text = match left {
        0 => format!(
            "There is an order of all {} that explains every result.",
            count(all, "operation")
        ),
        left => format!(
            "There is an order of {} of {} that explains every result; the other {left} never returned and \
             need not have taken effect.",
            witness.order.len(),
            count(all, "operation"),
        ),
    };
    text += " It was validated by replaying it.";
    paragraph(out, &text, width, Style::new());
    // The name of standard input is not one that a shell knows.
    let name = clean(&rendered.heading.name);
    let name = if name == "<stdin>" { "-".to_owned() } else { name };
    paragraph(out, &format!("linpoint check --witness - {name} prints it."), width, Style::new());
    out.push('\n');
}

/// The story of one violation.
struct Story<'a> {
    operations: &'a dyn Operations,
    explanation: &'a Explanation,
    violation: &'a Violation,
    width: usize,
}

impl Story<'_> {
    fn tell(&self, out: &mut String) {
        let Story { explanation, width, .. } = self;
        out.push('\n');
        if let Some(part) = &explanation.part_name {
            heading(out, &clean(&part.text()));
        }
        paragraph(out, &clean(&explanation.reason), *width, STRONG);
        out.push('\n');
        draw(out, &explanation.rows, &explanation.faults, *width);
        out.push('\n');
        failing(out, explanation, *width);
        text::fact(out, "core", &text::core(explanation), *width);
        self.core(out);
        self.orders(out);
        out.push('\n');
    }

    /// All operations of the core: first those that the sentence names.
    fn core(&self, out: &mut String) {
        let violation = self.violation;
        let is_named =
            |id: &OpId| self.explanation.named.contains(id) || violation.failing == Some(*id);
        let (named, others): (Vec<OpId>, Vec<OpId>) =
            violation.core.iter().copied().partition(is_named);
        let also = match violation.core_status {
            CoreStatus::NotMinimised(_) => "the rest of the core, which was not minimised",
            _ => "also needed: if one of them could have come at any time, there would be an order",
        };
        let several = !named.is_empty() && !others.is_empty();
        let lists = match several {
            true => [("the operations of the sentence", named), (also, others)],
            false => [("the operations of the core", [named, others].concat()), ("", Vec::new())],
        };
        for (title, list) in lists.iter().filter(|(_, list)| !list.is_empty()) {
            out.push('\n');
            heading(out, title);
            self.table(out, list);
        }
    }

    /// One line for each operation: where it is in the file, who called it, when it was open.
    fn table(&self, out: &mut String, list: &[OpId]) {
        let shown: Vec<Operation> =
            list.iter().take(MAX_CORE).map(|id| self.operations.operation(*id)).collect();
        let rows =
            shown.iter().map(|operation| [line(operation), client(operation), open(operation)]);
        let rows: Vec<[String; 3]> = rows.collect();
        let widest = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
        let [lines, clients, opens] = [0, 1, 2].map(|column| widest(column).unwrap_or(0));
        let most = self.width.saturating_sub(lines + clients + opens + 10).max(MIN_WIDTH / 2);
        for (operation, [line, client, open]) in shown.iter().zip(&rows) {
            let text = shorten(&clean(&operation.text()), most);
            let _ = writeln!(
                out,
                "    {QUIET}{line:lines$}  {open:opens$}{QUIET:#}  {client:clients$}  {text}"
            );
        }
        if let more @ 1.. = list.len().saturating_sub(MAX_CORE) {
            paragraph(out, &format!("  and {more} more; {IN_JSON}"), self.width, QUIET);
        }
    }

    /// The longest orders, and why each of them ends.
    fn orders(&self, out: &mut String) {
        let partials = &self.violation.partials;
        if partials.is_empty() {
            return;
        }
        out.push('\n');
        let title = match partials.len() {
            1 => "the longest order, and why it ends".to_owned(),
            n => format!(
                "the {n} longest orders that lead to different states, and why each of them ends"
            ),
        };
        heading(out, &title);
        for (number, partial) in (1..).zip(partials) {
            self.order(out, number, partial);
        }
    }

    fn order(&self, out: &mut String, number: usize, partial: &Partial) {
        let steps = steps(self.operations, self.violation, partial, MAX_ORDER);
        let steps: Vec<String> = steps.iter().map(|step| clean(step)).collect();
        let order = if steps.is_empty() { "nothing yet".to_owned() } else { steps.join(", ") };
        text::fact(out, &format!("order {number}"), &order, self.width);
        text::fact(out, "state then", &clean(&partial.state), self.width);
        let Some(blocked) = self.operations.blocked(self.violation, partial) else { return };
        for (at, blocked) in blocked.iter().take(MAX_OBSTACLES).enumerate() {
            let label = if at == 0 { "why it ends" } else { "" };
            text::fact(out, label, &self.obstacle(blocked), self.width);
        }
        if let more @ 1.. = blocked.len().saturating_sub(MAX_OBSTACLES) {
            text::fact(out, "", &format!("and {more} more; {IN_JSON}"), self.width);
        }
    }

    /// `dequeue() by client 3 (line 8) returns 1 here, not 7`.
    fn obstacle(&self, Blocked { op, obstacle }: &Blocked) -> String {
        let operation = self.operations.operation(*op);
        let who = who(&operation);
        let failing = self.violation.failing.map(|id| self.operations.operation(id));
        let found = failing.as_ref().and_then(|failing| failing.ret.as_deref());
        // Operations that returned later may have any result.
        let own = found.filter(|_| self.violation.failing == Some(*op));
        match obstacle {
            Obstacle::After(other) => {
                let other = self.operations.operation(*other);
                format!("{who} was called after {} had returned", self::who(&other))
            }
            Obstacle::Returns(results) => format!("{who} {}", returns(results, " here", own)),
            Obstacle::InOrder(results) => {
                format!("{who} is in this order, but {}", returns(results, " there", own))
            }
            Obstacle::Helpless(results) => {
                let then = returns(results, "", found);
                let failing = failing.map_or(String::new(), |failing| clean(&failing.op));
                format!("{who} can come next, but then {failing} {then}")
            }
            _ => who,
        }
    }
}

fn heading(out: &mut String, text: &str) {
    let _ = writeln!(out, "  {STRONG}{text}{STRONG:#}");
}

fn line(operation: &Operation) -> String {
    operation.line.map(|line| format!("line {line}")).unwrap_or_default()
}

fn client(operation: &Operation) -> String {
    shorten(&operation.client.as_deref().map(clean).unwrap_or_default(), MAX_CLIENT)
}

/// When an operation was open, in the order of all calls and returns.
fn open(operation: &Operation) -> String {
    let span = operation.span;
    match span.is_pending() {
        true => format!("from event {} on", span.call),
        false => format!("events {} to {}", span.call, span.ret),
    }
}

/// `dequeue() by client 3 (line 8)`.
fn who(operation: &Operation) -> String {
    let mut text = clean(&operation.op);
    if let Some(client) = &operation.client {
        let _ = write!(text, " by {}", clean(client));
    }
    if let Some(line) = operation.line {
        let _ = write!(text, " (line {line})");
    }
    text
}

/// `returns 1 or 2 here, not 7`.
fn returns(results: &PossibleResults, place: &str, found: Option<&str>) -> String {
    if results.texts.is_empty() && results.is_complete {
        return format!("cannot return{place}: it has to wait");
    }
    // Long values are shown by their differences.
    let all: Vec<&str> = results.texts.iter().map(String::as_str).chain(found).collect();
    let mut texts = apart(&all, MAX_RESULT);
    let found = found.and(texts.pop()).map(|found| format!(", not {}", clean(&found)));
    if !results.is_complete {
        texts.push("something else".to_owned());
    }
    let texts: Vec<String> = texts.iter().map(|text| clean(text)).collect();
    format!("returns {}{place}{}", texts.join(" or "), found.unwrap_or_default())
}
