//! Builds the verifier: `spin` generates it in C, and `gcc` compiles it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::workdir::WorkDir;
use super::{INCLUDE, Spin, SpinError};

/// The external programs.
#[derive(Debug)]
pub(super) struct Toolchain {
    compiler: &'static str,
}

/// A compiled verifier in a directory of its own.
#[derive(Debug)]
pub(super) struct Verifier {
    dir: WorkDir,
}

impl Verifier {
    pub(super) fn dir(&self) -> &Path {
        self.dir.path()
    }

    pub(super) fn program(&self) -> PathBuf {
        self.dir.path().join("pan")
    }
}

impl Toolchain {
    /// Finds the programs.
    pub(super) fn find() -> Result<Toolchain, SpinError> {
        let runs = |program: &str, arg: &str| {
            let mut command = Command::new(program);
            command.arg(arg).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            command.status().is_ok()
        };
        if !runs("spin", "-V") {
            return Err(SpinError::Missing { program: "spin", install: "apt install spin" });
        }
        // spin itself calls gcc as its preprocessor.
        if !runs("gcc", "--version") {
            return Err(SpinError::Missing { program: "gcc", install: "apt install gcc" });
        }
        Ok(Toolchain { compiler: "gcc" })
    }

    /// Builds the verifier of a model.
    pub(super) fn build(&self, spin: &Spin) -> Result<Verifier, SpinError> {
        let dir = WorkDir::new().map_err(|(path, error)| SpinError::Io(path, error))?;
        let include = dir.path().join("linpoint.pml");
        fs::write(&include, INCLUDE).map_err(SpinError::io(&include))?;
        let model = fs::canonicalize(&spin.model).map_err(SpinError::io(&spin.model))?;
        let beside = model.parent().unwrap_or(Path::new("."));

        let mut generate = Command::new("spin");
        generate.current_dir(dir.path());
        for from in [dir.path(), beside] {
            generate.arg(format!("-E-I{}", from.display()));
        }
        generate.args(spin.defines.iter().map(|define| format!("-D{define}")));
        generate.arg("-a").arg(&model);
        // Some versions report errors and still exit with 0.
        let output = run(&mut generate)?;
        if !output.succeeded || !dir.path().join("pan.c").is_file() {
            return Err(SpinError::Model(output.text));
        }

        let mut compile = Command::new(self.compiler);
        compile.current_dir(dir.path()).args(["-O2", "-w", "-DSAFETY", "-DNOFAIR"]);
        if let Some(megabytes) = spin.megabytes {
            compile.arg(format!("-DMEMLIM={megabytes}"));
        }
        let output = run(compile.args(["-o", "pan", "pan.c"]))?;
        if output.succeeded { Ok(Verifier { dir }) } else { Err(SpinError::Compile(output.text)) }
    }
}

struct Output {
    succeeded: bool,
    text: String,
}

fn run(command: &mut Command) -> Result<Output, SpinError> {
    let program = PathBuf::from(command.get_program());
    let output = command.stdin(Stdio::null()).output().map_err(SpinError::io(&program))?;
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.push_str(&String::from_utf8_lossy(&output.stderr));
    Ok(Output { succeeded: output.status.success(), text: text.trim().to_owned() })
}
