//! What an operation did, read from its text: `enqueue(5)` returned `ok`. Shares nothing with the roles of a shape.

use super::{Facts, Recorded};

/// What an operation did, or may have done.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Deed {
    /// The key, if there are several objects in one.
    pub key: String,
    /// True if it returned, so that it did what is said here.
    pub sure: bool,
    /// The value that it found in a register.
    pub finds: Option<String>,
    /// A value that it did not find in a register.
    pub misses: Option<String>,
    /// The value that it leaves in a register, if it takes effect.
    pub leaves: Option<String>,
    /// What it appends to a text.
    pub appends: Option<String>,
    /// The element that it adds.
    pub adds: Option<String>,
    /// The element that it removed.
    pub removes: Option<String>,
    /// It may have removed some element.
    pub takes_some: bool,
    /// The element that it saw and left.
    pub sees: Option<String>,
    /// The end of a deque at which it did that.
    pub end: Option<String>,
    /// It found no element.
    pub empty: bool,
    /// It found no room.
    pub full: bool,
    /// The state to which it changes a flag.
    pub turns: Option<bool>,
    /// The state of the flag that it found.
    pub flag: Option<bool>,
    /// What it adds to a number.
    pub shifts: i128,
    /// The number that it found.
    pub number: Option<i128>,
    /// What it saw in each segment.
    pub segments: Vec<Option<String>>,
    /// The segment that it updates, and with which value.
    pub updates: Option<(usize, String)>,
    /// Permits that it takes (negative) or gives back.
    pub permits: i128,
    /// It found no permit.
    pub no_permit: bool,
}

impl Deed {
    /// Removing what is not there changes nothing, and adding to a queue with a bound may have added nothing.
    pub fn without_effect(mut self, facts: &Facts, op: &Recorded) -> Deed {
        if facts.capacity.is_some() && self.adds.is_some() && op.ret.is_none() {
            self.sure = false;
        }
        if self.leaves.as_deref() == Some("initial")
            && self.finds.is_some()
            && self.finds == facts.initial
        {
            self.leaves = None;
        }
        self
    }
}

/// The name of an operation, and its arguments.
fn parsed(text: &str) -> (&str, Vec<String>) {
    let Some((name, rest)) = text.split_once('(') else { return (text, Vec::new()) };
    let inside = rest.rsplit_once(')').map_or(rest, |(inside, _)| inside);
    (name, split(inside))
}

/// The items of a list, separated by commas outside of quotes and brackets.
fn split(text: &str) -> Vec<String> {
    let (mut items, mut depth, mut quoted) = (vec![String::new()], 0, false);
    for c in text.chars() {
        match c {
            '"' => quoted = !quoted,
            '[' | '(' | '{' if !quoted => depth += 1,
            ']' | ')' | '}' if !quoted => depth -= 1,
            _ => {}
        }
        if c == ',' && depth == 0 && !quoted {
            items.push(String::new());
        } else if let Some(last) = items.last_mut() {
            last.push(c);
        }
    }
    let items: Vec<String> = items.into_iter().map(|item| item.trim().to_owned()).collect();
    if items == [""] { Vec::new() } else { items }
}

