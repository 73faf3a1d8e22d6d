//! Methods of strings, lists, dicts and sets.

use std::rc::Rc;

use super::builtins::Arguments;
use super::eval::Run;
use super::fault::{Outcome, fault};
use super::ops::{self, Answer};
use super::value::{Shared, Val};

macro_rules! names {
    ($($name:ident $text:literal)*) => {
        /// The name of a method.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(super) enum Name {
            $($name,)*
        }

        impl Name {
            pub(super) fn of(name: &str) -> Option<Name> {
                match name {
                    $($text => Some(Name::$name),)*
                    _ => None,
                }
            }

            fn text(self) -> &'static str {
                match self {
                    $(Name::$name => $text,)*
                }
            }
        }
    };
}

names! {
    Add "add" Append "append" Clear "clear" Copy "copy" Count "count" Discard "discard" Endswith "endswith"
    Extend "extend" Find "find" Format "format" Get "get" Index "index" Insert "insert" Isdigit "isdigit" Items "items"
    Join "join" Keys "keys" Lower "lower" Lstrip "lstrip" Pop "pop" Remove "remove" Removeprefix "removeprefix"
    Removesuffix "removesuffix" Replace "replace" Reverse "reverse" Rstrip "rstrip" Setdefault "setdefault" Sort "sort"
    Split "split" Startswith "startswith" Strip "strip" Union "union" Update "update" Upper "upper" Values "values"
}

/// Calls a method of a value.
pub(super) fn call(
    run: &mut Run<'_>,
    of: &Val,
    name: Name,
    arguments: &mut Arguments<'_>,
) -> Outcome<Val> {
    let pos = arguments.pos;
    let text = name.text();
    if let Some(range) = arity(of, name) {
        arguments.expect(text, range)?;
    } else {
        return fault(pos, format!("a {} has no method `{text}`", of.kind()));
    }
    // What is copied.
    run.spend(
        match (of, name) {
            (Val::Str(text), _) => text.len() / 8,
            (_, Name::Get | Name::Add | Name::Append | Name::Discard | Name::Setdefault) => 0,
            (Val::List(_), Name::Pop) if arguments.args.is_empty() => 0,
            (Val::Dict(_), Name::Pop) => 0,
            // Moving elements is much cheaper than copying them.
            (Val::List(list), Name::Pop | Name::Insert) => list.get().len() / 64,
            _ => ops::len(of).unwrap_or(0),
        },
        pos,
    )?;
    let more = match name {
        Name::Extend | Name::Update | Name::Union | Name::Join => match (of, arguments.get(0)) {
            (Val::Dict(_), Val::Dict(more)) => Val::Dict(more),
            (_, more) => Val::list(run.items(&more, pos)?),
        },
        _ => Val::None,
    };
    let answer = match of {
        Val::Str(text) => of_str(text, name, arguments, &more),
        Val::List(list) => of_list(list, name, arguments, &more),
        Val::Dict(dict) => of_dict(dict, name, arguments, &more),
        Val::Set(set) => of_set(set, name, arguments, &more),
        _ => Ok(Val::None),
    };
    answer.or_else(|message| fault(pos, message))
}

/// How many arguments a method takes; `None` if values of this kind do not have it.
fn arity(of: &Val, name: Name) -> Option<std::ops::RangeInclusive<usize>> {
    use Name as N;
    Some(match (of, name) {
        (Val::Str(_), N::Format) => 0..=1000,
        (Val::Str(_), N::Isdigit | N::Lower | N::Upper) => 0..=0,
        (Val::Str(_), N::Strip | N::Lstrip | N::Rstrip) => 0..=0,
        (Val::Str(_), N::Split) => 0..=2,
        (Val::Str(_), N::Replace) => 2..=2,
        (Val::Str(_), N::Count | N::Find | N::Join | N::Startswith | N::Endswith) => 1..=1,
        (Val::Str(_), N::Removeprefix | N::Removesuffix) => 1..=1,
        (Val::List(_), N::Append | N::Count | N::Extend | N::Index | N::Remove) => 1..=1,
        (Val::List(_), N::Clear | N::Copy | N::Reverse | N::Sort) => 0..=0,
        (Val::List(_), N::Insert) => 2..=2,
        (Val::List(_), N::Pop) => 0..=1,
        (Val::Dict(_), N::Clear | N::Copy | N::Items | N::Keys | N::Values) => 0..=0,
        (Val::Dict(_), N::Get | N::Pop | N::Setdefault) => 1..=2,
        (Val::Dict(_), N::Update) => 1..=1,
        (Val::Set(_), N::Clear | N::Copy) => 0..=0,
        (Val::Set(_), N::Add | N::Discard | N::Remove | N::Union | N::Update) => 1..=1,
        _ => return None,
    })
}

