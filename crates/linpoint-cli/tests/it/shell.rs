//! `linpoint completions` and `linpoint man`.

use std::fs;
use std::process::Command;

use crate::support::{dir, exits, linpoint};

const COMMANDS: [&str; 6] = ["check", "explain", "watch", "plan", "models", "formats"];

#[test]
fn completions_have_all_commands() {
    let dir = dir("completions");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let (out, err) = exits(&linpoint(&dir, &["completions", shell]), 0);
        for word in COMMANDS.iter().chain(&["max-configurations", "witness"]) {
            assert!(out.contains(word), "{word} in {shell}:\n{out}");
        }
        assert_eq!(err, "");
    }
    let (_, err) = exits(&linpoint(&dir, &["completions", "csh"]), 2);
    assert!(err.contains("bash") && err.contains("fish"), "{err}");
}

#[test]
fn bash_completes_commands() {
    let dir = dir("completions-bash");
    let (script, _) = exits(&linpoint(&dir, &["completions", "bash"]), 0);
    fs::write(dir.join("script"), script).unwrap();
    for (typed, completed) in [("wat", "watch"), ("pl", "plan"), ("explo", "explore")] {
        let ask = format!(
            "source ./script && COMP_WORDS=(linpoint {typed}) COMP_CWORD=1 && \
             _linpoint linpoint {typed} linpoint && echo \"${{COMPREPLY[@]}}\""
        );
        let bash = Command::new("bash").args(["--norc", "-c", &ask]).current_dir(&dir).output();
        match bash {
            Ok(output) => assert_eq!(exits(&output, 0).0, format!("{completed}\n")),
            Err(_) => eprintln!("SKIPPED: bash is not installed"),
        }
    }
}

#[test]
fn man_writes_a_page_per_command() {
    let dir = dir("man");
    let (out, _) = exits(&linpoint(&dir, &["man"]), 0);
    assert!(out.contains(".TH linpoint 1") && out.contains("linpoint\\-check"), "{out}");
    exits(&linpoint(&dir, &["man", "pages"]), 0);
    for command in COMMANDS {
        let page = fs::read_to_string(dir.join(format!("pages/linpoint-{command}.1"))).unwrap();
        assert!(page.contains(".SH SYNOPSIS"), "{page}");
    }
    let page = fs::read_to_string(dir.join("pages/linpoint-check.1")).unwrap();
    assert!(page.contains("Exit codes") && page.contains("\\-\\-timeout"), "{page}");
    fs::write(dir.join("file"), "").unwrap();
    let (_, err) = exits(&linpoint(&dir, &["man", "file"]), 2);
    assert!(err.contains("cannot write the pages into file"), "{err}");
}
