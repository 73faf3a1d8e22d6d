//! `linpoint models`: lists the models.

use std::fmt::Write;

use anstyle::Style;
use linpoint::wire::ModelInfo;
use linpoint_formats::registry;

use crate::args::resolved;
use crate::error::CommandResult;
use crate::exit::Exit;
use crate::output::Output;

const NAME: Style = Style::new().bold();
const QUIET: Style = Style::new().dimmed();

/// Lists the models, or shows one of them.
pub fn run(name: Option<&str>, out: &mut Output) -> CommandResult {
    if let Some(name) = name {
        resolved::model(Some(name))?;
    }
    let mut text = String::new();
    let mut models: Vec<ModelInfo> = registry::models().collect();
    // Scripts are not in the list.
    models.extend(name.and_then(registry::custom::info));
    for model in models.iter().filter(|model| name.is_none_or(|name| name == model.name)) {
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
