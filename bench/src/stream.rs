//! Incremental checking of long streams: events per CPU second and peak memory, with monitors and with
//! configurations only.
//!
//! Events are generated as they are fed, so that the stream itself takes no memory. The same stream
//! is generated once more without a checker, to measure the cost of generating it. Each case has a
//! process of its own, for its peak memory, and a limit of CPU seconds: operations after the limit
//! are not counted.

mod objects;

use linpoint::incremental::{Incremental, Open, Step};
use linpoint::spec::Spec;
use linpoint::spec::models::{
    CasRegister, KeyValue, Order, PriorityQueue, Queue, Register, Snapshot, Stack,
};

use crate::measure::{cpu, line_of_process, peak_rss};
use crate::table::{Table, mib, seconds, short};
use linpoint::random::SplitMix64 as Rng;
use objects::{Atomic, CasCell, Cell, Fifo, Heap, KEYS, Lifo, Map, SEGMENTS, Segments};

/// CPU seconds for one case.
const LIMIT: f64 = 20.0;

/// The streamed objects, and the numbers of clients.
const CASES: [(&str, &[usize]); 7] = [
    ("map", &[32, 100]),
    ("register", &[4, 100]),
    ("cas-register", &[4, 100]),
    ("snapshot", &[4, 100]),
    ("queue", &[4, 100]),
    ("priority-queue", &[4, 100]),
    ("stack", &[4, 100]),
];

/// What a client is doing.
enum Client<X: Atomic> {
    Idle,
    Called(Option<Open>, X::Op),
    Done(Option<Open>, X::Ret),
}

/// The result of a stream.
#[derive(Default)]
struct Run {
    /// Operations that ended.
    ended: u64,
    /// The largest number of configurations, and of stored items.
    configurations: usize,
    stored: usize,
    /// The checker gave up.
    undecided: bool,
}

/// Generates a stream of `operations` by `clients`. Feeds it to a checker if there is one.
fn stream<S: Spec, X: Atomic<Op = S::Op, Ret = S::Ret>>(
    mut object: X,
    mut checker: Option<Incremental<'_, S>>,
    clients: usize,
    operations: u64,
) -> Run {
    let mut rng = Rng::new(42);
    let mut doing: Vec<Client<X>> = (0..clients).map(|_| Client::Idle).collect();
    let (mut run, mut begun, begin) = (Run::default(), 0, cpu());
    while run.ended < operations && !run.undecided {
        let c = rng.index(clients);
        doing[c] = match std::mem::replace(&mut doing[c], Client::Idle) {
            Client::Idle if begun < operations => {
                begun += 1;
                let op = object.draw(&mut rng, c);
                let open = checker.as_mut().map(|c| c.call(op.clone()).expect("a valid stream"));
                Client::Called(open, op)
            }
            Client::Idle => Client::Idle,
            Client::Called(open, op) => Client::Done(open, object.apply(&op)),
            Client::Done(open, ret) => {
                run.ended += 1;
                if let (Some(checker), Some(open)) = (&mut checker, open) {
                    match checker.ret(open, ret).expect("a valid stream") {
                        Step::Fine => {}
                        Step::Undecided(_) => run.undecided = true,
                        Step::Violation(v) => panic!("the stream is linearizable, but {v:?}"),
                    }
                    // With many configurations, every return may take long.
                    if run.ended % 4096 == 0 || run.ended < 4096 && run.ended % 16 == 0 {
                        run.configurations = run.configurations.max(checker.configurations());
                        run.stored = run.stored.max(checker.stored());
                        if cpu() - begin > LIMIT {
                            break;
                        }
                    }
                }
                Client::Idle
            }
        };
    }
    run
}

/// Streams an object to a checker, or to none.
fn run(object: &str, clients: usize, operations: u64, engine: &str) -> Run {
    fn with<S: Spec, X: Atomic<Op = S::Op, Ret = S::Ret>>(
        spec: &S,
        object: X,
        clients: usize,
        operations: u64,
        engine: &str,
    ) -> Run {
        let checker = match engine {
            "none" => None,
            "monitor" => Some(Incremental::new(spec)),
            _ => Some(Incremental::new(spec).configurations_only()),
        };
        stream(object, checker, clients, operations)
    }
    match object {
        "map" => with(&KeyValue::new(None), Map::default(), clients, operations, engine),
        "register" => with(&Register { initial: 0 }, Cell::default(), clients, operations, engine),
        "cas-register" => {
            with(&CasRegister { initial: 0 }, CasCell::default(), clients, operations, engine)
        }
        "snapshot" => {
            let spec = Snapshot { segments: SEGMENTS, initial: 0 };
            with(&spec, Segments::default(), clients, operations, engine)
        }
        "priority-queue" => {
            with(&PriorityQueue::new(Order::Max), Heap::default(), clients, operations, engine)
        }
        "stack" => with(&Stack::new(), Lifo::default(), clients, operations, engine),
        _ => with(&Queue::new(), Fifo::default(), clients, operations, engine),
    }
}

/// Runs one case in this process: object, clients, operations, engine. Returns the last cells of
/// its row.
pub fn case(words: &[String]) -> String {
    let [object, clients, operations, engine] = words else { panic!("four words: {words:?}") };
    let clients = clients.parse().expect("a number");
    let operations = operations.parse().expect("a number");
    let begin = cpu();
    let checked = run(object, clients, operations, engine);
    let all = cpu() - begin;
    let begin = cpu();
    run(object, clients, checked.ended, "none");
    let making = cpu() - begin;
    let ending = match checked {
        Run { undecided: true, .. } => "given up",
        Run { ended, .. } if ended < operations => "stopped",
        _ => "all",
    };
    let cells = [
        checked.ended.to_string(),
        ending.to_owned(),
        seconds(all),
        seconds(making),
        short(2.0 * checked.ended as f64 / (all - making).max(1e-9)),
        checked.configurations.to_string(),
        checked.stored.to_string(),
        mib(peak_rss()),
    ];
    cells.join("\t")
}

pub fn main(words: &[String], quick: bool) {
    let sizes: &[u64] = if quick { &[100_000] } else { &[1_000_000, 10_000_000] };
    let mut table = Table::new([
        "object",
        "clients",
        "operations",
        "engine",
        "checked",
        "",
        "CPU",
        "of it making events",
        "events / CPU s",
        "configurations",
        "stored",
        "peak RSS",
    ]);
    for (object, all_clients) in CASES {
        if !words.is_empty() && !words.iter().any(|word| word == object) {
            continue;
        }
        for &clients in all_clients {
            for engine in ["monitor", "configurations"] {
                for &operations in sizes {
                    let row = [object, &clients.to_string(), &operations.to_string(), engine];
                    let row = row.map(str::to_owned);
                    let line = line_of_process(&[&["stream".to_owned()], &row[..]].concat());
                    let cells = line.trim_end().split('\t').map(str::to_owned);
                    let row: Vec<String> = row.into_iter().chain(cells).collect();
                    eprintln!("{}", row.join(" | "));
                    table.row(row);
                }
            }
        }
    }
    let title = format!(
        "Incremental checking (two events an operation, {LIMIT} CPU seconds; map: {KEYS} keys, \
         snapshot: {SEGMENTS} segments)"
    );
    table.publish(&title, "stream");
}
