//! Functions that every script has.

use std::collections::{BTreeMap, BTreeSet};

use smallvec::SmallVec;

use super::eval::Run;
use super::fault::{Outcome, Pos, fault};
use super::ops;
use super::value::Val;

macro_rules! builtins {
    ($($name:ident $text:literal)*) => {
        /// A function that every script has.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
        pub(crate) enum Builtin {
            $($name,)*
        }

        impl Builtin {
            pub(super) fn of(name: &str) -> Option<Builtin> {
                match name {
                    $($text => Some(Builtin::$name),)*
                    _ => None,
                }
            }

            pub(super) fn name(self) -> &'static str {
                match self {
                    $(Builtin::$name => $text,)*
                }
            }
        }
    };
}

builtins! {
    Abs "abs" All "all" Any "any" Bool "bool" Dict "dict" Enumerate "enumerate" Fail "fail" Int "int" Len "len"
    List "list" Max "max" Min "min" Range "range" Repr "repr" Reversed "reversed" Set "set" Sorted "sorted" Str "str"
    Sum "sum" Tuple "tuple" Type "type" Zip "zip"
    // Places in the list `ops`, which are no functions.
    Amount "AMOUNT" Key "KEY" Process "PROCESS" Value "VALUE"
}

/// The arguments of a function that is built in.
pub(super) struct Arguments<'a> {
    pub(super) args: SmallVec<[Val; 4]>,
    pub(super) named: Vec<(&'a str, Val)>,
    pub(super) pos: Pos,
}

impl Arguments<'_> {
    /// An argument that was given with its name.
    fn named(&mut self, name: &str) -> Option<Val> {
        let at = self.named.iter().position(|(known, _)| *known == name)?;
        Some(self.named.remove(at).1)
    }

    /// Checks the number of arguments, and that no named argument is left over.
    pub(super) fn expect(
        &self,
        function: &str,
        range: std::ops::RangeInclusive<usize>,
    ) -> Outcome<()> {
        if let Some((name, _)) = self.named.first() {
            return fault(self.pos, format!("{function}() has no parameter `{name}`"));
        }
        if range.contains(&self.args.len()) {
            return Ok(());
        }
        let (least, most) = (range.start(), range.end());
        let s = if *most == 1 { "" } else { "s" };
        let wanted = match least == most {
            true => format!("{least} argument{s}"),
            false if *most > 1000 => format!("at least {least} arguments"),
            false => format!("{least} to {most} arguments"),
        };
        fault(self.pos, format!("{function}() takes {wanted}, not {}", self.args.len()))
    }

    pub(super) fn get(&self, at: usize) -> Val {
        self.args.get(at).cloned().unwrap_or(Val::None)
    }

    pub(super) fn int(&self, at: usize) -> Outcome<i64> {
        match self.args.get(at) {
            Some(Val::Int(n)) => Ok(*n),
            other => fault(
                self.pos,
                format!("expected a number, not a {}", other.map_or("NoneType", Val::kind)),
            ),
        }
    }
}

