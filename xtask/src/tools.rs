//! Optional programs besides cargo that some tests can use.

use std::process::{Command, Stdio};

/// A program, its Debian package, and its purpose.
struct Tool {
    program: &'static str,
    package: &'static str,
    purpose: &'static str,
}

const TOOLS: &[Tool] = &[
    Tool { program: "spin", package: "spin", purpose: "comparing models with SPIN" },
    Tool { program: "chromium", package: "chromium", purpose: "testing the HTML report" },
    Tool { program: "etcd", package: "etcd-server", purpose: "checking a real etcd cluster" },
    Tool { program: "redis-server", package: "redis-server", purpose: "checking a real Redis" },
];

/// True if a program can be found.
pub fn present(program: &str) -> bool {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&paths).any(|dir| dir.join(program).is_file())
}

/// True if packages can be installed.
pub fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

/// The missing programs as text, after installing those that can be installed.
pub fn missing(install: bool) -> Vec<String> {
    let mut missing = Vec::new();
    for tool in TOOLS.iter().filter(|tool| !present(tool.program)) {
        let Tool { program, package, purpose } = tool;
        let note = match install {
            false => format!("not installed; `apt-get install {package}` as root does it"),
            true => match apt_install(package) {
                Ok(()) => continue,
                Err(why) => format!("could not be installed: {why}"),
            },
        };
        missing.push(format!("{program} (for {purpose}): {note}"));
    }
    missing
}

fn apt_install(package: &str) -> Result<(), String> {
    if !present("apt-get") {
        return Err("there is no apt-get".to_owned());
    }
    println!("    installing {package}");
    let apt = |args: &[&str]| {
        Command::new("apt-get")
            .args(args)
            .env("DEBIAN_FRONTEND", "noninteractive")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .output()
            .map_err(|e| e.to_string())
    };
    let install = ["install", "--yes", "--no-install-recommends", package];
    // The lists may be old or missing, so the second try is after an update.
    let mut output = apt(&install)?;
    if !output.status.success() {
        apt(&["update"])?;
        output = apt(&install)?;
    }
    if output.status.success() {
        return Ok(());
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    Err(errors.lines().last().unwrap_or("apt-get failed").to_owned())
}
