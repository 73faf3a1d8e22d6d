//! Clock readings in the units that logs have.

use std::fmt;

/// The unit of a clock reading.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// Nanoseconds.
    Nanoseconds,
    /// Microseconds.
    Microseconds,
    /// Milliseconds.
    Milliseconds,
    /// Seconds, usually with a fraction.
    Seconds,
    /// A date and a time: `2026-11-18T20:08:59.123Z`.
    Rfc3339,
}

/// Digits of a number that is read: more than any clock has.
const MOST_DIGITS: usize = 30;
/// Readings without a unit have this many decimals.
const DECIMALS: i32 = 9;

impl Unit {
    /// The names of all units.
    pub const NAMES: &'static str = "ns, us, ms, s or rfc3339";

    /// The unit of this name.
    pub fn from_name(name: &str) -> Option<Unit> {
        Some(match name {
            "ns" => Unit::Nanoseconds,
            "us" | "\u{b5}s" | "\u{3bc}s" => Unit::Microseconds,
            "ms" => Unit::Milliseconds,
            "s" => Unit::Seconds,
            "rfc3339" => Unit::Rfc3339,
            _ => return None,
        })
    }

    /// The unit that the name of a field ends with: `t0_ms`.
    pub(crate) fn of_field(name: &str) -> Option<Unit> {
        let (_, end) = name.rsplit_once(['_', '-'])?;
        Unit::from_name(&end.to_ascii_lowercase())
    }

    /// Decimal digits between this unit and a nanosecond.
    fn scale(self) -> i32 {
        match self {
            Unit::Nanoseconds => 0,
            Unit::Microseconds => 3,
            Unit::Milliseconds => 6,
            Unit::Seconds | Unit::Rfc3339 => 9,
        }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unit::Nanoseconds => "ns",
            Unit::Microseconds => "us",
            Unit::Milliseconds => "ms",
            Unit::Seconds => "s",
            Unit::Rfc3339 => "rfc3339",
        })
    }
}

/// A reading in nanoseconds; without a unit, in billionths of whatever it counts. What is finer is cut off: that makes
/// readings equal, and never changes their order.
pub(crate) fn parse(text: &str, unit: Option<Unit>) -> Result<i128, String> {
    match unit {
        Some(Unit::Rfc3339) => date(text).ok_or_else(|| {
            format!("{text:?} is not a time like 2026-11-18T20:08:59.123Z (RFC 3339)")
        }),
        Some(unit) => number(text, unit.scale()).ok_or_else(|| format!("{text:?} is not a number")),
        None => number(text, DECIMALS).ok_or_else(|| match date(text) {
            Some(_) => format!("{text:?} is a date: say time=rfc3339"),
            None => format!("{text:?} is not a time"),
        }),
    }
}

