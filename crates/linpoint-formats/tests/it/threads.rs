//! The number of threads changes nothing but the time.

use linpoint::verdict::{Verdict, Violation};
use linpoint_formats::registry::{ReadLimits, read_all_within};
use linpoint_formats::{Format, LoadedHistory, ModelName, Settings, Source};
use linpoint_generate::{Options, generate};

/// Long enough for all threads to take part in reading and in checking.
const OPERATIONS: u64 = 70_000;

fn text(options: &Options) -> Source {
    let mut bytes: Vec<u8> = Vec::new();
    generate(options, || Ok(Box::new(&mut bytes))).unwrap();
    Source::new("h", bytes)
}

fn read(source: &Source, threads: usize) -> LoadedHistory {
    let limits = ReadLimits { threads: Some(threads), ..ReadLimits::default() };
    read_all_within(source, limits, None, None).remove(0).history.unwrap()
}

/// What is reported. Which order a search finds depends on who wins the race, so only monitors are expected to repeat it.
/// How much else is said about a violation of a long history depends on the time that is left.
fn outcome(history: &LoadedHistory, threads: usize) -> String {
    let settings = Settings { threads: Some(threads), ..Settings::default() };
    match history.check(&settings) {
        Ok(report) if report.engine.contains("monitor") => match &report.verdict {
            Verdict::Violation(violation) => {
                let Violation { kind, reason, failing, core, .. } = &**violation;
                format!("{} {kind:?} {reason:?} {failing:?} {core:?}", report.engine)
            }
            verdict => format!("{} {verdict:?}", report.engine),
        },
        Ok(report) => format!("linearizable: {}", report.verdict.is_linearizable()),
        Err(error) => error.to_string(),
    }
}

fn assert_same(options: &Options) {
    let source = text(options);
    let one = read(&source, 1);
    let expected = outcome(&one, 1);
    let threads = 3;
    let several = read(&source, threads);
    let model = &options.model.name;
    assert_eq!(one.difference(&several), None, "{model}");
    assert_eq!(one.unknown_results(), several.unknown_results(), "{model}");
    assert!(one.timeline().ids().all(|id| one.line(id) == several.line(id)), "{model}");
    assert!(outcome(&several, threads) == expected, "{model} on {threads} threads");
}

#[test]
fn verdict_order_and_message_do_not_depend_on_threads() {
    for model in ["queue", "priority-queue", "set", "register", "kv"] {
        let model = ModelName::parse(model).unwrap();
        let options = Options { operations: OPERATIONS, ..Options::new(model) };
        assert_same(&options);
        match options.model.name.as_str() {
            "queue" => {
                assert_same(&Options { mutate: true, ..options.clone() });
                assert_same(&Options { format: Format::Fastlin, ..options });
            }
            "register" => assert_same(&Options { ambiguous: 0.01, ..options }),
            _ => {}
        }
    }
}
