//! A program in any language as a model.
//!
//! Asking takes microseconds where a script takes less than one. So each (state, operation) is asked once, and questions are
//! asked ahead: with a question go the operations that are likely to be asked about next, in the order in which they
//! returned, each in the state that the one before leaves. How many, depends on how many of the last ones were of use.

mod program;

use std::fmt::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use linpoint::wire::Value;
use rustc_hash::FxHashMap;
use serde_json::{Map, Value as Json};

use crate::model::Introduction;
use crate::op::{CustomOp, Key};
use crate::relation::{Arg, Failure, Relation, State, Template};
use program::{Program, shown};

/// How long to wait for a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProcessLimits {
    /// For each answer.
    pub answer: Duration,
}

impl Default for ProcessLimits {
    /// Ten seconds.
    fn default() -> Self {
        ProcessLimits { answer: Duration::from_secs(10) }
    }
}

/// The version of the questions and answers.
const PROTOCOL: u64 = 1;
/// Most operations that are asked ahead.
const MOST_AHEAD: usize = 128;
/// When more answers than this are known, all are forgotten.
const MOST_ANSWERS: usize = 1 << 20;

/// A result and the number of a state.
type Outcomes = Box<[(Value, u32)]>;

struct Process {
    wants_process: bool,
    reads: Vec<String>,
    /// Which argument of an operation is its key.
    keys: Vec<(String, usize)>,
    ops: Option<Vec<Template>>,
    talk: Mutex<Talk>,
}

/// The program, and what it has said.
struct Talk {
    program: Program,
    failure: Option<Failure>,
    states: Numbers<State>,
    ops: Numbers<CustomOp>,
    outcomes: FxHashMap<(u32, u32), Outcomes>,
    /// The operations of the history in the order of their returns.
    order: Vec<u32>,
    /// Where each operation is in that order, ascending.
    places: FxHashMap<u32, Vec<u32>>,
    /// Where in the order the last question was.
    place: u32,
    /// How many operations to ask ahead.
    ahead: usize,
    /// How many answers of the last question were not of use yet.
    unused: FxHashMap<(u32, u32), ()>,
    asked: usize,
    /// How many questions about steps there were.
    questions: u64,
    /// An earlier question, which is asked again from time to time: the answer must be the same.
    control: Option<(u32, u32)>,
}

/// Numbers for values.
struct Numbers<T> {
    values: Vec<T>,
    numbers: FxHashMap<T, u32>,
}

impl<T> Default for Numbers<T> {
    fn default() -> Self {
        Numbers { values: Vec::new(), numbers: FxHashMap::default() }
    }
}

impl<T: Clone + Eq + std::hash::Hash> Numbers<T> {
    fn number(&mut self, value: &T) -> u32 {
        if let Some(known) = self.numbers.get(value) {
            return *known;
        }
        let number = self.values.len() as u32;
        self.values.push(value.clone());
        self.numbers.insert(value.clone(), number);
        number
    }
}

/// Starts a program and lets it introduce itself.
pub(crate) fn start(
    command: &str,
    options: &[(String, Value)],
    limits: ProcessLimits,
) -> Result<Introduction, String> {
    let mut program = Program::start(command, limits.answer)?;
    let given: Map<String, Json> = options
        .iter()
        .map(|(name, value)| Ok((name.clone(), json(value)?)))
        .collect::<Result<_, String>>()?;
    let hello =
        format!("\"hello\":{{\"protocol\":{PROTOCOL},\"options\":{}}}", Json::Object(given));
    let answer = program.ask(&hello)?;
    let wrong = |program: &mut Program, message: String| {
        program.failed(&format!("introduces itself in a wrong way: {message}"))
    };
    let read = match Hello::read(&answer, options) {
        Ok(read) => read,
        Err(message) => return Err(wrong(&mut program, message)),
    };
    let Hello { about, shape, one_key, wants_process, reads, keys, ops, names, options } = read;
    let talk = Mutex::new(Talk::new(program));
    Ok(Introduction {
        about,
        options,
        shape,
        one_key,
        likely_names: names,
        relation: Box::new(Process { wants_process, reads, keys, ops, talk }),
    })
}

/// What a program says about itself.
struct Hello {
    about: String,
    shape: Option<Value>,
    one_key: bool,
    wants_process: bool,
    reads: Vec<String>,
    keys: Vec<(String, usize)>,
    ops: Option<Vec<Template>>,
    names: Vec<String>,
    options: Vec<(String, Value)>,
}

