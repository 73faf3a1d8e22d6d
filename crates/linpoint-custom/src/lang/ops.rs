//! What operators do.

use std::rc::Rc;

use super::ast::Op;
use super::value::{Val, range_len};

/// What is wrong, without a place.
pub(super) type Answer<T> = Result<T, String>;

pub(super) const TOO_LARGE: &str = "the number does not fit into 64 bits";

/// What an operator costs beyond the usual: it copies both values.
pub(super) fn cost(op: Op, a: &Val, b: &Val) -> usize {
    let len = |value: &Val| match value {
        Val::Int(_) => 0,
        Val::Str(text) => text.len() / 8,
        other => len(other).unwrap_or(0),
    };
    match (op, a, b) {
        (Op::Mul, Val::Int(n), other) | (Op::Mul, other, Val::Int(n)) => {
            len(other)
                .saturating_add(1)
                .saturating_mul(usize::try_from(*n).unwrap_or(0).min(1 << 40))
                * usize::from(!matches!(other, Val::Int(_)))
        }
        (Op::In | Op::NotIn, _, Val::Dict(_) | Val::Set(_) | Val::Range(_)) => 0,
        (Op::In | Op::NotIn, _, b) => len(b),
        _ => len(a).saturating_add(len(b)),
    }
}

pub(super) fn binary(op: Op, a: &Val, b: &Val) -> Answer<Val> {
    match op {
        Op::Eq => return Ok(Val::Bool(a == b)),
        Op::Ne => return Ok(Val::Bool(a != b)),
        Op::In => return contains(b, a).map(Val::Bool),
        Op::NotIn => return contains(b, a).map(|found| Val::Bool(!found)),
        Op::Lt => return compare(a, b).map(|order| Val::Bool(order.is_lt())),
        Op::Le => return compare(a, b).map(|order| Val::Bool(order.is_le())),
        Op::Gt => return compare(a, b).map(|order| Val::Bool(order.is_gt())),
        Op::Ge => return compare(a, b).map(|order| Val::Bool(order.is_ge())),
        _ => {}
    }
    match (a, b) {
        (Val::Int(a), Val::Int(b)) => numbers(op, *a, *b),
        _ => others(op, a, b),
    }
}

fn numbers(op: Op, a: i64, b: i64) -> Answer<Val> {
    let shift = || u32::try_from(b).ok().filter(|b| *b < 64).ok_or("a shift is from 0 to 63");
    let result = match op {
        Op::Add => a.checked_add(b),
        Op::Sub => a.checked_sub(b),
        Op::Mul => a.checked_mul(b),
        Op::Div | Op::Mod if b == 0 => return Err("division by zero".into()),
        // Rounded down, as in Python.
        Op::Div => a.checked_div(b).map(|q| q - i64::from(a % b != 0 && (a < 0) != (b < 0))),
        Op::Mod => a.checked_rem(b).map(|r| if r != 0 && (r < 0) != (b < 0) { r + b } else { r }),
        Op::Or => Some(a | b),
        Op::And => Some(a & b),
        Op::Xor => Some(a ^ b),
        Op::Shl => {
            let shift = shift()?;
            a.checked_shl(shift).filter(|shifted| shifted >> shift == a)
        }
        Op::Shr => Some(a >> shift()?),
        _ => None,
    };
    result.map(Val::Int).ok_or_else(|| TOO_LARGE.into())
}

fn others(op: Op, a: &Val, b: &Val) -> Answer<Val> {
    Ok(match (op, a, b) {
        (Op::Add, Val::Str(a), Val::Str(b)) => Val::Str(format!("{a}{b}").into()),
        (Op::Add, Val::List(a), Val::List(b)) => {
            Val::list(a.get().iter().chain(b.get().iter()).cloned().collect())
        }
        (Op::Add, Val::Tuple(a), Val::Tuple(b)) => Val::tuple(a.iter().chain(b.iter()).cloned()),
        (Op::Mul, Val::Int(n), other) | (Op::Mul, other, Val::Int(n)) => repeat(other, *n)?,
        (Op::Mod, Val::Str(format), args) => Val::Str(percent(format, args)?.into()),
        (Op::Or, Val::Dict(a), Val::Dict(b)) => {
            let both =
                a.get().iter().chain(b.get().iter()).map(|(k, v)| (k.clone(), v.clone())).collect();
            Val::dict(both)
        }
        (Op::Or, Val::Set(a), Val::Set(b)) => Val::set(a.get().union(&b.get()).cloned().collect()),
        (Op::And, Val::Set(a), Val::Set(b)) => {
            Val::set(a.get().intersection(&b.get()).cloned().collect())
        }
        (Op::Sub, Val::Set(a), Val::Set(b)) => {
            Val::set(a.get().difference(&b.get()).cloned().collect())
        }
        (Op::Xor, Val::Set(a), Val::Set(b)) => {
            Val::set(a.get().symmetric_difference(&b.get()).cloned().collect())
        }
        _ => return Err(format!("`{}` does not work on {} and {}", sign(op), a.kind(), b.kind())),
    })
}

