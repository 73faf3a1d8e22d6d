//! `write-history`: writes a simulated history to a file.

use std::path::Path;

use super::objects::Mix;
use super::shape::{Shape, Type};

/// The usage.
pub const USAGE: &str = "\
usage: linpoint-bench write-history [options] FILE

  --type set|stack|queue|priority-queue|register|snapshot   (queue)
  --ops N           operations (100000)
  --processes K     processes, each with at most one open operation (4)
  --adds PERCENT    adds among the operations that are not peeks (50)
  --peeks PERCENT   peeks, or lookups in a set, among all operations (0)
  --empties         containers may be found empty
  --seed S          (1)

Linearizable, distinct values, every operation completed. Sets and containers are written in
fastlin's format, registers and snapshots as linpoint's JSON lines.
";

/// Writes the file that `words` describe. The error is a message for the user.
pub fn main(words: &[String]) -> Result<(), String> {
    if words.iter().any(|w| w == "--help") {
        print!("{USAGE}");
        return Ok(());
    }
    let mix = Mix { adds: 0.5, peeks: 0.0, empties: false };
    let mut shape = Shape { object: Type::Queue, operations: 100_000, processes: 4, mix, seed: 1 };
    let mut file = None;
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if word == "--empties" {
            shape.mix.empties = true;
            continue;
        }
        if !word.starts_with("--") {
            if file.replace(Path::new(word)).is_some() {
                return Err(format!("a second file: {word}"));
            }
            continue;
        }
        let value = words.next().ok_or_else(|| format!("{word} needs a value"))?;
        let bad = || format!("{word} cannot be {value:?}");
        match word.as_str() {
            "--type" => shape.object = Type::from_name(value).ok_or_else(bad)?,
            "--ops" => shape.operations = value.parse().map_err(|_| bad())?,
            "--processes" => {
                let at_least_one: std::num::NonZeroU32 = value.parse().map_err(|_| bad())?;
                shape.processes = at_least_one.get();
            }
            "--adds" => shape.mix.adds = percent(value).ok_or_else(bad)?,
            "--peeks" => shape.mix.peeks = percent(value).ok_or_else(bad)?,
            "--seed" => shape.seed = value.parse().map_err(|_| bad())?,
            _ => return Err(format!("there is no option {word}")),
        }
    }
    let file = file.ok_or("no file was given")?;
    shape.write(file).map_err(|e| format!("cannot write {}: {e}", file.display()))
}

fn percent(text: &str) -> Option<f64> {
    let percent: f64 = text.parse().ok()?;
    (0.0..=100.0).contains(&percent).then_some(percent / 100.0)
}