fn str_arg(arguments: &Arguments<'_>, at: usize) -> Answer<Rc<str>> {
    match arguments.args.get(at) {
        Some(Val::Str(text)) => Ok(text.clone()),
        other => Err(format!("expected a string, not a {}", other.map_or("NoneType", Val::kind))),
    }
}

fn of_str(text: &Rc<str>, name: Name, arguments: &Arguments<'_>, more: &Val) -> Answer<Val> {
    let new = |text: &str| Val::str(text);
    Ok(match name {
        Name::Lower => new(&text.to_lowercase()),
        Name::Upper => new(&text.to_uppercase()),
        Name::Strip => new(text.trim()),
        Name::Lstrip => new(text.trim_start()),
        Name::Rstrip => new(text.trim_end()),
        Name::Isdigit => Val::Bool(!text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())),
        Name::Startswith => Val::Bool(text.starts_with(&*str_arg(arguments, 0)?)),
        Name::Endswith => Val::Bool(text.ends_with(&*str_arg(arguments, 0)?)),
        Name::Count => Val::Int(text.matches(&*str_arg(arguments, 0)?).count() as i64),
        Name::Find => {
            let at = text.find(&*str_arg(arguments, 0)?);
            Val::Int(at.map_or(-1, |at| text[..at].chars().count() as i64))
        }
        Name::Removeprefix => new(text.strip_prefix(&*str_arg(arguments, 0)?).unwrap_or(text)),
        Name::Removesuffix => new(text.strip_suffix(&*str_arg(arguments, 0)?).unwrap_or(text)),
        Name::Replace => {
            let (from, to) = (str_arg(arguments, 0)?, str_arg(arguments, 1)?);
            let times = text.matches(&*from).count();
            if times.saturating_mul(to.len()) > 1 << 24 {
                return Err("the text is too long".into());
            }
            new(&text.replace(&*from, &to))
        }
        Name::Split => {
            let most = match arguments.args.get(1) {
                Some(Val::Int(n)) if *n >= 0 => usize::try_from(*n).unwrap_or(usize::MAX),
                _ => usize::MAX,
            };
            let parts: Vec<Val> = match arguments.args.first() {
                None | Some(Val::None) => text.split_whitespace().map(Val::str).collect(),
                Some(_) => {
                    let separator = str_arg(arguments, 0)?;
                    if separator.is_empty() {
                        return Err("the separator is empty".into());
                    }
                    text.splitn(most.saturating_add(1), &*separator).map(Val::str).collect()
                }
            };
            Val::list(parts)
        }
        Name::Join => {
            let Val::List(parts) = more else { return Ok(Val::None) };
            let mut texts = Vec::new();
            for part in parts.get().iter() {
                let Val::Str(part) = part else {
                    return Err(format!("join() joins strings, not a {}", part.kind()));
                };
                texts.push(part.clone());
            }
            new(&texts.join(text))
        }
        Name::Format => new(&format(text, &arguments.args)?),
        _ => Val::None,
    })
}

/// `"{} and {1}".format(a, b)`.
fn format(text: &str, args: &[Val]) -> Answer<String> {
    let mut formatted = String::new();
    let mut rest = text;
    let mut next = 0;
    while let Some(at) = rest.find(['{', '}']) {
        formatted.push_str(&rest[..at]);
        let found = &rest[at..];
        if let Some(after) = found.strip_prefix("{{").or_else(|| found.strip_prefix("}}")) {
            formatted.push_str(&found[..1]);
            rest = after;
            continue;
        }
        let place = found.strip_prefix('{').and_then(|inside| inside.split_once('}'));
        let Some((place, after)) = place else {
            return Err("in a text for format(), write {{ and }} for braces".into());
        };
        let at = match place {
            "" => next,
            number => number
                .parse()
                .map_err(|_| format!("`{{{number}}}` is not a number of an argument"))?,
        };
        next += 1;
        let arg = args.get(at).ok_or("there are fewer values than places in the text")?;
        formatted.push_str(&arg.to_text());
        rest = after;
    }
    formatted.push_str(rest);
    Ok(formatted)
}

