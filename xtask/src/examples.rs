//! Makes the longer linearizable histories of `examples/histories` by simulating an object whose
//! operations take effect at one instant between call and return. The same every time.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

/// A small generator of numbers (splitmix64), so that nothing has to be depended on.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % n
    }

    fn pick<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len() as u64) as usize]
    }
}

/// An operation: its name, and its arguments as JSON.
type Op = (&'static str, String);

/// An object that one client uses at a time.
trait Object {
    /// An operation to try next. `fresh` is a number that was not used before.
    fn choose(&mut self, random: &mut Random, fresh: usize) -> Op;
    /// Performs it; the result as JSON, `None` if it has none.
    fn apply(&mut self, op: &Op) -> Option<String>;
}

fn quoted(text: &str) -> String {
    format!("\"{text}\"")
}

fn or_null(value: Option<String>) -> Option<String> {
    Some(value.unwrap_or_else(|| "null".to_owned()))
}

struct Register(String);

impl Object for Register {
    fn choose(&mut self, random: &mut Random, fresh: usize) -> Op {
        if random.below(2) == 0 { ("read", String::new()) } else { ("write", fresh.to_string()) }
    }

    fn apply(&mut self, (name, args): &Op) -> Option<String> {
        if *name == "read" {
            return Some(self.0.clone());
        }
        self.0.clone_from(args);
        None
    }
}

struct Store(BTreeMap<String, String>);

impl Object for Store {
    fn choose(&mut self, random: &mut Random, fresh: usize) -> Op {
        let key = quoted(random.pick(&["user:anna", "user:ben", "config"]));
        match random.below(10) {
            0..5 => ("get", key),
            5..9 => ("put", format!("{key},{}", quoted(&format!("v{fresh}")))),
            _ => ("delete", key),
        }
    }

    fn apply(&mut self, (name, args): &Op) -> Option<String> {
        match (*name, args.split_once(',')) {
            ("put", Some((key, value))) => {
                self.0.insert(key.to_owned(), value.to_owned());
                None
            }
            ("delete", _) => {
                self.0.remove(args);
                None
            }
            _ => or_null(self.0.get(args).cloned()),
        }
    }
}

struct Stack(Vec<String>);

impl Object for Stack {
    fn choose(&mut self, random: &mut Random, fresh: usize) -> Op {
        match random.below(9) {
            0..4 => ("push", quoted(&format!("page-{fresh}"))),
            4..8 => ("pop", String::new()),
            _ => ("peek", String::new()),
        }
    }

    fn apply(&mut self, (name, args): &Op) -> Option<String> {
        match *name {
            "push" => {
                self.0.push(args.clone());
                None
            }
            "pop" => or_null(self.0.pop()),
            _ => or_null(self.0.last().cloned()),
        }
    }
}

struct Members(BTreeSet<String>);

impl Object for Members {
    fn choose(&mut self, random: &mut Random, _fresh: usize) -> Op {
        let name = random.pick(&["insert", "remove", "contains", "contains"]);
        (name, quoted(random.pick(&["dora", "emil", "fritz"])))
    }

    fn apply(&mut self, (name, member): &Op) -> Option<String> {
        let answer = match *name {
            "insert" => self.0.insert(member.clone()),
            "remove" => self.0.remove(member),
            _ => self.0.contains(member),
        };
        Some(answer.to_string())
    }
}

enum Client {
    Idle,
    Called(usize, Op),
    Applied(usize, Option<String>),
}

fn history(
    header: &str,
    clients: &[&str],
    ops: usize,
    seed: u64,
    object: &mut dyn Object,
) -> String {
    let mut random = Random(seed);
    let mut text = format!("{header}\n");
    let mut states: Vec<Client> = clients.iter().map(|_| Client::Idle).collect();
    let (mut called, mut open) = (0, 0);
    while called < ops || open > 0 {
        let who = random.below(clients.len() as u64) as usize;
        // Writing to a string cannot fail.
        states[who] = match std::mem::replace(&mut states[who], Client::Idle) {
            Client::Idle if called == ops => Client::Idle,
            Client::Idle => {
                called += 1;
                open += 1;
                let op = object.choose(&mut random, called);
                let args =
                    if op.1.is_empty() { String::new() } else { format!(",\"args\":[{}]", op.1) };
                let name = clients[who];
                let _ = writeln!(
                    text,
                    "{{\"call\":{called},\"process\":\"{name}\",\"op\":\"{}\"{args}}}",
                    op.0
                );
                Client::Called(called, op)
            }
            Client::Called(id, op) => Client::Applied(id, object.apply(&op)),
            Client::Applied(id, value) => {
                open -= 1;
                let value = value.map(|v| format!(",\"value\":{v}")).unwrap_or_default();
                let _ = writeln!(text, "{{\"return\":{id}{value}}}");
                Client::Idle
            }
        };
    }
    text
}

/// Writes the histories into `dir`.
pub fn write(dir: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(dir)?;
    let header =
        |model: &str, note: &str| format!("{{\"linpoint\":1,{model},\"note\":\"{note}\"}}");
    let files: [(&str, String); 4] = [
        (
            "register-ok.jsonl",
            history(
                &header("\"model\":\"register\",\"initial\":0", "Three clients, one value."),
                &["alice", "bob", "carol"],
                40,
                1,
                &mut Register("0".to_owned()),
            ),
        ),
        (
            "kv-ok.jsonl",
            history(
                &header("\"model\":\"kv\"", "Four clients of a store with three keys."),
                &["web-1", "web-2", "cron", "admin"],
                80,
                2,
                &mut Store(BTreeMap::new()),
            ),
        ),
        (
            "stack-ok.jsonl",
            history(
                &header("\"model\":\"stack\"", "A free list of pages, used by three threads."),
                &["thread-1", "thread-2", "thread-3"],
                48,
                3,
                &mut Stack(Vec::new()),
            ),
        ),
        (
            "set-ok.jsonl",
            history(
                &header("\"model\":\"set\"", "Members of a group come and go."),
                &["web-1", "web-2", "web-3"],
                60,
                4,
                &mut Members(BTreeSet::new()),
            ),
        ),
    ];
    for (name, text) in files {
        std::fs::write(dir.join(name), text)?;
        println!("wrote {}", dir.join(name).display());
    }
    Ok(())
}
