//! Streams that are watched by a monitor, against the same streams explained by configurations.

use linpoint::incremental::{Incremental, Open, Step, StreamError};
use linpoint::spec::models::{Mutex, MutexOp, Set, SetOp};
use linpoint::spec::{Footprint, Spec};
use linpoint_suite::Rng;

/// A specification that does not say what kind of object it is: no monitor watches it.
struct Plain<'a, S>(&'a S);

impl<S: Spec> Spec for Plain<'_, S> {
    type Op = S::Op;
    type Ret = S::Ret;
    type State = S::State;

    fn initial(&self) -> S::State {
        self.0.initial()
    }

    fn successors(&self, s: &S::State, op: &S::Op, ret: Option<&S::Ret>, next: &mut Vec<S::State>) {
        self.0.successors(s, op, ret, next);
    }

    fn outcomes(&self, s: &S::State, op: &S::Op, out: &mut Vec<(S::Ret, S::State)>) -> bool {
        self.0.outcomes(s, op, out)
    }

    fn fits(&self, op: &S::Op, exact: &S::Ret, recorded: &S::Ret) -> bool {
        self.0.fits(op, exact, recorded)
    }

    fn footprint(&self, op: &S::Op) -> Footprint {
        self.0.footprint(op)
    }

    fn is_read(&self, op: &S::Op, ret: Option<&S::Ret>) -> bool {
        self.0.is_read(op, ret)
    }

    fn describe_state(&self, state: &S::State) -> String {
        self.0.describe_state(state)
    }
}

/// How often things happen.
struct Style {
    clients: usize,
    events: usize,
    wrong: f64,
    crash: f64,
    fail: f64,
    unknown: f64,
}

/// What a client is doing.
enum Client<R> {
    Idle,
    Called,
    /// It has taken effect, with this result.
    Done(R),
}

/// What was seen.
#[derive(Default, Debug)]
struct Tally {
    streams: u64,
    violations: u64,
    events: u64,
}

/// Runs clients on the real object, with some wrong results, and gives both checkers the same events.
fn compare<S: Spec>(spec: &S, ops: &[S::Op], style: &Style, rng: &mut Rng, tally: &mut Tally) {
    let plain = Plain(spec);
    let (mut watched, mut explained) = (Incremental::new(spec), Incremental::new(&plain));
    let mut clients: Vec<Client<S::Ret>> = (0..style.clients).map(|_| Client::Idle).collect();
    let mut open: Vec<Option<(Open, Open, S::Op)>> = vec![None; style.clients];
    let mut state = spec.initial();
    let mut log = Vec::new();
    tally.streams += 1;
    for _ in 0..style.events {
        let c = rng.below(style.clients);
        match &clients[c] {
            Client::Idle => {
                let op = rng.pick(ops).expect("some operation").clone();
                log.push(format!("{c} calls {op:?}"));
                let a = watched.call(op.clone()).expect("one key");
                let b = explained.call(op.clone()).expect("one key");
                open[c] = Some((a, b, op));
                clients[c] = Client::Called;
                continue;
            }
            Client::Called if !rng.chance(style.crash + style.fail + style.wrong) => {
                let (_, _, op) = open[c].as_ref().expect("called");
                let mut out = Vec::new();
                assert!(spec.outcomes(&state, op, &mut out));
                if let Some((ret, next)) = out.pop() {
                    state = next;
                    clients[c] = Client::Done(ret);
                }
                continue;
            }
            _ => {}
        }
        let (a, b, op) = open[c].take().expect("called");
        let client = std::mem::replace(&mut clients[c], Client::Idle);
        let steps: (Result<_, StreamError>, Result<_, StreamError>) = match client {
            Client::Done(ret) if !rng.chance(style.unknown) => {
                log.push(format!("{c} returns {ret:?}"));
                (watched.ret(a, ret.clone()), explained.ret(b, ret))
            }
            Client::Done(_) => {
                log.push(format!("{c} returns something"));
                (watched.ret_unknown(a), explained.ret_unknown(b))
            }
            _ if rng.chance(style.crash / (style.crash + style.fail + style.wrong)) => {
                log.push(format!("{c} crashes"));
                watched.crash(a).expect("open");
                explained.crash(b).expect("open");
                (Ok(Step::Fine), Ok(Step::Fine))
            }
            _ if rng.chance(style.fail / (style.fail + style.wrong)) => {
                log.push(format!("{c} fails"));
                (watched.fail(a), explained.fail(b))
            }
            _ => {
                // A result from some state or other.
                let mut out = Vec::new();
                let mut states = vec![spec.initial(), state.clone()];
                ops.iter().for_each(|op| spec.successors(&spec.initial(), op, None, &mut states));
                for state in &states {
                    spec.outcomes(state, &op, &mut out);
                }
                let (ret, _) = out.swap_remove(rng.below(out.len()));
                log.push(format!("{c} returns {ret:?}"));
                (watched.ret(a, ret.clone()), explained.ret(b, ret))
            }
        };
        tally.events += 1;
        match steps {
            (Ok(Step::Fine), Ok(Step::Fine)) => {}
            (Ok(Step::Violation(mut a)), Ok(Step::Violation(mut b))) => {
                let sort = |rets: &mut Vec<S::Ret>| rets.sort_by_key(|ret| format!("{ret:?}"));
                sort(&mut a.allowed);
                sort(&mut b.allowed);
                assert_eq!((a.operation, a.allowed), (b.operation, b.allowed), "{log:#?}");
                assert!(b.states.iter().all(|s| a.states.contains(s)), "{log:#?}");
                tally.violations += 1;
                return;
            }
            (a, b) => panic!("{a:?}\n{b:?}\n{log:#?}"),
        }
    }
}

