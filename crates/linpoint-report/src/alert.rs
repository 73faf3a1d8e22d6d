//! What a CI system shows at a line of a file: a violation, a history that was not decided, a bad input.

use linpoint::verdict::ViolationKind;

use crate::rendered::{Explanation, Outcome, Rendered, Row};
use crate::text::{self, clean, shorten};

/// Lines of a message are cut to this many characters.
const MAX_LINE: usize = 1000;
/// Operations beside the failing one that an alert points to.
const MAX_RELATED: usize = 10;

/// What an alert is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rule {
    /// There is no legal order.
    NotLinearizable,
    /// There are legal orders, but none in the asserted order.
    HintBroken,
    /// There is no legal order in the asserted one; whether there is another one is not known.
    WithHints,
    /// The history is linearizable, but something else that was promised does not hold.
    BrokenGuarantee,
    /// A limit was reached first.
    Undecided,
    /// The input could not be read or checked.
    Input,
}

impl Rule {
    /// All rules.
    pub const ALL: [Rule; 6] = [
        Rule::NotLinearizable,
        Rule::HintBroken,
        Rule::WithHints,
        Rule::BrokenGuarantee,
        Rule::Undecided,
        Rule::Input,
    ];

    /// Its name for programs. Names do not change.
    pub fn id(self) -> &'static str {
        match self {
            Rule::NotLinearizable => "not-linearizable",
            Rule::HintBroken => "hint-broken",
            Rule::WithHints => "not-linearizable-with-hints",
            Rule::BrokenGuarantee => "guarantee-broken",
            Rule::Undecided => "undecided",
            Rule::Input => "bad-input",
        }
    }

    /// What it means, in a few words.
    pub fn title(self) -> &'static str {
        match self {
            Rule::NotLinearizable => "Not linearizable",
            Rule::HintBroken => "Order hint broken",
            Rule::WithHints => "Not linearizable with these hints",
            Rule::BrokenGuarantee => "Guarantee broken",
            Rule::Undecided => "Undecided",
            Rule::Input => "Bad input",
        }
    }

    /// True if it is a warning; otherwise it is an error.
    pub fn is_warning(self) -> bool {
        self == Rule::Undecided
    }
}

impl From<ViolationKind> for Rule {
    fn from(kind: ViolationKind) -> Rule {
        match kind {
            ViolationKind::HintBroken => Rule::HintBroken,
            ViolationKind::WithHints => Rule::WithHints,
            ViolationKind::BrokenGuarantee => Rule::BrokenGuarantee,
            _ => Rule::NotLinearizable,
        }
    }
}

/// A place in a file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Place {
    /// The file; `None` for standard input.
    pub file: Option<String>,
    /// The line, from 1.
    pub line: Option<u32>,
}

/// What a CI system shows at a line of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Alert {
    /// What it is about.
    pub rule: Rule,
    /// Where to show it.
    pub place: Place,
    /// The history: the file, with an id if it has several.
    pub history: String,
    /// A few words: what is wrong, and with which key.
    pub title: String,
    /// What is wrong, in sentences. It may have several lines.
    pub message: String,
    /// Other lines that it is about, each with its operation.
    pub related: Vec<(u32, String)>,
}

impl Alert {
    /// The alerts of a history that was checked: one for each violation. `file` is the file it is from, if any.
    pub fn of(rendered: &Rendered, file: Option<&str>) -> Vec<Alert> {
        let history = clean(&rendered.heading.name);
        let file = file.map(str::to_owned);
        match &rendered.outcome {
            Outcome::Linearizable => Vec::new(),
            Outcome::Undecided(why) => vec![Alert {
                rule: Rule::Undecided,
                place: Place { file, line: None },
                title: title(Rule::Undecided, &history, None),
                history,
                message: text::undecided(why),
                related: Vec::new(),
            }],
            Outcome::Violation(all) => {
                let alert = |e: &Explanation| violation(e, history.clone(), file.clone());
                all.iter().map(alert).collect()
            }
        }
    }

    /// The alert of an input that could not be checked.
    pub fn error(history: &str, place: Place, message: &str) -> Alert {
        let lines: Vec<String> =
            message.lines().map(|line| shorten(&clean(line), MAX_LINE)).collect();
        Alert {
            rule: Rule::Input,
            place,
            title: title(Rule::Input, history, None),
            history: clean(history),
            message: lines.join("\n"),
            related: Vec::new(),
        }
    }
}

fn violation(explanation: &Explanation, history: String, file: Option<String>) -> Alert {
    let rule = Rule::from(explanation.kind);
    let part = explanation.part_name.as_ref().map(|part| clean(&part.text()));
    let mut lines = vec![shorten(&clean(&explanation.reason), MAX_LINE)];
    if let Some(text) = text::fails_at(explanation) {
        lines.push(format!("Fails at: {}", shorten(&text, MAX_LINE)));
        if let Some(text) = text::allowed(explanation) {
            lines.push(format!("Allowed here: {}", shorten(&text, MAX_LINE)));
        }
    }
    let line_of = |row: &Row| row.operation.line;
    let place = explanation.failing().and_then(line_of).or_else(|| {
        let core = explanation.rows.iter().filter(|row| row.core);
        core.filter_map(line_of).next_back()
    });
    let others = explanation.rows.iter().filter(|row| row.core && !row.failing);
    let related = others.filter_map(|row| {
        let text = shorten(&clean(&row.operation.text()), MAX_LINE);
        line_of(row).map(|line| (line, text))
    });
    Alert {
        rule,
        place: Place { file, line: place },
        title: title(rule, &history, part.as_deref()),
        history,
        message: lines.join("\n"),
        related: related.take(MAX_RELATED).collect(),
    }
}

/// `Not linearizable: kv.jsonl, key "cart"`.
fn title(rule: Rule, history: &str, part: Option<&str>) -> String {
    let part = part.map(|part| format!(", {part}")).unwrap_or_default();
    format!("{}: {}{part}", rule.title(), clean(history))
}