fn of_list(
    list: &Rc<Shared<Vec<Val>>>,
    name: Name,
    arguments: &Arguments<'_>,
    more: &Val,
) -> Answer<Val> {
    let wanted = arguments.get(0);
    let missing = || format!("{} is not in the list", ops::shown(&wanted));
    match name {
        Name::Append => list.change()?.push(wanted),
        Name::Clear => list.change()?.clear(),
        Name::Reverse => list.change()?.reverse(),
        Name::Sort => {
            let mut items = list.change()?;
            for pair in items.windows(2) {
                ops::binary(super::ast::Op::Lt, &pair[0], &pair[1])?;
            }
            items.sort();
        }
        Name::Copy => return Ok(Val::list(list.get().clone())),
        Name::Count => {
            return Ok(Val::Int(list.get().iter().filter(|item| **item == wanted).count() as i64));
        }
        Name::Extend => {
            let Val::List(more) = more else { return Ok(Val::None) };
            let more = more.get().clone();
            list.change()?.extend(more);
        }
        Name::Index => {
            let at = list.get().iter().position(|item| *item == wanted).ok_or_else(missing)?;
            return Ok(Val::Int(at as i64));
        }
        Name::Remove => {
            let at = list.get().iter().position(|item| *item == wanted).ok_or_else(missing)?;
            list.change()?.remove(at);
        }
        Name::Insert => {
            let mut items = list.change()?;
            let at = match &wanted {
                Val::Int(n) if *n < 0 => n.saturating_add(items.len() as i64).max(0),
                Val::Int(n) => *n,
                other => return Err(format!("an index is a number, not a {}", other.kind())),
            };
            let at = usize::try_from(at).unwrap_or(usize::MAX).min(items.len());
            items.insert(at, arguments.get(1));
        }
        Name::Pop => {
            let mut items = list.change()?;
            if items.is_empty() {
                return Err("pop() from an empty list".into());
            }
            let at = match arguments.args.first() {
                Some(index) => ops::position(index, items.len())?,
                None => items.len() - 1,
            };
            return Ok(items.remove(at));
        }
        _ => {}
    }
    Ok(Val::None)
}

type Dict = std::collections::BTreeMap<Val, Val>;

fn of_dict(
    dict: &Rc<Shared<Dict>>,
    name: Name,
    arguments: &Arguments<'_>,
    more: &Val,
) -> Answer<Val> {
    let key = arguments.get(0);
    Ok(match name {
        Name::Get => dict.get().get(&key).cloned().unwrap_or_else(|| arguments.get(1)),
        Name::Keys => Val::list(dict.get().keys().cloned().collect()),
        Name::Values => Val::list(dict.get().values().cloned().collect()),
        Name::Items => {
            let pair = |(key, value): (&Val, &Val)| Val::tuple([key.clone(), value.clone()]);
            Val::list(dict.get().iter().map(pair).collect())
        }
        Name::Copy => Val::dict(dict.get().clone()),
        Name::Clear => {
            dict.change()?.clear();
            Val::None
        }
        Name::Pop => match (dict.change()?.remove(&key), arguments.args.get(1)) {
            (Some(value), _) => value,
            (None, Some(default)) => default.clone(),
            (None, None) => return Err(format!("the dict has no key {}", ops::shown(&key))),
        },
        Name::Setdefault => {
            ops::must_be_key(&key)?;
            dict.change()?.entry(key).or_insert_with(|| arguments.get(1)).clone()
        }
        Name::Update => {
            let more = match more {
                Val::Dict(more) => more.get().clone(),
                _ => return Err("update() takes a dict".into()),
            };
            dict.change()?.extend(more);
            Val::None
        }
        _ => Val::None,
    })
}

type Set = std::collections::BTreeSet<Val>;

fn of_set(set: &Rc<Shared<Set>>, name: Name, arguments: &Arguments<'_>, more: &Val) -> Answer<Val> {
    let item = arguments.get(0);
    match name {
        Name::Add => {
            ops::must_be_key(&item)?;
            set.change()?.insert(item);
        }
        Name::Discard => drop(set.change()?.remove(&item)),
        Name::Remove if !set.change()?.remove(&item) => {
            return Err(format!("{} is not in the set", ops::shown(&item)));
        }
        Name::Remove => {}
        Name::Clear => set.change()?.clear(),
        Name::Copy => return Ok(Val::set(set.get().clone())),
        Name::Union | Name::Update => {
            let Val::List(more) = more else { return Ok(Val::None) };
            let more = more.get().clone();
            more.iter().try_for_each(ops::must_be_key)?;
            if name == Name::Update {
                set.change()?.extend(more);
            } else {
                return Ok(Val::set(set.get().iter().cloned().chain(more).collect()));
            }
        }
        _ => {}
    }
    Ok(Val::None)
}
