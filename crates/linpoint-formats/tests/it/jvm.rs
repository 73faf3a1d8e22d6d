//! Compares the specifications of Java's collections with a real JVM: random sequential programs
//! run on both, and every result is compared. One JVM runs all programs.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use fastrand::Rng;
use linpoint::Sequential;
use linpoint_formats::Value;
use linpoint_formats::java::{Answer, Call, Java};

/// Number of calls to compare for each class.
const CALLS: usize = 100_000;
/// The JDK version whose results are expected.
const VERSION: &str = "17";
/// Call each method at least this many times.
const OF_EACH_METHOD: usize = 200;

/// The items that a program draws from.
fn pool(random: &mut Rng) -> Vec<Value> {
    let ints = |list: &mut dyn Iterator<Item = i64>| list.map(Value::Int).collect::<Vec<_>>();
    let texts = ["", "a", "b", "Aa", "BB", "AaAa", "BBBB", "AaBB", "ä", "\u{10000}", "\u{ffff}"];
    match random.usize(..9) {
        0 | 1 => ints(&mut (0..3)),
        2 => ints(&mut (0..40)),
        // They share a bin of a hash table at first, for some time, or permanently.
        3 => ints(&mut (0..40).map(|n| n * 16)),
        4 => ints(&mut (0..30).map(|n| n * 1024 + n % 3)),
        5 => ints(&mut (0..40).map(|n| n << 22)),
        6 => ints(
            &mut [i64::from(i32::MIN), -65537, -2, -1, 0, 65536, i64::from(i32::MAX)].into_iter(),
        ),
        7 => texts.map(Value::str).to_vec(),
        _ => texts.map(Value::str).into_iter().chain((0..4).map(Value::Int)).collect(),
    }
}

struct Draw<'a> {
    random: &'a mut Rng,
    pool: Vec<Value>,
    /// One in this many items is null.
    null: usize,
}

impl Draw<'_> {
    fn item(&mut self) -> Value {
        match self.random.usize(..self.null) {
            0 => Value::Nil,
            _ => self.pool[self.random.usize(..self.pool.len())].clone(),
        }
    }

    fn arg(&mut self, param: &str) -> Value {
        let is_null = self.random.usize(..200) == 0;
        match param {
            "item" => self.item(),
            "flag" => Value::Bool(self.random.usize(..2) == 0),
            "items" | "entries" if is_null => Value::Nil,
            "items" => Value::List((0..self.random.usize(..4)).map(|_| self.item()).collect()),
            _ => {
                let most = if self.random.usize(..20) == 0 { 40 } else { 3 };
                let entries: BTreeMap<String, Value> = (0..self.random.usize(..most))
                    .map(|_| (self.pool[self.random.usize(..self.pool.len())].bare(), self.item()))
                    .collect();
                Value::Map(entries.into_iter().map(|(k, v)| (k.as_str().into(), v)).collect())
            }
        }
    }
}

/// A value as the driver reads it.
fn tagged(value: &Value) -> String {
    match value {
        Value::Nil => "n!".to_owned(),
        Value::Int(n) => format!("i{n}"),
        Value::Str(text) => format!("s{}", &**text),
        other => panic!("not an item: {other}"),
    }
}

fn for_driver(param: &str, value: &Value) -> String {
    match (param, value) {
        ("item", item) => tagged(item),
        ("flag", flag) => format!("b{flag}"),
        ("items", Value::List(items)) => {
            let items: Vec<String> = items.iter().map(tagged).collect();
            format!("c{}", items.join(","))
        }
        ("entries", Value::Map(entries)) => {
            // Keys that are numbers stay numbers; ascending, numbers first, texts in Java's order.
            let key = |text: &str| match text.parse::<i32>() {
                Ok(n) => (Some(n), Vec::new()),
                Err(_) => (None, text.encode_utf16().collect::<Vec<u16>>()),
            };
            let mut all: Vec<_> = entries.iter().map(|(k, v)| (key(k), &**k, v)).collect();
            all.sort_by(|a, b| (a.0.0.is_none(), &a.0).cmp(&(b.0.0.is_none(), &b.0)));
            let entry = |((n, _), text, value): &((Option<i32>, Vec<u16>), &str, &Value)| {
                let tag = if n.is_some() { 'i' } else { 's' };
                format!("{tag}{text}:{}", tagged(value))
            };
            format!("m{}", all.iter().map(entry).collect::<Vec<_>>().join(","))
        }
        ("items", _) => "c!".to_owned(),
        _ => "m!".to_owned(),
    }
}

fn arguments(class: &str, random: &mut Rng) -> Vec<Value> {
    let number = [1, 2, 3, 5, 20][random.usize(..5)];
    let expected = [0, 1, 2, 3, 6, 10, 12, 13, 24, 25, 48, 50, 100, 1000][random.usize(..14)];
    match (class, random.usize(..3)) {
        ("ArrayBlockingQueue", _) => vec![Value::Int(number)],
        ("LinkedBlockingQueue" | "LinkedBlockingDeque" | "PriorityBlockingQueue", 0) => {
            vec![Value::Int(number)]
        }
        ("ConcurrentHashMap", 0) => vec![Value::Int(expected)],
        _ => Vec::new(),
    }
}

/// The expected results, line by line, and the programs they come from.
#[derive(Default)]
struct Programs {
    input: String,
    expected: Vec<String>,
    lines: Vec<String>,
    calls: BTreeMap<String, usize>,
    methods: BTreeMap<String, usize>,
    /// Number of programs in which a hash map had a tree at the end.
    trees: usize,
}

