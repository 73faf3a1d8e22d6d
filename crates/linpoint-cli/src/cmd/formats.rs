//! `linpoint formats`: lists the formats.

use std::fmt::Write;

use linpoint_formats::Format;

use crate::error::CommandResult;
use crate::exit::Exit;
use crate::output::Output;

/// Lists the formats.
pub fn run(out: &mut Output) -> CommandResult {
    let mut text = String::new();
    for format in Format::ALL {
        let _ = writeln!(text, "{:10} {}", format.name(), format.about());
        let _ = writeln!(text, "{:10} begins with: {}", "", format.sample());
    }
    out.write(&text)?;
    Ok(Exit::Success)
}
