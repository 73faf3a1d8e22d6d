//! A loaded history as the report needs it.

use std::collections::BTreeMap;
use std::ops::Range;

use linpoint::history::Span;
use linpoint::verdict::{Blocked, Partial, States, Violation};
use linpoint::{OpId, Part, Report};
use linpoint_formats::{LoadedHistory, Settings};
use linpoint_report::{Annotation, Operation, Operations, Recorded};

/// A loaded history with the settings of its check.
pub struct LoadedOperations<'a> {
    /// The history.
    pub history: &'a LoadedHistory,
    /// The settings.
    pub settings: &'a Settings,
    /// True if the history is from a file, so that its line numbers mean something to the user.
    pub has_lines: bool,
}

impl Operations for LoadedOperations<'_> {
    fn operation(&self, id: OpId) -> Operation {
        let history = self.history;
        Operation {
            op: history.op(id),
            ret: history.ret(id),
            process: history.process(id),
            client: history.client(id),
            object: history.object(id),
            span: history.span(id),
            line: history.line(id).filter(|_| self.has_lines),
        }
    }

    fn recorded(&self, id: OpId) -> Option<Recorded> {
        let recorded = self.history.recorded(id)?;
        Some(Recorded { op: recorded.op.to_owned(), args: recorded.args, ret: recorded.ret })
    }

    fn span(&self, id: OpId) -> Span {
        self.history.span(id)
    }

    fn parts(&self, report: &Report) -> Vec<Part> {
        self.history.parts(self.settings, report).unwrap_or_default()
    }

    fn states(&self, order: &[OpId], until: u32, window: Range<usize>) -> Option<States> {
        self.history.states(order, until, window)
    }

    fn blocked(&self, violation: &Violation, partial: &Partial) -> Option<Vec<Blocked>> {
        self.history.blocked(violation, partial)
    }

    fn annotations(&self) -> Vec<Annotation> {
        let notes = self.history.annotations();
        let mut all: Vec<Annotation> =
            notes.iter().map(|note| annotation(&note.text, note.after)).collect();
        extend_faults(&mut all);
        all
    }
}

/// Words that start an annotation at the end of a fault.
const ENDS: [&str; 6] = ["stop", "heal", "recover", "restart", "resume", "repair"];

/// A fault lasts until something in its lane ends it: `start` until `stop`, `kill` until `recover`.
/// An annotation during a fault in the same lane is a single moment.
fn extend_faults(annotations: &mut [Annotation]) {
    let mut open: BTreeMap<String, usize> = BTreeMap::new();
    for i in 0..annotations.len() {
        let Annotation { lane, text, from, .. } = &annotations[i];
        if !ENDS.iter().any(|end| text.starts_with(end)) {
            open.entry(lane.clone()).or_insert(i);
        } else if let Some(begin) = open.remove(lane) {
            annotations[begin].to = Some(*from);
        }
    }
}

/// Formats write annotations as `:nemesis kill nil`: the first word names the lane.
fn annotation(text: &str, after: u64) -> Annotation {
    let (lane, text) = match text.split_once(' ') {
        Some((name, what)) if name.starts_with(':') => (name.trim_start_matches(':'), what),
        _ => ("events", text),
    };
    let (lane, text) = (lane.to_owned(), text.to_owned());
    Annotation { lane, text, from: u32::try_from(after).unwrap_or(u32::MAX), to: None }
}

#[cfg(test)]
mod tests {
    use super::{annotation, extend_faults};

    #[test]
    fn the_first_word_names_the_lane() {
        let lane_and_text = |text| {
            let annotation = annotation(text, 3);
            (annotation.lane, annotation.text)
        };
        let pair = |lane: &str, text: &str| (lane.to_owned(), text.to_owned());
        assert_eq!(lane_and_text(":nemesis kill nil"), pair("nemesis", "kill nil"));
        assert_eq!(lane_and_text("some message"), pair("events", "some message"));
    }

    #[test]
    fn a_fault_lasts_until_it_ends() {
        let texts =
            [":nemesis kill", "ready", ":nemesis kill", ":nemesis recover", ":nemesis pause"];
        let mut all: Vec<_> = texts.iter().zip(1..).map(|(text, i)| annotation(text, i)).collect();
        extend_faults(&mut all);
        let until: Vec<Option<u32>> = all.iter().map(|annotation| annotation.to).collect();
        assert_eq!(until, [Some(4), None, None, None, None]);
    }
}
