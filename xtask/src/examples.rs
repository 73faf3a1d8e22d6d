//! Regenerates the linearizable histories of `examples/histories` with `linpoint gen`.

use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

/// A file, and the arguments of `linpoint gen` that write it.
const FILES: &[(&str, &[&str])] = &[
    ("register-ok.jsonl", &["--model", "register:initial=0", "--ops", "40", "--clients", "3"]),
    ("kv-ok.jsonl", &["--model", "kv", "--ops", "80", "--clients", "4", "--keys", "3"]),
    ("stack-ok.jsonl", &["--model", "stack", "--ops", "48", "--clients", "3"]),
    ("set-ok.jsonl", &["--model", "set", "--ops", "60", "--clients", "3", "--values", "3"]),
];

/// Writes the files.
pub fn write(root: &Path) -> io::Result<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    for (name, args) in FILES {
        let path = root.join("examples/histories").join(name);
        let mut command = Command::new(&cargo);
        command.args(["run", "--release", "--quiet", "--package", "linpoint-cli", "--", "gen"]);
        command.args(*args).arg("--output").arg(&path).current_dir(root).stdin(Stdio::null());
        if !command.status()?.success() {
            return Err(io::Error::other(format!("linpoint gen failed for {name}")));
        }
        println!("wrote {}", path.display());
    }
    Ok(())
}
