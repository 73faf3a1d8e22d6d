//! `linpoint spin`.

use std::fs;
use std::process::Command;

use crate::support::{dir, exits, linpoint};

/// False, with a message, if spin or gcc is missing.
fn spin_is_installed() -> bool {
    let runs = |program: &str, arg: &str| Command::new(program).arg(arg).output().is_ok();
    let here = runs("spin", "-V") && runs("gcc", "--version");
    if !here {
        println!("SKIPPED: spin or gcc is not installed");
    }
    here
}

#[test]
fn bundled_models_have_the_expected_verdicts() {
    let dir = dir("spin-bundled");
    let (out, _) = exits(&linpoint(&dir, &["spin", "--write-models", "."]), 0);
    assert!(out.contains("treiber.pml") && dir.join("linpoint.pml").is_file(), "{out}");
    if !spin_is_installed() {
        return;
    }
    let run = |args: &[&str], code| exits(&linpoint(&dir, &[&["spin"], args].concat()), code).0;
    for (model, spec) in
        [("treiber.pml", "stack"), ("shann.pml", "queue:capacity=2"), ("snark.pml", "deque")]
    {
        let out = run(&[model, "--spec", spec], 1);
        assert!(out.contains("NOT LINEARIZABLE") && out.contains("bug finding only"), "{out}");
    }
    let out = run(&["treiber.pml", "--spec", "stack", "-D", "TAGS"], 0);
    assert!(out.contains("no violation found"), "{out}");
    assert!(out.contains(" stored, "), "{out}");
    assert!(out.contains("bug finding only"), "{out}");
    let page = dir.join("page.html");
    let json = ["--as", "json", "--html", "page.html"];
    let out = run(&[&["snark.pml", "--spec", "deque"][..], &json].concat(), 1);
    assert!(out.starts_with('{') && out.contains("\"sound\":false"), "{out}");
    assert!(out.contains("\"verdict\":{"), "{out}");
    assert!(fs::read_to_string(page).unwrap().contains("</html>"));
}

#[test]
fn bad_models_and_usage_are_reported() {
    let dir = dir("spin-wrong");
    let run = |args: &[&str]| exits(&linpoint(&dir, &[&["spin"], args].concat()), 2).1;
    assert!(run(&["nowhere.pml", "--spec", "stack"]).contains("nowhere.pml: no such file"));
    assert!(run(&["nowhere.pml"]).contains("--spec"));
    assert!(run(&["nowhere.pml", "--spec", "stak"]).contains("stak"));
    if !spin_is_installed() {
        return;
    }
    let model = |text: &str| fs::write(dir.join("model.pml"), text).unwrap();
    model("#include \"linpoint.pml\"\nactive proctype p() { atomic { LP_OK } }");
    assert!(run(&["model.pml", "--spec", "stack"]).contains("process 0 returns without a call"));
    model("#include \"linpoint.pml\"\nactive proctype p() { LP_CALL0(\"jump\") }");
    let error = run(&["model.pml", "--spec", "stack"]);
    assert!(error.contains("model.pml") && error.contains("\"jump\""), "{error}");
}
