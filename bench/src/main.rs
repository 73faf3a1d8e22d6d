//! Benchmarks of linpoint. See `bench/README.md`.

mod ambiguous;
mod bugs;
mod child;
mod clocks;
mod cores;
mod gallery;
mod generate;
mod hard;
mod hitting;
mod limits;
mod lowe;
mod measure;
mod monitors;
mod objects;
mod planted;
mod profile;
mod prune;
mod record;
mod repeats;
mod scale;
mod schedulers;
mod stream;
mod svg;
mod table;
mod testing;
mod waiting;

const USAGE: &str = "\
usage: linpoint-bench <table> [selection...] [--quick]

  lowe       map queue map-overlap queue-overlap map-simulated queue-simulated keys enqueues
  hard       queue-1000 queue-10000 stack-1000 stack-10000 store contradiction
  hitting
  scale      length concurrency ambiguous
  ambiguous
  prune
  stream     map register cas-register snapshot queue
  limits     [<model>...] [2000 10000 100000] [concurrent nested spanning staggered pending]
             [right wrong stale] [distinct few] [check explain json junit tsv html watch shrink depth stats
             plan] [write]
  monitors   set stack queue priority-queue register snapshot, peeks
  cores      queue stack priority-queue bag set register kv counter mutex semaphore snapshot
  repeats    [<model>...] [1000 10000 100000] [2 4 8 16]
  testing    recording checking waiting
  planted    [<calls>] [idle] [loaded] [<bug>...]
  clocks     [<seconds for each cell>]
  gallery    wrong [<structure>...] [stress] [shuttle] [loom], right, loop <minutes>
  schedulers small large
  profile    (map | queue | stack | register) <operations> <engine>

Tables go to the standard output and, with plots, to bench/record.

usage: linpoint-bench write-history --help
";

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    // It has options with values; the tables have none.
    if args.first().is_some_and(|a| a == "write-history") {
        if let Err(message) = monitors::write::main(&args[1..]) {
            eprint!("{message}\n\n{}", monitors::write::USAGE);
            std::process::exit(2);
        }
        return;
    }
    let (flags, words): (Vec<String>, Vec<String>) =
        args.into_iter().partition(|a| a.starts_with("--"));
    let quick = flags.iter().any(|f| f == "--quick");
    if flags.iter().any(|f| f != "--quick") || words.is_empty() {
        usage();
    }
    if quick {
        table::keep_as_quick();
    }
    let rest = &words[1..];
    match words[0].as_str() {
        "lowe" => lowe::main(rest, quick),
        "hard" => hard::main(rest, quick),
        "scale" => scale::main(rest, quick),
        "ambiguous" => ambiguous::main(quick),
        "hitting" => hitting::main(quick),
        "limits" => limits::main(rest, quick),
        "prune" => prune::main(quick),
        "stream" => stream::main(rest, quick),
        "monitors" => monitors::main(rest, quick),
        "cores" => cores::main(rest, quick),
        "repeats" => repeats::main(rest, quick),
        "testing" => testing::main(rest, quick),
        "planted" => planted::main(rest, quick),
        "clocks" => clocks::main(rest, quick),
        "gallery" => gallery::main(rest, quick),
        "schedulers" => schedulers::main(rest, quick),
        "profile" => profile::main(rest),
        // For the program's calls of itself: one case, one line.
        "case" if rest.first().is_some_and(|w| w == "monitors") => {
            println!("{}", monitors::case(&rest[1..]).line());
        }
        "case" if rest.first().is_some_and(|w| w == "stream") => {
            println!("{}", stream::case(&rest[1..]));
        }
        "case" => {
            let outcome = match rest.first().map(String::as_str) {
                Some("hard") => hard::case(&rest[1..]),
                Some("scale") => scale::case(&rest[1..]),
                Some("ambiguous") => ambiguous::case(&rest[1..]),
                _ => usage(),
            };
            println!("{}", outcome.line());
        }
        _ => usage(),
    }
}

fn usage() -> ! {
    eprint!("{USAGE}");
    std::process::exit(2);
}
