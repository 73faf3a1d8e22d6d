//! The order in which the operations of a linearizable history took effect, one line each. See
//! `docs/output.md`.
//!
//! Lines that begin with `#` are the header. Fields are separated by tabs; control characters, tabs included,
//! are escaped.

use std::fmt::Write;

use linpoint::OpId;
use linpoint::verdict::Verdict;

use crate::rendered::{Operations, Rendered};
use crate::text::{self, clean};

/// The version of the format, in the first line of each section.
pub const VERSION: u32 = 1;

/// The section of one history: its order, or only the verdict. `rendered` must have been made from `verdict`.
pub fn render(rendered: &Rendered, operations: &dyn Operations, verdict: &Verdict) -> String {
    let heading = &rendered.heading;
    let mut out = format!(
        "# linpoint witness {VERSION}\n# history: {}\n# model: {}\n# verdict: {}\n",
        clean(&heading.name),
        clean(&heading.model),
        text::verdict(&rendered.outcome).to_lowercase(),
    );
    if let Verdict::Linearizable(witness) = verdict {
        out.push_str("# line\tid\tclient\tobject\toperation\tresult\n");
        for id in &witness.order {
            line(&mut out, *id, operations);
        }
    }
    out
}

fn line(out: &mut String, id: OpId, operations: &dyn Operations) {
    let operation = operations.operation(id);
    let or_dash = |text: Option<&String>| text.map_or_else(|| "-".to_owned(), |text| clean(text));
    let line = operation.line.map(|line| line.to_string());
    let result = match &operation.ret {
        Some(ret) => clean(ret),
        None if operation.span.is_pending() => "-".to_owned(),
        None => "?".to_owned(),
    };
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "{}\t{}\t{}\t{}\t{}\t{result}",
        or_dash(line.as_ref()),
        id.0,
        or_dash(operation.client.as_ref()),
        or_dash(operation.object.as_ref()),
        clean(&operation.op),
    );
}
