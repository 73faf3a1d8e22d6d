//! `linpoint formats`: what can be read.

use std::fmt::Write;
use std::io;

use linpoint_formats::Format;

use crate::exit::Exit;
use crate::output::Output;

/// Lists the formats.
pub fn run(out: &mut Output) -> io::Result<Exit> {
    let mut text = String::new();
    for format in Format::ALL {
        let _ = writeln!(text, "{:10} {}", format.name(), format.about());
        let _ = writeln!(text, "{:10} begins with: {}", "", format.sample());
    }
    out.write(&text)?;
    Ok(Exit::Fine)
}