impl Hello {
    fn read(answer: &Map<String, Json>, given: &[(String, Value)]) -> Result<Hello, String> {
        let text = |key: &str| answer.get(key).and_then(Json::as_str);
        let name = text("name").ok_or("it must give its \"name\"")?;
        let version = text("version").map(|version| format!(" {version}")).unwrap_or_default();
        let about = match text("about") {
            Some(about) => format!("{name}{version}: {about}"),
            None => format!("{name}{version}"),
        };
        let shape = answer.get("shape").map(value).transpose()?;
        let mut names = Vec::new();
        let mut reads = Vec::new();
        for read in list(answer, "reads")? {
            let name = read.as_str().ok_or("\"reads\" must be names of operations")?;
            reads.push(name.to_owned());
            names.push(name.to_owned());
        }
        let mut keys = Vec::new();
        match answer.get("keys") {
            None | Some(Json::Null) => {}
            Some(Json::Object(positions)) => {
                for (name, at) in positions {
                    let at =
                        at.as_u64().ok_or("\"keys\" must be positions of arguments, from 0")?;
                    keys.push((name.clone(), at as usize));
                    names.push(name.clone());
                }
            }
            Some(_) => return Err("\"keys\" must be an object: {\"put\": 0, \"get\": 0}".into()),
        }
        let templates: Vec<Template> =
            list(answer, "ops")?.iter().map(template).collect::<Result<_, String>>()?;
        names.extend(templates.iter().map(|op| op.name.clone()));
        let mut options = Vec::new();
        if let Some(Json::Object(known)) = answer.get("options") {
            for (name, default) in known {
                let given =
                    given.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone());
                options.push((name.clone(), given.map_or_else(|| value(default), Ok)?));
            }
        }
        let is_set = |key: &str| answer.get(key).and_then(Json::as_bool).unwrap_or(false);
        Ok(Hello {
            about: shown(&about),
            shape,
            one_key: is_set("one_key"),
            wants_process: is_set("process"),
            reads,
            keys,
            ops: (!templates.is_empty()).then_some(templates),
            names,
            options,
        })
    }
}

fn list<'a>(answer: &'a Map<String, Json>, key: &str) -> Result<&'a [Json], String> {
    match answer.get(key) {
        None | Some(Json::Null) => Ok(&[]),
        Some(Json::Array(items)) => Ok(items),
        Some(_) => Err(format!("{key:?} must be a list")),
    }
}

/// `["put", "$key", "$value"]`.
fn template(op: &Json) -> Result<Template, String> {
    let form = "\"ops\" must be a list of operations: [[\"put\", \"$key\", \"$value\"], [\"get\", \"$key\"]]";
    let Json::Array(parts) = op else { return Err(form.to_owned()) };
    let [Json::String(name), args @ ..] = parts.as_slice() else { return Err(form.to_owned()) };
    let arg = |arg: &Json| {
        Ok(match arg.as_str() {
            Some("$key") => Arg::Key,
            Some("$value") => Arg::Value,
            Some("$amount") => Arg::Amount,
            Some("$process") => Arg::Process,
            _ => Arg::Fixed(value(arg)?),
        })
    };
    Ok(Template { name: name.clone(), args: args.iter().map(arg).collect::<Result<_, String>>()? })
}

/// A value of a history.
fn value(json: &Json) -> Result<Value, String> {
    serde_json::from_value(json.clone()).map_err(|error| error.to_string())
}

fn json(value: &Value) -> Result<Json, String> {
    serde_json::to_value(value).map_err(|error| error.to_string())
}

impl Talk {
    fn new(program: Program) -> Talk {
        Talk {
            program,
            failure: None,
            states: Numbers::default(),
            ops: Numbers::default(),
            outcomes: FxHashMap::default(),
            order: Vec::new(),
            places: FxHashMap::default(),
            place: 0,
            ahead: 1,
            unused: FxHashMap::default(),
            asked: 0,
            questions: 0,
            control: None,
        }
    }

    /// Asks a question. After a failure, there are no more answers.
    fn ask(&mut self, question: &str) -> Result<Map<String, Json>, Failure> {
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        let answer = self.program.ask(question);
        if let Err(failure) = &answer {
            self.failure = Some(failure.clone());
        }
        answer
    }

    fn wrong<T>(&mut self, what: &str) -> Result<T, Failure> {
        let failure = self.program.failed(what);
        self.failure = Some(failure.clone());
        Err(failure)
    }

    /// The outcomes of an operation in a state.
    fn outcomes(&mut self, state: &State, op: &CustomOp) -> Result<&Outcomes, Failure> {
        if self.outcomes.len() > MOST_ANSWERS {
            self.outcomes = FxHashMap::default();
            self.states = Numbers::default();
            self.control = None;
        }
        let key = (self.states.number(state), self.ops.number(op));
        if !self.outcomes.contains_key(&key) {
            self.step(key)?;
        }
        self.unused.remove(&key);
        match self.outcomes.get(&key) {
            Some(_) => Ok(&self.outcomes[&key]),
            None => self.wrong("has not answered the question").map(|()| &self.outcomes[&key]),
        }
    }