/// What an operation of a bundled model did. `None` if the model or the operation is not known here.
pub fn deed(model: &str, op: &Recorded) -> Option<Deed> {
    let (name, args) = parsed(&op.op);
    let (ret, returned) = (op.ret.as_deref(), !op.span.is_pending());
    let arg = |at: usize| args.get(at).cloned();
    let known = ret.map(str::to_owned);
    let end =
        name.strip_prefix("push_").or(name.strip_prefix("pop_")).or(name.strip_prefix("peek_"));
    let deed = Deed { sure: returned, end: end.map(str::to_owned), ..Deed::default() };
    let succeeded = ret == Some("true");
    Some(match (model, name) {
        ("register" | "cas-register", "read") => Deed { finds: known, ..deed },
        ("register" | "cas-register", "write") => Deed { leaves: arg(0), ..deed },
        ("cas-register", "cas") if ret == Some("false") => Deed { misses: arg(0), ..deed },
        ("cas-register", "cas") => {
            let finds = succeeded.then(|| arg(0)).flatten();
            let leaves = arg(1).filter(|new| Some(new) != arg(0).as_ref());
            Deed { finds, leaves, sure: succeeded, ..deed }
        }
        ("rmw", "swap") if ret == arg(0).as_deref() => Deed { finds: known, ..deed },
        ("rmw", "swap") => Deed { finds: known, leaves: arg(0), ..deed },
        ("multi-register", "read") => {
            Deed { key: arg(0)?, finds: known.filter(|v| v != "?"), ..deed }
        }
        ("multi-register", "write") => Deed { key: arg(0)?, leaves: arg(1), ..deed },
        ("kv", _) => return store(name, &args, ret, deed),
        ("set", _) => {
            let deed = Deed { key: arg(0)?, ..deed };
            flag(deed, name, ["insert", "remove", "contains"], ret)?
        }
        ("mutex", "acquire") => Deed { turns: Some(true), flag: Some(false), ..deed },
        ("mutex", "release") => Deed { turns: Some(false), flag: Some(true), ..deed },
        ("mutex", "try_acquire") => match ret {
            Some("true") => Deed { turns: Some(true), flag: Some(false), ..deed },
            Some("false") => Deed { flag: Some(true), ..deed },
            _ => Deed { turns: Some(true), sure: false, ..deed },
        },
        ("queue", "enqueue") | ("deque", "push_front" | "push_back") if ret == Some("full") => {
            Deed { full: true, ..deed }
        }
        ("queue", "enqueue")
        | ("deque", "push_front" | "push_back")
        | ("stack", "push")
        | ("bag", "add")
        | ("priority-queue", "insert")
        | ("mailbox", "Send") => Deed { adds: arg(0), ..deed },
        ("queue", "dequeue")
        | ("deque", "pop_front" | "pop_back")
        | ("stack", "pop")
        | ("bag", "remove")
        | ("priority-queue", "poll")
        | ("mailbox", "Receive") => match ret {
            None => Deed { takes_some: true, ..deed },
            Some("empty" | "None") => Deed { empty: true, ..deed },
            Some(v) => {
                let v = v.strip_prefix("Some(").and_then(|v| v.strip_suffix(')')).unwrap_or(v);
                Deed { removes: Some(v.to_owned()), ..deed }
            }
        },
        ("queue" | "stack" | "priority-queue", "peek") | ("deque", "peek_front" | "peek_back") => {
            match ret {
                None => deed,
                Some("empty") => Deed { empty: true, ..deed },
                Some(v) => Deed { sees: Some(v.to_owned()), ..deed },
            }
        }
        ("mailbox", "Count") => deed,
        ("counter", "get") => Deed { number: ret.and_then(|n| n.parse().ok()), ..deed },
        ("counter", "add") => Deed { shifts: arg(0)?.parse().ok()?, ..deed },
        ("counter", "fetch_add") => {
            let number = ret.and_then(|n| n.parse().ok());
            Deed { shifts: arg(0)?.parse().ok()?, number, ..deed }
        }
        ("semaphore", "release") => Deed { permits: 1, ..deed },
        ("semaphore", "acquire") => Deed { permits: -1, ..deed },
        ("semaphore", "try_acquire") => match ret {
            Some("false") => Deed { no_permit: true, ..deed },
            _ => Deed { permits: -1, sure: succeeded, ..deed },
        },
        ("snapshot", "update") => Deed { updates: Some((arg(0)?.parse().ok()?, arg(1)?)), ..deed },
        ("snapshot", "scan") => {
            let list = ret.and_then(|r| r.strip_prefix('[')).and_then(|r| r.strip_suffix(']'));
            let seen = split(list.unwrap_or_default());
            let segments = seen.into_iter().map(|v| Some(v).filter(|v| v != "?")).collect();
            Deed { segments, ..deed }
        }
        _ => return None,
    })
}

/// An operation of a key-value store. What a removal leaves is called `initial`.
fn store(name: &str, args: &[String], ret: Option<&str>, deed: Deed) -> Option<Deed> {
    let arg = |at: usize| args.get(at).map(|v| none(v));
    let deed = Deed { key: args.first()?.clone(), ..deed };
    let known = ret.map(none);
    let initial = || Some("initial".to_owned());
    Some(match name {
        "get" => Deed { finds: known, ..deed },
        "put" => Deed { leaves: arg(1), ..deed },
        "append" => Deed { appends: arg(1), ..deed },
        "delete" => Deed { leaves: initial(), ..deed },
        "remove" => Deed { finds: known, leaves: initial(), ..deed },
        "get_or_else_update" => match (&known, arg(1)) {
            (Some(found), own) if Some(found) != own.as_ref() => Deed { finds: known, ..deed },
            // It may have been there before.
            (_, own) => Deed { leaves: own, sure: false, ..deed },
        },
        "compare_and_set" if ret == Some("false") => Deed { misses: arg(1), ..deed },
        "compare_and_set" => {
            let succeeded = ret == Some("true");
            let leaves = arg(2).filter(|new| Some(new) != arg(1).as_ref());
            Deed { finds: succeeded.then(|| arg(1)).flatten(), leaves, sure: succeeded, ..deed }
        }
        _ => return None,
    })
}

/// One word for no value.
fn none(text: &str) -> String {
    let is_none = ["none", "nil", "null", "Nil"].contains(&text);
    (if is_none { "none" } else { text }).to_owned()
}

/// An operation that raises, lowers or looks at a flag and says whether that was possible.
fn flag(deed: Deed, name: &str, names: [&str; 3], ret: Option<&str>) -> Option<Deed> {
    let [raise, lower, look] = names;
    let turns = match name {
        n if n == raise => Some(true),
        n if n == lower => Some(false),
        n if n == look => None,
        _ => return None,
    };
    Some(match (turns, ret) {
        (None, Some(seen)) => Deed { flag: Some(seen == "true"), ..deed },
        (None, None) => deed,
        (Some(to), Some("true")) => Deed { turns: Some(to), flag: Some(!to), ..deed },
        (Some(to), Some(_)) => Deed { flag: Some(to), ..deed },
        (Some(to), None) => Deed { turns: Some(to), sure: false, ..deed },
    })
}
