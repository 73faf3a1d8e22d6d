//! Times and sizes with units.

use std::time::Duration;

/// `10`, `10s`, `1.5s`, `500ms`, `2m`, `1h`.
pub fn duration(text: &str) -> Result<Duration, String> {
    const UNITS: &[(&str, f64)] =
        &[("ms", 1e-3), ("us", 1e-6), ("s", 1.0), ("m", 60.0), ("h", 3600.0), ("", 1.0)];
    let seconds = number(text, UNITS).ok_or("expected a time such as 10s, 500ms or 2m")?;
    match Duration::try_from_secs_f64(seconds) {
        Ok(time) if !time.is_zero() => Ok(time),
        Ok(_) => Err("the time must be more than zero".to_owned()),
        Err(_) => Err("the time is too long".to_owned()),
    }
}

/// `1024`, `512MB`, `1GiB`, `1.5g`.
pub fn bytes(text: &str) -> Result<usize, String> {
    const KI: f64 = 1024.0;
    const UNITS: &[(&str, f64)] = &[
        ("kib", KI),
        ("mib", KI * KI),
        ("gib", KI * KI * KI),
        ("tib", KI * KI * KI * KI),
        ("kb", 1e3),
        ("mb", 1e6),
        ("gb", 1e9),
        ("tb", 1e12),
        ("k", KI),
        ("m", KI * KI),
        ("g", KI * KI * KI),
        ("t", KI * KI * KI * KI),
        ("b", 1.0),
        ("", 1.0),
    ];
    let size = number(text, UNITS).ok_or("expected a size such as 1GiB, 512MB or 65536")?;
    if size < 1.0 {
        return Err("the size must be more than zero".to_owned());
    }
    if size >= usize::MAX as f64 {
        return Err("the size is too large".to_owned());
    }
    Ok(size as usize)
}

/// Parses a number with a unit: the first of `units` that the text ends in.
fn number(text: &str, units: &[(&str, f64)]) -> Option<f64> {
    let text = text.trim().to_ascii_lowercase();
    let (digits, factor) =
        units.iter().find_map(|(unit, factor)| Some((text.strip_suffix(unit)?, factor)))?;
    let digits = digits.trim_end();
    // Rust also parses "inf", "nan" and "1e5" as numbers; here they are most likely mistakes.
    if !digits.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
        return None;
    }
    digits.parse::<f64>().ok().map(|n| n * factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_parsed() {
        for (text, millis) in
            [("10", 10_000), ("10s", 10_000), ("1.5 s", 1500), ("500ms", 500), ("2m", 120_000)]
        {
            assert_eq!(duration(text), Ok(Duration::from_millis(millis)), "{text}");
        }
        for text in ["", "s", "-1", "ten", "1d", "inf", "nan", "1e5", "0", "0ms"] {
            assert!(duration(text).is_err(), "{text}");
        }
        assert!(duration(&"9".repeat(400)).is_err());
    }

    #[test]
    fn sizes_are_parsed() {
        for (text, size) in
            [("1", 1), ("1GiB", 1 << 30), ("1g", 1 << 30), ("2MB", 2_000_000), ("1.5k", 1536)]
        {
            assert_eq!(bytes(text), Ok(size), "{text}");
        }
        for text in ["", "GiB", "-1", "0", "0.1", "1XB", "99999999999TiB", "NaN"] {
            assert!(bytes(text).is_err(), "{text}");
        }
    }
}