    /// The operations that are likely to be asked about after this one.
    fn likely(&mut self, op: u32) -> Vec<u32> {
        let Some(places) = self.places.get(&op) else { return vec![op] };
        // The occurrence that is nearest to the last question.
        let near = self.place.saturating_sub(16);
        let at = places.partition_point(|place| *place < near);
        let Some(place) = places.get(at).or(places.last()).copied() else { return vec![op] };
        self.place = place;
        let (first, end) = (place as usize, (place as usize + self.ahead).min(self.order.len()));
        self.order[first..end].to_vec()
    }

    fn step(&mut self, (state, op): (u32, u32)) -> Result<(), Failure> {
        // Ask twice as many if most were of use, half as many if few were.
        if self.asked > 0 {
            let used = self.asked - self.unused.len().min(self.asked);
            self.ahead = match 2 * used > self.asked {
                true => (2 * self.ahead).min(MOST_AHEAD),
                false => (self.ahead / 2).max(1),
            };
        }
        self.step_in((state, op))
    }

    fn step_in(&mut self, (state, op): (u32, u32)) -> Result<(), Failure> {
        let ops = self.likely(op);
        self.asked = ops.len();
        self.unused.clear();
        self.questions += 1;
        let is_time = self.questions.is_power_of_two() || self.questions.is_multiple_of(16);
        let control = self.control.filter(|_| is_time);
        let mut steps = vec![(state, ops)];
        steps.extend(control.map(|(state, op)| (state, vec![op])));
        let mut question = "\"steps\":[".to_owned();
        for (i, (state, ops)) in steps.iter().enumerate() {
            question.push_str(if i == 0 { "" } else { "," });
            self.write_step(*state, ops, &mut question)?;
        }
        question.push(']');
        let answer = self.ask(&question)?;
        let answers = match answer.get("outcomes") {
            Some(Json::Array(answers)) if answers.len() == steps.len() => answers,
            _ => return self.wrong(&bad_shape(&steps, &answer)),
        };
        for ((state, ops), answers) in steps.iter().zip(answers) {
            match answers {
                Json::Array(answers) if answers.len() == ops.len() => {
                    self.take_answers(*state, ops, answers)?;
                }
                _ => return self.wrong(&bad_shape(&steps, &answer)),
            }
        }
        self.control = Some((state, op));
        Ok(())
    }

    fn write_step(&self, state: u32, ops: &[u32], question: &mut String) -> Result<(), Failure> {
        question.push_str("{\"state\":");
        question.push_str(&String::from_utf8_lossy(&self.states.values[state as usize]));
        question.push_str(",\"ops\":[");
        for (i, op) in ops.iter().enumerate() {
            question.push_str(if i == 0 { "" } else { "," });
            write_op(&self.ops.values[*op as usize], question)?;
        }
        question.push_str("]}");
        Ok(())
    }

    /// Takes the answers about operations one after the other.
    fn take_answers(&mut self, state: u32, ops: &[u32], answers: &[Json]) -> Result<(), Failure> {
        let mut state = state;
        for (&op, outcomes) in ops.iter().zip(answers) {
            let outcomes = self.read_outcomes(outcomes, op)?;
            let first = outcomes.first().map(|(_, after)| *after);
            match self.outcomes.get(&(state, op)) {
                Some(known) if *known != outcomes => {
                    let name = self.ops.values[op as usize].name;
                    let state = &self.states.values[state as usize];
                    let state = shown(&String::from_utf8_lossy(state));
                    return self.wrong(&format!(
                        "gave two different answers to one question: {name} in the state {state}"
                    ));
                }
                Some(_) => {}
                None => {
                    self.unused.insert((state, op), ());
                    self.outcomes.insert((state, op), outcomes);
                }
            }
            state = first.unwrap_or(state);
        }
        Ok(())
    }

