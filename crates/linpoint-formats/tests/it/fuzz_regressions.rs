//! Replays the inputs in `fuzz/regressions`, one directory per fuzz target, through the code of the
//! fuzzers.

#[path = "../../../../fuzz/src/lib.rs"]
#[allow(dead_code, unused_imports, reason = "each fuzz target uses a part of it")]
mod fuzz;

use std::path::Path;

#[test]
fn every_kept_input_is_read_or_refused_and_engines_agree() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/regressions");
    let mut replayed = 0;
    for target in std::fs::read_dir(&root).unwrap() {
        let target = target.unwrap();
        let name = target.file_name().into_string().unwrap();
        for input in std::fs::read_dir(target.path()).unwrap() {
            let data = std::fs::read(input.unwrap().path()).unwrap();
            match name.as_str() {
                "any" => fuzz::detect(&data),
                "watch" => fuzz::watch(&data),
                "limits" => fuzz::limits(&data, None),
                "log" => fuzz::log(&data),
                format => fuzz::read(&format.replace('_', "-"), &data),
            }
            replayed += 1;
        }
    }
    assert!(replayed >= 10, "{replayed} inputs in {}", root.display());
}