fn sign(op: Op) -> &'static str {
    match op {
        Op::Add => "+",
        Op::Sub => "-",
        Op::Mul => "*",
        Op::Div => "//",
        Op::Mod => "%",
        Op::Or => "|",
        Op::And => "&",
        Op::Xor => "^",
        Op::Shl => "<<",
        Op::Shr => ">>",
        Op::Eq => "==",
        Op::Ne => "!=",
        Op::Lt => "<",
        Op::Le => "<=",
        Op::Gt => ">",
        Op::Ge => ">=",
        Op::In => "in",
        Op::NotIn => "not in",
    }
}

fn repeat(of: &Val, n: i64) -> Answer<Val> {
    let n = usize::try_from(n).unwrap_or(0);
    let repeated =
        |items: &[Val]| items.iter().cloned().cycle().take(items.len() * n).collect::<Vec<Val>>();
    match of {
        Val::Str(text) => Ok(Val::Str(text.repeat(n).into())),
        Val::List(items) => Ok(Val::list(repeated(&items.get()))),
        Val::Tuple(items) => Ok(Val::tuple(repeated(items))),
        other => Err(format!("`*` does not work on {} and int", other.kind())),
    }
}

/// `format % args`.
fn percent(format: &str, args: &Val) -> Answer<String> {
    let args: Vec<Val> = match args {
        Val::Tuple(items) => items.to_vec(),
        only => vec![only.clone()],
    };
    let mut args = args.into_iter();
    let mut text = String::new();
    let mut rest = format.chars();
    while let Some(c) = rest.next() {
        if c != '%' {
            text.push(c);
            continue;
        }
        let kind = rest.next();
        if kind == Some('%') {
            text.push('%');
            continue;
        }
        let arg = args.next().ok_or("there are fewer values than places in the text")?;
        match (kind, &arg) {
            (Some('s'), arg) => text.push_str(&arg.to_text()),
            (Some('r'), arg) => text.push_str(&arg.repr()),
            (Some('d'), Val::Int(n)) => text.push_str(&n.to_string()),
            (Some('d'), other) => return Err(format!("%d needs a number, not a {}", other.kind())),
            _ => return Err("in a text, use %s, %r, %d or %%".into()),
        }
    }
    match args.next() {
        None => Ok(text),
        Some(_) => Err("there are more values than places in the text".into()),
    }
}

fn compare(a: &Val, b: &Val) -> Answer<std::cmp::Ordering> {
    let is_ordered = match (a, b) {
        (Val::Int(_), Val::Int(_))
        | (Val::Str(_), Val::Str(_))
        | (Val::Bool(_), Val::Bool(_))
        | (Val::List(_), Val::List(_))
        | (Val::Tuple(_), Val::Tuple(_)) => true,
        (Val::Set(_), Val::Set(_)) => {
            return Err("sets are not compared with <: write a - b == set()".into());
        }
        _ => false,
    };
    match is_ordered {
        true => Ok(a.cmp(b)),
        false => Err(format!("{} and {} have no order", a.kind(), b.kind())),
    }
}

fn contains(of: &Val, item: &Val) -> Answer<bool> {
    Ok(match (of, item) {
        (Val::List(items), _) => items.get().contains(item),
        (Val::Tuple(items), _) => items.contains(item),
        (Val::Dict(entries), _) => entries.get().contains_key(item),
        (Val::Set(items), _) => items.get().contains(item),
        (Val::Str(text), Val::Str(part)) => text.contains(&**part),
        (Val::Range(range), Val::Int(n)) => {
            let (from, _, step) = **range;
            let far = i128::from(*n) - i128::from(from);
            let step = i128::from(step);
            far % step == 0 && far / step >= 0 && (far / step) < i128::from(range_len(range))
        }
        (Val::Range(_), _) => false,
        (of, item) => return Err(format!("a {} cannot be in a {}", item.kind(), of.kind())),
    })
}

/// The number of elements.
pub(super) fn len(of: &Val) -> Option<usize> {
    Some(match of {
        Val::Str(text) => text.chars().count(),
        Val::Tuple(items) => items.len(),
        Val::List(items) => items.get().len(),
        Val::Dict(entries) => entries.get().len(),
        Val::Set(items) => items.get().len(),
        Val::Range(range) => usize::try_from(range_len(range)).unwrap_or(usize::MAX),
        _ => return None,
    })
}

pub(super) fn must_be_key(key: &Val) -> Answer<()> {
    match key.is_key() {
        true => Ok(()),
        false => {
            let kind = key.kind();
            Err(format!(
                "a {kind} cannot be a key: it can change; tuple(...) makes a tuple of a list"
            ))
        }
    }
}

