//! Decides a history in memory, phase by phase.

use std::time::{Duration, Instant};

use linpoint::monitor::{self, Times};
use linpoint::{History, OpId, Spec};

use super::floor;
use super::shape::{Shape, Visitor};
use super::text::Text;
use crate::generate::Object;
use crate::measure::{Answer, Setup, run, timed};

/// CPU seconds of each phase, the least of several runs. NaN if not measured separately.
#[derive(Clone, Debug)]
pub struct Phases {
    /// The answer.
    pub answer: String,
    /// The engine.
    pub engine: String,
    /// Turning the history into the form that the monitor works on.
    pub prepare: f64,
    /// Yes or no.
    pub decide: f64,
    /// Making the witness.
    pub witness: f64,
    /// Replaying the witness.
    pub validate: f64,
    /// Everything, as for a user of the library.
    pub all: f64,
    /// The radix sort of the events alone.
    pub sort: f64,
}

impl Phases {
    /// One line that [`Phases::parse`] reads.
    pub fn line(&self) -> String {
        let numbers = [self.prepare, self.decide, self.witness, self.validate, self.all, self.sort];
        let numbers: Vec<String> = numbers.iter().map(f64::to_string).collect();
        format!("{}\t{}\t{}", self.answer, self.engine, numbers.join("\t"))
    }

    /// The inverse of [`Phases::line`].
    pub fn parse(line: &str) -> Option<Phases> {
        let mut fields = line.trim_end().split('\t');
        let (answer, engine) = (fields.next()?.to_owned(), fields.next()?.to_owned());
        let mut number = || fields.next()?.parse().ok();
        Some(Phases {
            answer,
            engine,
            prepare: number()?,
            decide: number()?,
            witness: number()?,
            validate: number()?,
            all: number()?,
            sort: number()?,
        })
    }

    /// The smaller of two for each phase, ignoring NaN.
    fn least(self, other: Phases) -> Phases {
        Phases {
            prepare: self.prepare.min(other.prepare),
            decide: self.decide.min(other.decide),
            witness: self.witness.min(other.witness),
            validate: self.validate.min(other.validate),
            all: self.all.min(other.all),
            sort: self.sort.min(other.sort),
            ..other
        }
    }

    /// The time to an answer without a witness.
    pub fn to_answer(&self) -> f64 {
        self.decide + if self.prepare.is_nan() { 0.0 } else { self.prepare }
    }
}

/// Builds the history of a shape and decides it `times` times, or until `limit` has passed.
pub fn measure(shape: &Shape, times: usize, limit: Duration) -> Phases {
    struct Measure<'a>(&'a Shape, usize, Duration);
    impl Visitor for Measure<'_> {
        type Output = Phases;
        fn visit<S: Spec, X>(self, spec: &S, object: X, _header: &str) -> Phases
        where
            S::Op: Text<S::Ret>,
            X: Object<Op = S::Op, Ret = S::Ret>,
        {
            let Measure(shape, times, limit) = self;
            let history = shape.history(object);
            let begin = Instant::now();
            let mut least = once(spec, &history, limit);
            for _ in 1..times {
                if least.answer != Answer::Yes.name() || begin.elapsed() > limit {
                    break;
                }
                least = least.least(once(spec, &history, limit));
            }
            least
        }
    }
    shape.accept(Measure(shape, times, limit))
}

/// CPU time of the monitor, divided among its phases by its own clocks; then that of everything, as
/// for a user of the library.
fn once<S: Spec>(spec: &S, history: &History<S::Op, S::Ret>, limit: Duration) -> Phases {
    let spans = history.ids().map(|id| history.span(id)).map(|span| (span.call, span.ret));
    let sort = floor::sort(spans);
    let (times, cpu) = timed(|| {
        let ids: Vec<OpId> = history.ids().collect();
        monitor::decide(spec, history, &ids).ok().map(|outcome| outcome.times)
    });
    let share = |phase: fn(&Times) -> Duration| match times {
        Some(times) => {
            let all = times.prepare + times.decide + times.witness;
            cpu * phase(&times).as_secs_f64() / all.as_secs_f64()
        }
        None => f64::NAN,
    };
    let outcome = run(spec, history, &Setup::new("planner", limit), Answer::Yes);
    Phases {
        answer: outcome.answer.name().into(),
        engine: outcome.engine,
        prepare: share(|t| t.prepare),
        decide: share(|t| t.decide),
        witness: share(|t| t.witness),
        validate: outcome.aftermath,
        all: outcome.cpu,
        sort,
    }
}