pub(super) fn call(
    run: &mut Run<'_>,
    builtin: Builtin,
    arguments: &mut Arguments<'_>,
) -> Outcome<Val> {
    let name = builtin.name();
    let pos = arguments.pos;
    match builtin {
        Builtin::Fail => {
            arguments.expect(name, 0..=1000)?;
            let texts: Vec<String> = arguments.args.iter().map(Val::to_text).collect();
            fault(pos, texts.join(" "))
        }
        Builtin::Amount | Builtin::Key | Builtin::Process | Builtin::Value => {
            fault(pos, format!("{name} is not a function: it stands for a value in `ops`"))
        }
        Builtin::Dict => dict(run, arguments),
        Builtin::Min | Builtin::Max => extreme(run, builtin, arguments),
        Builtin::Sorted => sorted(run, arguments),
        Builtin::Range => range(arguments),
        Builtin::Zip => zip(run, arguments),
        Builtin::Int => int(arguments),
        Builtin::Enumerate => {
            arguments.expect(name, 1..=2)?;
            let first = if arguments.args.len() > 1 { arguments.int(1)? } else { 0 };
            let items = run.items(&arguments.get(0), pos)?;
            Ok(Val::list(
                (first..).zip(items).map(|(i, item)| Val::tuple([Val::Int(i), item])).collect(),
            ))
        }
        Builtin::List | Builtin::Tuple | Builtin::Set => {
            arguments.expect(name, 0..=1)?;
            let items = match arguments.args.first() {
                Some(over) => run.items(over, pos)?,
                None => Vec::new(),
            };
            Ok(match builtin {
                Builtin::List => Val::list(items),
                Builtin::Tuple => Val::tuple(items),
                _ => {
                    for item in &items {
                        ops::must_be_key(item).or_else(|message| fault(pos, message))?;
                    }
                    Val::set(BTreeSet::from_iter(items))
                }
            })
        }
        _ => {
            arguments.expect(name, 1..=1)?;
            of_one(run, builtin, &arguments.get(0), pos)
        }
    }
}

fn of_one(run: &mut Run<'_>, builtin: Builtin, of: &Val, pos: Pos) -> Outcome<Val> {
    Ok(match builtin {
        Builtin::Abs => match of {
            Val::Int(n) => match n.checked_abs() {
                Some(n) => Val::Int(n),
                None => return fault(pos, ops::TOO_LARGE),
            },
            other => return fault(pos, format!("expected a number, not a {}", other.kind())),
        },
        Builtin::Bool => Val::Bool(of.is_true()),
        Builtin::All => Val::Bool(run.items(of, pos)?.iter().all(Val::is_true)),
        Builtin::Any => Val::Bool(run.items(of, pos)?.iter().any(Val::is_true)),
        Builtin::Len => match ops::len(of) {
            Some(len) => Val::Int(len as i64),
            None => return fault(pos, format!("a {} has no length", of.kind())),
        },
        Builtin::Repr => Val::Str(of.repr().into()),
        Builtin::Str => match of {
            Val::Str(text) => Val::Str(text.clone()),
            other => Val::Str(other.repr().into()),
        },
        Builtin::Type => Val::str(of.kind()),
        Builtin::Reversed => {
            let mut items = run.items(of, pos)?;
            items.reverse();
            Val::list(items)
        }
        Builtin::Sum => {
            let mut sum: i64 = 0;
            for item in run.items(of, pos)? {
                let Val::Int(n) = item else {
                    return fault(pos, format!("sum() adds numbers, not a {}", item.kind()));
                };
                let Some(more) = sum.checked_add(n) else { return fault(pos, ops::TOO_LARGE) };
                sum = more;
            }
            Val::Int(sum)
        }
        _ => Val::None,
    })
}

fn dict(run: &mut Run<'_>, arguments: &mut Arguments<'_>) -> Outcome<Val> {
    let pos = arguments.pos;
    let named: Vec<(&str, Val)> = std::mem::take(&mut arguments.named);
    arguments.expect("dict", 0..=1)?;
    let mut entries = BTreeMap::new();
    match arguments.args.first() {
        Some(Val::Dict(of)) => {
            run.spend(of.get().len(), pos)?;
            entries.clone_from(&of.get());
        }
        Some(pairs) => {
            for pair in run.items(pairs, pos)? {
                let pair = run.items(&pair, pos)?;
                let [key, value] = pair.as_slice() else {
                    return fault(pos, "dict() takes pairs of a key and a value");
                };
                ops::must_be_key(key).or_else(|message| fault(pos, message))?;
                entries.insert(key.clone(), value.clone());
            }
        }
        None => {}
    }
    entries.extend(named.into_iter().map(|(name, value)| (Val::str(name), value)));
    Ok(Val::dict(entries))
}