/// A decimal number times ten to the power of `scale`. Exact: floating point numbers have too few digits for
/// nanoseconds since 1970.
fn number(text: &str, scale: i32) -> Option<i128> {
    let (negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = || whole.bytes().chain(fraction.bytes());
    let count = digits().count();
    if whole.is_empty() || count > MOST_DIGITS || !digits().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let read = |n: i128, b: u8| n * 10 + i128::from(b - b'0');
    let power = exponent.checked_add(scale)?.checked_sub(i32::try_from(fraction.len()).ok()?)?;
    let number = digits().fold(0, read);
    let ten = |power: u32| 10_i128.checked_pow(power);
    let scaled = match u32::try_from(power) {
        Ok(power) => number.checked_mul(ten(power)?)?,
        Err(_) => ten(power.unsigned_abs()).map_or(0, |by| number / by),
    };
    Some(if negative { -scaled } else { scaled })
}

/// Nanoseconds since 1970 of a date and a time in RFC 3339.
fn date(text: &str) -> Option<i128> {
    let bytes = text.as_bytes();
    let digits = |from: usize, to: usize| -> Option<i64> {
        let part = bytes.get(from..to)?;
        let read = |n: i64, b: &u8| n * 10 + i64::from(b - b'0');
        part.iter().all(u8::is_ascii_digit).then(|| part.iter().fold(0, read))
    };
    let is = |at: usize, any: &[u8]| bytes.get(at).is_some_and(|b| any.contains(b));
    let separated = is(4, b"-") && is(7, b"-") && is(10, b"Tt ") && is(13, b":") && is(16, b":");
    let (year, month, day) = (digits(0, 4)?, digits(5, 7)?, digits(8, 10)?);
    let (hour, minute, second) = (digits(11, 13)?, digits(14, 16)?, digits(17, 19)?);
    let is_date = (1..=12).contains(&month) && (1..=days_of(year, month)).contains(&day);
    // 60 is a leap second.
    if !separated || !is_date || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let rest = text.get(19..)?;
    let fraction = match rest.strip_prefix('.') {
        Some(rest) => rest.bytes().take_while(u8::is_ascii_digit).count() + 1,
        None => 0,
    };
    let nanos = if fraction > 0 { number(&format!("0{}", &rest[..fraction]), 9)? } else { 0 };
    let offset = match rest.get(fraction..)? {
        "Z" | "z" => 0,
        zone => offset(zone)?,
    };
    let seconds = days_since_1970(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second;
    (fraction != 1).then(|| i128::from(seconds - offset * 60) * 1_000_000_000 + nanos)
}

/// Minutes of `+01:30`.
fn offset(zone: &str) -> Option<i64> {
    let (sign, zone) = match zone.split_at_checked(1)? {
        ("+", zone) => (1, zone),
        ("-", zone) => (-1, zone),
        _ => return None,
    };
    let (hours, minutes) = zone.split_once(':')?;
    let two = |text: &str| {
        (text.len() == 2 && text.bytes().all(|b| b.is_ascii_digit())).then(|| text.parse().ok())?
    };
    let (hours, minutes): (i64, i64) = (two(hours)?, two(minutes)?);
    (hours <= 23 && minutes <= 59).then_some(sign * (hours * 60 + minutes))
}

fn days_of(year: i64, month: i64) -> i64 {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 => 28 + i64::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days of the Gregorian calendar, with years that begin in March, so that a leap day is the last one.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_exact() {
        let ns = |text: &str, unit| parse(text, Some(unit));
        assert_eq!(ns("1763496539123456789", Unit::Nanoseconds), Ok(1_763_496_539_123_456_789));
        assert_eq!(ns("1763496539.123456789", Unit::Seconds), Ok(1_763_496_539_123_456_789));
        assert_eq!(ns("1.5", Unit::Milliseconds), Ok(1_500_000));
        assert_eq!(ns("7", Unit::Microseconds), Ok(7_000));
        assert_eq!(ns("1.7e3", Unit::Nanoseconds), Ok(1_700));
        assert_eq!(ns("15e-1", Unit::Seconds), Ok(1_500_000_000));
        assert_eq!(ns("-2", Unit::Microseconds), Ok(-2_000));
        // Finer than a nanosecond.
        assert_eq!(ns("1.9", Unit::Nanoseconds), Ok(1));
        assert_eq!(parse("2.000000001", None), Ok(2_000_000_001));
        for bad in ["", "-", "1x", ".5", "1e", "1e99999999999", "NaN", "1,5", "0x10"] {
            assert!(ns(bad, Unit::Seconds).is_err(), "{bad}");
        }
        assert!(ns(&"9".repeat(31), Unit::Nanoseconds).is_err());
        assert!(ns("1e40", Unit::Nanoseconds).is_err());
    }

    #[test]
    fn dates() {
        let seconds = |text: &str| parse(text, Some(Unit::Rfc3339)).map(|t| t / 1_000_000_000);
        assert_eq!(seconds("1970-01-01T00:00:00Z"), Ok(0));
        assert_eq!(seconds("2000-02-29T12:00:00Z"), Ok(951_825_600));
        assert_eq!(seconds("2026-11-18T20:08:59Z"), Ok(1_795_032_539));
        assert_eq!(seconds("2026-11-18T21:08:59+01:00"), Ok(1_795_032_539));
        assert_eq!(seconds("2026-11-18 14:38:59-05:30"), Ok(1_795_032_539));
        assert_eq!(seconds("1969-12-31T23:59:59Z"), Ok(-1));
        let fraction = parse("1970-01-01T00:00:01.000000001Z", Some(Unit::Rfc3339));
        assert_eq!(fraction, Ok(1_000_000_001));
        for bad in [
            "2026-11-18T20:08:59",
            "2026-11-18T20:08:59.Z",
            "2026-13-18T20:08:59Z",
            "2025-02-29T00:00:00Z",
            "2026-11-18T24:00:00Z",
            "2026-11-18T20:08:59+1:00",
            "2026-11-18T20:08:59+01:00x",
            "\u{e4}026-11-18T20:08:59Z",
            "now",
        ] {
            assert!(seconds(bad).is_err(), "{bad}");
        }
        assert!(parse("2026-11-18T20:08:59Z", None).unwrap_err().contains("time=rfc3339"));
    }

    #[test]
    fn units_in_the_names_of_fields() {
        assert_eq!(Unit::of_field("t0_ns"), Some(Unit::Nanoseconds));
        assert_eq!(Unit::of_field("latency_MS"), Some(Unit::Milliseconds));
        assert_eq!((Unit::of_field("items"), Unit::of_field("t0")), (None, None));
    }
}
