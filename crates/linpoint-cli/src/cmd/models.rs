//! `linpoint models`: lists the models.

use std::fmt::Write;

use anstyle::Style;
use linpoint_formats::registry;

use crate::error::CommandResult;
use crate::exit::Exit;
use crate::output::Output;

const NAME: Style = Style::new().bold();
const QUIET: Style = Style::new().dimmed();

/// Lists the models.
pub fn run(out: &mut Output) -> CommandResult {
    let mut text = String::new();
    for model in registry::models() {
        let _ = writeln!(text, "{NAME}{}{NAME:#}: {}", model.name, model.about);
        for operation in model.operations {
            let _ = writeln!(text, "    {operation}");
        }
        for option in model.options {
            let _ = writeln!(text, "    {QUIET}option{QUIET:#} {option}");
        }
    }
    out.write(&text)?;
    Ok(Exit::Success)
}