/// Items with what they are compared by.
fn with_keys(
    run: &mut Run<'_>,
    items: Vec<Val>,
    key: Option<&Val>,
    pos: Pos,
) -> Outcome<Vec<(Val, Val)>> {
    let mut keyed = Vec::with_capacity(items.len());
    for item in items {
        let by = match key {
            Some(function) => run.apply(function, SmallVec::from_iter([item.clone()]), pos)?,
            None => item.clone(),
        };
        keyed.push((by, item));
    }
    // An order between all of them.
    for pair in keyed.windows(2) {
        ops::binary(super::ast::Op::Lt, &pair[0].0, &pair[1].0)
            .or_else(|message| fault(pos, message))?;
    }
    Ok(keyed)
}

fn sorted(run: &mut Run<'_>, arguments: &mut Arguments<'_>) -> Outcome<Val> {
    let (key, reverse) = (arguments.named("key"), arguments.named("reverse"));
    arguments.expect("sorted", 1..=1)?;
    let pos = arguments.pos;
    let items = run.items(&arguments.get(0), pos)?;
    run.spend(4 * items.len(), pos)?;
    let mut keyed = with_keys(run, items, key.as_ref().filter(|key| **key != Val::None), pos)?;
    match reverse.is_some_and(|reverse| reverse.is_true()) {
        true => keyed.sort_by(|a, b| b.0.cmp(&a.0)),
        false => keyed.sort_by(|a, b| a.0.cmp(&b.0)),
    }
    Ok(Val::list(keyed.into_iter().map(|(_, item)| item).collect()))
}

fn extreme(run: &mut Run<'_>, builtin: Builtin, arguments: &mut Arguments<'_>) -> Outcome<Val> {
    let (name, pos) = (builtin.name(), arguments.pos);
    let (key, default) = (arguments.named("key"), arguments.named("default"));
    arguments.expect(name, 1..=usize::MAX)?;
    let items = match arguments.args.as_slice() {
        [only] => run.items(only, pos)?,
        several => several.to_vec(),
    };
    let keyed = with_keys(run, items, key.as_ref(), pos)?;
    // The first one of several.
    let best = keyed.into_iter().reduce(|best, item| {
        let better = match builtin {
            Builtin::Min => item.0 < best.0,
            _ => item.0 > best.0,
        };
        if better { item } else { best }
    });
    match (best, default) {
        (Some((_, item)), _) => Ok(item),
        (None, Some(default)) => Ok(default),
        (None, None) => fault(pos, format!("{name}() of nothing")),
    }
}

fn range(arguments: &mut Arguments<'_>) -> Outcome<Val> {
    arguments.expect("range", 1..=3)?;
    let range = match arguments.args.len() {
        1 => (0, arguments.int(0)?, 1),
        2 => (arguments.int(0)?, arguments.int(1)?, 1),
        _ => (arguments.int(0)?, arguments.int(1)?, arguments.int(2)?),
    };
    match range.2 {
        0 => fault(arguments.pos, "the step of a range cannot be 0"),
        _ => Ok(Val::Range(range.into())),
    }
}

fn zip(run: &mut Run<'_>, arguments: &mut Arguments<'_>) -> Outcome<Val> {
    arguments.expect("zip", 0..=1000)?;
    let mut columns = Vec::new();
    for over in std::mem::take(&mut arguments.args) {
        columns.push(run.items(&over, arguments.pos)?);
    }
    let rows = columns.iter().map(Vec::len).min().unwrap_or(0);
    let row = |at: usize| Val::tuple(columns.iter().map(|column| column[at].clone()));
    Ok(Val::list((0..rows).map(row).collect()))
}

fn int(arguments: &mut Arguments<'_>) -> Outcome<Val> {
    arguments.expect("int", 1..=1)?;
    let of = arguments.get(0);
    match &of {
        Val::Int(_) => Ok(of),
        Val::Bool(b) => Ok(Val::Int((*b).into())),
        Val::Str(text) => match text.trim().parse() {
            Ok(n) => Ok(Val::Int(n)),
            Err(_) => fault(arguments.pos, format!("{} is not a whole number", ops::shown(&of))),
        },
        other => fault(arguments.pos, format!("a {} is not a number", other.kind())),
    }
}