    fn read_outcomes(&mut self, outcomes: &Json, op: u32) -> Result<Outcomes, Failure> {
        let wrong = |talk: &mut Talk, what: &str| {
            let name = talk.ops.values[op as usize].name;
            let given = shown(&outcomes.to_string());
            talk.wrong(&format!("answered wrongly about {name}: {what}, not {given}"))
        };
        let pairs = match outcomes {
            Json::Null => return Ok(Box::default()),
            Json::Array(pairs) => pairs,
            _ => return wrong(self, "outcomes must be a list of [result, state]"),
        };
        let mut read = Vec::new();
        for pair in pairs {
            match pair.as_array().map(Vec::as_slice) {
                Some([ret, state]) => match value(ret) {
                    Ok(ret) => {
                        let state = self.states.number(&state.to_string().into_bytes().into());
                        read.push((ret, state));
                    }
                    Err(error) => return wrong(self, &error),
                },
                _ => return wrong(self, "an outcome must be [result, state]"),
            }
        }
        Ok(read.into())
    }
}

fn bad_shape(steps: &[(u32, Vec<u32>)], answer: &Map<String, Json>) -> String {
    let given = shown(&Json::Object(answer.clone()).to_string());
    let lengths: Vec<String> = steps.iter().map(|(_, ops)| ops.len().to_string()).collect();
    let expected = lengths.join(" and ");
    format!("must answer with \"outcomes\", lists of {expected} answers, not {given}")
}

/// `["put", [1, 2]]`, and who calls.
fn write_op(op: &CustomOp, text: &mut String) -> Result<(), Failure> {
    let args = Json::Array(op.args.iter().map(json).collect::<Result<_, String>>()?);
    // Writing to a string cannot fail.
    let _ = write!(text, "[{},{args}", Json::from(op.name));
    if let Some(process) = op.process {
        let _ = write!(text, ",{process}");
    }
    text.push(']');
    Ok(())
}

impl Process {
    fn talk(&self) -> MutexGuard<'_, Talk> {
        self.talk.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Relation for Process {
    fn initial(&self) -> Result<State, Failure> {
        let mut talk = self.talk();
        let answer = talk.ask("\"init\":true")?;
        match answer.get("state") {
            Some(state) => Ok(state.to_string().into_bytes().into()),
            None => talk.wrong("must answer \"init\" with a \"state\""),
        }
    }

    fn successors(
        &self,
        state: &State,
        op: &CustomOp,
        ret: Option<&Value>,
        next: &mut Vec<State>,
    ) -> Result<(), Failure> {
        let mut talk = self.talk();
        let outcomes = talk.outcomes(state, op)?;
        let fitting = outcomes
            .iter()
            .filter(|(exact, _)| ret.is_none_or(|ret| crate::convert::fits(exact, ret)));
        let states: Vec<u32> = fitting.map(|(_, state)| *state).collect();
        next.extend(states.into_iter().map(|state| talk.states.values[state as usize].clone()));
        Ok(())
    }

    fn outcomes(
        &self,
        state: &State,
        op: &CustomOp,
        out: &mut Vec<(Value, State)>,
    ) -> Result<(), Failure> {
        let mut talk = self.talk();
        let outcomes = talk.outcomes(state, op)?.clone();
        let states = &talk.states.values;
        out.extend(
            outcomes.iter().map(|(ret, state)| (ret.clone(), states[*state as usize].clone())),
        );
        Ok(())
    }

    fn forget(&self, state: &State, op: &CustomOp) {
        let mut talk = self.talk();
        let key = (talk.states.number(state), talk.ops.number(op));
        talk.outcomes.remove(&key);
    }

    fn describe(&self, state: &State) -> String {
        let mut question = "\"describe\":".to_owned();
        question.push_str(&String::from_utf8_lossy(state));
        let plain = || shown(&String::from_utf8_lossy(state));
        match self.talk().ask(&question) {
            Ok(answer) => answer.get("text").and_then(Json::as_str).map_or_else(plain, shown),
            Err(_) => plain(),
        }
    }

    fn wants_process(&self) -> bool {
        self.wants_process
    }

    fn about(&self, op: &CustomOp) -> Result<(Key, bool), Failure> {
        let at = self.keys.iter().find(|(name, _)| name == op.name).map(|(_, at)| *at);
        let key = at.and_then(|at| op.args.get(at)).map_or(Key::Whole, |key| Key::One(key.clone()));
        Ok((key, self.reads.iter().any(|name| name == op.name)))
    }

    fn ops(&self, _state: &State, _process: u32) -> Option<Result<Vec<Template>, Failure>> {
        self.ops.clone().map(Ok)
    }

    fn looks_ahead(&self) -> bool {
        true
    }

    fn foresee(&self, ops: &mut dyn Iterator<Item = (&CustomOp, Option<&Value>)>) {
        let mut talk = self.talk();
        let talk = &mut *talk;
        talk.order = ops.map(|(op, _)| talk.ops.number(op)).collect();
        talk.places.clear();
        talk.place = 0;
        for (place, op) in (0..).zip(&talk.order) {
            talk.places.entry(*op).or_default().push(place);
        }
    }
}
