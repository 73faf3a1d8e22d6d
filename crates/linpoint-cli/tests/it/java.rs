//! Recordings of `tools/java/Recorder.java` on a real JVM.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::{dir, exits, linpoint};

#[test]
fn recordings_of_a_jvm_are_checked() {
    let found = Command::new("java").arg("-version").stderr(Stdio::null()).status();
    if !found.is_ok_and(|status| status.success()) {
        eprintln!("SKIPPED: java is not installed");
        return;
    }
    let dir = dir("java-recorder");
    let recorder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/java/Recorder.java");
    for (object, code, operations) in [("queue", 0, 600), ("map", 0, 300), ("forgetful", 1, 600)] {
        let file = format!("{object}.jsonl");
        let recorded = Command::new("java")
            .args(["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"])
            .arg(&recorder)
            .args([object, &file])
            .current_dir(&dir)
            .output()
            .unwrap();
        let err = String::from_utf8_lossy(&recorded.stderr);
        assert!(recorded.status.success(), "{err}");
        let (out, _) = exits(&linpoint(&dir, &["check", "--as", "tsv", &file]), code);
        assert!(out.contains(&format!("\t{operations}\t")), "{out}");
    }
}
