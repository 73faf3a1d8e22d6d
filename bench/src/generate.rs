//! Simulated histories of any size.
//!
//! Clients take turns at random. A turn is a call, an effect on an ordinary single-threaded object,
//! or a return, so intervals and the points inside them are random and the history is linearizable
//! by construction. A call may be *ambiguous*: it never returns, and its client continues as a new
//! process. Half of the ambiguous operations take effect, some of them long after the call.
//!
//! A [`Log`] receives the events: a history in memory, or a file.

use linpoint::history::EventBuilder;
use linpoint::{History, OpId};

use linpoint::random::SplitMix64 as Rng;

/// A single-threaded object and its workload.
pub trait Object {
    /// What is called.
    type Op: Clone;
    /// What is returned.
    type Ret: Clone;
    /// The next operation.
    fn draw(&mut self, rng: &mut Rng) -> Self::Op;
    /// The next operation of this client, for objects that depend on the caller.
    fn draw_by(&mut self, _client: usize, rng: &mut Rng) -> Self::Op {
        self.draw(rng)
    }
    /// Performs it.
    fn apply(&mut self, op: &Self::Op) -> Self::Ret;
    /// Whether it may be ambiguous; a read that never returned is of no interest.
    fn may_crash(&self, _op: &Self::Op) -> bool {
        true
    }
}

/// Receives events in the order in which they happen.
pub trait Log<O, R> {
    /// Identifies an operation that has been called.
    type Id;
    /// An idle process calls an operation.
    fn call(&mut self, process: u32, op: &O) -> Self::Id;
    /// It returns.
    fn ret(&mut self, id: Self::Id, ret: R);
    /// It will never return.
    fn crash(&mut self, id: Self::Id);
}

impl<O: Clone, R> Log<O, R> for EventBuilder<O, R> {
    type Id = OpId;

    fn call(&mut self, process: u32, op: &O) -> OpId {
        self.call_by(process, op.clone()).expect("the client is idle")
    }

    fn ret(&mut self, id: OpId, ret: R) {
        EventBuilder::ret(self, id, ret).expect("it is open");
    }

    fn crash(&mut self, id: OpId) {
        EventBuilder::crash(self, id).expect("it is open");
    }
}

enum Phase<I, O, R> {
    Idle,
    Called(I, O),
    Done(I, R),
    /// An ambiguous operation, and whether it has an effect.
    Lost(I, O, bool),
}

/// The log of a history in memory.
type Events<X> = EventBuilder<<X as Object>::Op, <X as Object>::Ret>;
/// The ids of operations in the log of a simulation.
type Id<X, L> = <L as Log<<X as Object>::Op, <X as Object>::Ret>>::Id;
/// A client: its process, and what it is doing.
type Client<X, L> = (u32, Phase<Id<X, L>, <X as Object>::Op, <X as Object>::Ret>);

/// Makes a history turn by turn.
pub struct Simulation<X: Object, L: Log<X::Op, X::Ret> = Events<X>> {
    /// The object as it is now.
    pub object: X,
    /// The source of randomness.
    pub rng: Rng,
    /// Probability that an operation which may be ambiguous is.
    pub ambiguous: f64,
    log: L,
    clients: Vec<Client<X, L>>,
    processes: u32,
    called: usize,
    /// Ambiguous operations that will take effect later.
    late: Vec<X::Op>,
    /// All ambiguous operations.
    lost: Vec<X::Op>,
}

impl<X: Object> Simulation<X> {
    /// No events yet.
    pub fn new(object: X, clients: u32, seed: u64) -> Self {
        Simulation::logging_to(History::from_events(), object, clients, seed)
    }

    /// The history, after every client has finished.
    pub fn finish(self) -> History<X::Op, X::Ret> {
        self.finish_log().finish()
    }
}

impl<X: Object, L: Log<X::Op, X::Ret>> Simulation<X, L> {
    /// No events yet; they will go to `log`.
    pub fn logging_to(log: L, object: X, clients: u32, seed: u64) -> Self {
        Simulation {
            object,
            rng: Rng::new(seed),
            ambiguous: 0.0,
            log,
            clients: (0..clients).map(|c| (c, Phase::Idle)).collect(),
            processes: clients,
            called: 0,
            late: Vec::new(),
            lost: Vec::new(),
        }
    }

    /// Continues until `operations` have been called in total.
    pub fn until(&mut self, operations: usize) {
        while self.called < operations {
            let client = self.rng.index(self.clients.len());
            self.turn(client);
        }
    }

    /// Lets every client finish its operation.
    pub fn quiesce(&mut self) {
        for client in 0..self.clients.len() {
            while !matches!(self.clients[client].1, Phase::Idle) {
                self.turn(client);
            }
        }
    }

    /// An operation without overlap, with the given result; the object is not consulted.
    pub fn alone(&mut self, op: X::Op, ret: X::Ret) {
        self.called += 1;
        let (process, _) = self.clients[0];
        let id = self.log.call(process, &op);
        self.log.ret(id, ret);
    }

    /// The number of ambiguous operations of this kind so far.
    pub fn lost(&self, kind: impl Fn(&X::Op) -> bool) -> usize {
        self.lost.iter().filter(|op| kind(op)).count()
    }

    fn turn(&mut self, client: usize) {
        let (process, phase) = &mut self.clients[client];
        let phase = std::mem::replace(phase, Phase::Idle);
        let next = match phase {
            Phase::Idle => {
                self.called += 1;
                let op = self.object.draw_by(client, &mut self.rng);
                let id = self.log.call(*process, &op);
                let lost = self.object.may_crash(&op) && self.rng.chance(self.ambiguous);
                if lost { Phase::Lost(id, op, self.rng.chance(0.5)) } else { Phase::Called(id, op) }
            }
            Phase::Called(id, op) => Phase::Done(id, self.object.apply(&op)),
            Phase::Done(id, ret) => {
                self.log.ret(id, ret);
                Phase::Idle
            }
            Phase::Lost(id, op, effective) => {
                self.log.crash(id);
                self.lost.push(op.clone());
                *process = self.processes;
                self.processes += 1;
                if effective && self.rng.chance(0.75) {
                    self.object.apply(&op);
                } else if effective {
                    self.late.push(op);
                }
                Phase::Idle
            }
        };
        self.clients[client].1 = next;
        if !self.late.is_empty() && self.rng.chance(1.0 / 64.0) {
            let at = self.rng.index(self.late.len());
            let op = self.late.swap_remove(at);
            self.object.apply(&op);
        }
    }

    /// The log, after every client has finished.
    pub fn finish_log(mut self) -> L {
        self.quiesce();
        self.log
    }
}

/// A history of `operations` by `clients`.
pub fn simulate<X: Object>(
    object: X,
    clients: u32,
    operations: usize,
    ambiguous: f64,
    seed: u64,
) -> History<X::Op, X::Ret> {
    let mut simulation = Simulation::new(object, clients, seed);
    simulation.ambiguous = ambiguous;
    simulation.until(operations);
    simulation.finish()
}

/// The mean number of other open operations at a call, not counting pending ones.
pub fn mean_overlap<O, R>(history: &History<O, R>) -> f64 {
    let mut change = vec![0i8; history.ranks() as usize];
    let mut calls = 0;
    for id in history.ids() {
        let span = history.span(id);
        if !span.is_pending() {
            change[span.call as usize] = 1;
            change[span.ret as usize] = -1;
            calls += 1;
        }
    }
    let (mut open, mut sum) = (0i64, 0i64);
    for c in change {
        if c > 0 {
            sum += open;
        }
        open += i64::from(c);
    }
    sum as f64 / f64::from(calls.max(1))
}
