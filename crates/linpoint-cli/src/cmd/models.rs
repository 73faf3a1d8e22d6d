//! `linpoint models`: lists the models.

use std::fmt::Write;

use anstyle::Style;
use linpoint_formats::{ModelName, registry};

use crate::error::{CommandError, CommandResult};
use crate::exit::Exit;
use crate::output::Output;

const NAME: Style = Style::new().bold();
const QUIET: Style = Style::new().dimmed();

/// Lists the models, or shows one of them.
pub fn run(name: Option<&str>, out: &mut Output) -> CommandResult {
    if let Some(name) = name {
        let model = ModelName::parse(name).map_err(CommandError::usage)?;
        registry::validate(&model).map_err(CommandError::usage)?;
    }
    let mut text = String::new();
    for model in registry::models().filter(|model| name.is_none_or(|name| name == model.name)) {
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
