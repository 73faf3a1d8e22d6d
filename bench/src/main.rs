//! Benchmarks of linpoint. See `bench/README.md`.

mod generate;
mod lowe;
mod measure;
mod objects;
mod record;
mod rng;
mod svg;
mod table;

const USAGE: &str = "\
usage: linpoint-bench <table> [selection...] [--quick]

  lowe [map] [queue] [map-overlap] [queue-overlap] [map-simulated] [queue-simulated] [keys] [enqueues]
";

fn main() {
    let (flags, words): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|a| a.starts_with("--"));
    let quick = flags.iter().any(|f| f == "--quick");
    let unknown = flags.iter().find(|f| *f != "--quick");
    match (words.first().map(String::as_str), unknown) {
        (Some("lowe"), None) => lowe::main(&words[1..], quick),
        _ => {
            eprint!("{USAGE}");
            std::process::exit(2);
        }
    }
}