impl Programs {
    fn line(&mut self, line: String, expected: String) {
        self.input.push_str(&line);
        self.input.push('\n');
        self.lines.push(line);
        self.expected.push(expected);
    }

    fn add(&mut self, class: &str, random: &mut Rng) {
        let given = arguments(class, random);
        let mut object = Java::new(class, &given).unwrap();
        let methods: Vec<(&str, Vec<&str>)> = object.methods().collect();
        // Programs that mostly add reach large objects; others return to the empty one.
        let mut length = [10, 40, 150][random.usize(..3)];
        let favourite = random.usize(..methods.len());
        let new =
            given.iter().fold(format!("new\t{class}"), |line, arg| line + &format!("\t{arg}"));
        self.line(new, "v".to_owned());
        // Keys come and go that share a bin whatever the size of the table.
        let crowded = class == "ConcurrentHashMap" && random.usize(..4) == 0;
        let mut pool = pool(random);
        if crowded {
            length = 200;
            pool = (0..30).map(|n| Value::Int(n << 22)).collect();
        }
        let null = if random.usize(..2) == 0 { 30 } else { 1_000_000 };
        let mut draw = Draw { random, pool, null };
        for _ in 0..length {
            let at = match draw.random.usize(..4) {
                1.. if crowded => {
                    let wanted = if draw.random.usize(..9) < 5 { "put" } else { "remove" };
                    methods.iter().position(|(name, _)| *name == wanted).unwrap()
                }
                0 => favourite,
                // Adding one or several: the first methods in two of the tables.
                1 if matches!(methods[0].0, "put" | "addAll") => 0,
                _ => draw.random.usize(..methods.len()),
            };
            let (name, params) = &methods[at];
            if *name == "clear" && draw.random.usize(..4) > 0 {
                continue;
            }
            let args: Vec<Value> = params.iter().map(|param| draw.arg(param)).collect();
            let call: Call = object.method(name, &args).unwrap();
            if !object.enabled(&call) {
                continue;
            }
            let mut line = (*name).to_owned();
            for (param, arg) in params.iter().zip(&args) {
                let _ = write!(line, "\t{}", for_driver(param, arg));
            }
            let expected = match object.apply(&call) {
                Answer::Void => "v".to_owned(),
                Answer::Text(text) => format!("={text}"),
            };
            *self.calls.entry(class.to_owned()).or_default() += 1;
            let signature = format!("{class}.{name}({})", params.join(", "));
            *self.methods.entry(signature).or_default() += 1;
            self.line(line, expected);
        }
        self.trees += usize::from(format!("{object:?}").contains("Tree("));
    }

    /// The program up to a line.
    fn program(&self, at: usize) -> String {
        let from = self.lines[..=at].iter().rposition(|line| line.starts_with("new\t")).unwrap();
        let mut text = String::new();
        for (line, expected) in self.lines[from..=at].iter().zip(&self.expected[from..=at]) {
            let _ = writeln!(text, "  {line}  {expected}");
        }
        text
    }
}

fn driver() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/java/Driver.java")
}

/// The output of the JVM; `None` if there is no Java, or another version.
fn run(input: &str) -> Option<Vec<String>> {
    let found = Command::new("java").arg("-version").stderr(Stdio::null()).status();
    if !found.is_ok_and(|status| status.success()) {
        eprintln!("SKIPPED: no java found; nothing was compared with a JVM");
        return None;
    }
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("jvm-programs.txt");
    fs::write(&path, input).unwrap();
    let output = Command::new("java")
        .args(["-XX:+UseSerialGC", "-Xmx512m"])
        .arg(driver())
        .stdin(File::open(&path).unwrap())
        .stderr(Stdio::inherit())
        .output()
        .unwrap();
    assert!(output.status.success(), "the driver failed");
    let text = String::from_utf8(output.stdout).unwrap();
    let mut lines = text.lines().map(str::to_owned);
    let version = lines.next().unwrap();
    if version != VERSION {
        eprintln!("SKIPPED: results are those of JDK {VERSION}, this is JDK {version}");
        return None;
    }
    Some(lines.collect())
}

#[test]
fn every_result_agrees_with_the_jvm() {
    let mut programs = Programs::default();
    for (seed, class) in Java::classes().enumerate() {
        let mut random = Rng::with_seed(seed as u64 + 1);
        while programs.calls.get(class).copied().unwrap_or_default() < CALLS {
            programs.add(class, &mut random);
        }
    }
    for (method, count) in &programs.methods {
        assert!(*count >= OF_EACH_METHOD, "{method} was called only {count} times");
    }
    assert!(programs.trees > 100, "only {} programs made a tree", programs.trees);
    let Some(found) = run(&programs.input) else { return };
    assert_eq!(found.len(), programs.expected.len());
    let mut differences: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (at, (found, expected)) in found.iter().zip(&programs.expected).enumerate() {
        if found != expected {
            let method = programs.lines[at].split('\t').next().unwrap();
            let entry = differences.entry(method).or_insert((0, at));
            entry.0 += 1;
        }
    }
    for (method, (count, at)) in &differences {
        eprintln!("{method}: {count} differences; Java: {}\n{}", found[*at], programs.program(*at));
    }
    for (class, calls) in &programs.calls {
        println!("{class}: {calls} calls compared");
    }
    assert!(differences.is_empty(), "{} methods differ", differences.len());
}