fn compare_all<S: Spec>(name: &str, spec: &S, ops: &[S::Op]) {
    let count = if std::env::var("LINPOINT_LONG").is_ok() { 300_000 } else { 4_000 };
    let mut tally = Tally::default();
    for case in 0..count {
        let rng = &mut Rng::for_case(12, case);
        let some = |rng: &mut Rng, often: f64| if rng.chance(0.4) { often } else { 0.001 };
        let style = Style {
            clients: rng.between(1, 5),
            events: rng.between(5, 60),
            wrong: some(rng, 0.1),
            crash: some(rng, 0.06),
            fail: some(rng, 0.06),
            unknown: if rng.chance(0.2) { 0.1 } else { 0.0 },
        };
        compare(spec, ops, &style, rng, &mut tally);
    }
    println!("{name}: {tally:?}");
    assert!(tally.violations > count / 10 && tally.violations < tally.streams);
}

#[test]
fn sets() {
    use SetOp::{Contains, Insert, Remove};
    compare_all("set, one key", &Set::new(), &[Insert(1), Remove(1), Contains(1)]);
    let two = [Insert(1), Remove(1), Contains(1), Insert(2), Remove(2), Contains(2)];
    compare_all("set, two keys", &Set::new(), &two);
}

#[test]
fn locks() {
    use MutexOp::{Acquire, Release, TryAcquire};
    let ops = [Acquire(None), Release(None), TryAcquire(None)];
    compare_all("lock", &Mutex { owner: false }, &ops);
    compare_all("lock with owners", &Mutex { owner: true }, &ops);
}

/// With twenty operations open at once, configurations would be too many; the monitor needs one.
#[test]
fn many_open_operations_are_no_problem_for_a_monitor() {
    let spec = Mutex { owner: false };
    let mut stream = Incremental::new(&spec);
    let open: Vec<Open> =
        (0..40).map(|_| stream.call(MutexOp::Acquire(None)).expect("one lock")).collect();
    for acquired in open {
        let done = linpoint::spec::models::MutexRet::Done;
        assert_eq!(stream.ret(acquired, done), Ok(Step::Fine));
        let release = stream.call(MutexOp::Release(None)).expect("one lock");
        assert_eq!(stream.ret(release, done), Ok(Step::Fine));
        assert_eq!(stream.configurations(), 1);
    }
}