/// The position of an index, which counts from the end if it is negative.
pub(super) fn position(index: &Val, len: usize) -> Answer<usize> {
    let Val::Int(n) = index else {
        return Err(format!("an index is a number, not a {}", index.kind()));
    };
    let from_end = if *n < 0 { n.checked_add(len as i64) } else { Some(*n) };
    let at = from_end.and_then(|n| usize::try_from(n).ok()).filter(|at| *at < len);
    at.ok_or_else(|| format!("there is no element {n} of {len}"))
}

pub(super) fn item(of: &Val, key: &Val) -> Answer<Val> {
    match of {
        Val::Dict(entries) => match entries.get().get(key) {
            Some(value) => Ok(value.clone()),
            None => Err(format!("the dict has no key {}", shown(key))),
        },
        Val::List(items) => {
            let items = items.get();
            Ok(items[position(key, items.len())?].clone())
        }
        Val::Tuple(items) => Ok(items[position(key, items.len())?].clone()),
        Val::Str(text) => {
            let at = position(key, text.chars().count())?;
            let c = text.chars().nth(at).unwrap_or_default();
            Ok(Val::str(c.encode_utf8(&mut [0; 4])))
        }
        Val::Range(range) => {
            let at = position(key, usize::try_from(range_len(range)).unwrap_or(usize::MAX))?;
            Ok(Val::Int(range.0.wrapping_add((at as i64).wrapping_mul(range.2))))
        }
        other => Err(format!("a {} has no elements", other.kind())),
    }
}

/// A value in a message.
pub(super) fn shown(value: &Val) -> String {
    const LONGEST: usize = 60;
    let text = value.repr();
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}...", &text[..at]),
        None => text,
    }
}

pub(super) fn set_item(of: &Val, key: Val, value: Val) -> Answer<()> {
    match of {
        Val::Dict(entries) => {
            must_be_key(&key)?;
            entries.change()?.insert(key, value);
            Ok(())
        }
        Val::List(items) => {
            let mut items = items.change()?;
            let at = position(&key, items.len())?;
            items[at] = value;
            Ok(())
        }
        other => Err(format!("the elements of a {} cannot be changed", other.kind())),
    }
}

pub(super) fn delete(of: &Val, key: &Val) -> Answer<()> {
    match of {
        Val::Dict(entries) => match entries.change()?.remove(key) {
            Some(_) => Ok(()),
            None => Err(format!("the dict has no key {}", shown(key))),
        },
        Val::List(items) => {
            let mut items = items.change()?;
            let at = position(key, items.len())?;
            items.remove(at);
            Ok(())
        }
        other => Err(format!("nothing can be removed from a {}", other.kind())),
    }
}

pub(super) fn slice(
    of: &Val,
    begin: Option<i64>,
    end: Option<i64>,
    step: Option<i64>,
) -> Answer<Val> {
    let chosen = |items: &[Val]| -> Answer<Vec<Val>> {
        let positions = positions(items.len(), begin, end, step)?;
        Ok(positions.into_iter().map(|at| items[at].clone()).collect())
    };
    match of {
        Val::List(items) => Ok(Val::list(chosen(&items.get())?)),
        Val::Tuple(items) => Ok(Val::Tuple(Rc::from(chosen(items)?))),
        Val::Str(text) => {
            let letters: Vec<char> = text.chars().collect();
            let positions = positions(letters.len(), begin, end, step)?;
            Ok(Val::str(&positions.into_iter().map(|at| letters[at]).collect::<String>()))
        }
        other => Err(format!("a {} has no slices", other.kind())),
    }
}

fn positions(
    len: usize,
    begin: Option<i64>,
    end: Option<i64>,
    step: Option<i64>,
) -> Answer<Vec<usize>> {
    let (len, step) = (len as i64, step.unwrap_or(1));
    let bound = |bound: i64, least: i64, most: i64| {
        let from_start = if bound < 0 { bound.saturating_add(len) } else { bound };
        from_start.clamp(least, most)
    };
    let mut positions = Vec::new();
    if step > 0 {
        let end = end.map_or(len, |end| bound(end, 0, len));
        let mut at = begin.map_or(0, |begin| bound(begin, 0, len));
        while at < end {
            positions.push(at as usize);
            at = at.saturating_add(step);
        }
    } else if step < 0 {
        let end = end.map_or(-1, |end| bound(end, -1, len - 1));
        let mut at = begin.map_or(len - 1, |begin| bound(begin, -1, len - 1));
        while at > end {
            positions.push(at as usize);
            at = at.saturating_add(step);
        }
    } else {
        return Err("the step of a slice cannot be 0".into());
    }
    Ok(positions)
}
