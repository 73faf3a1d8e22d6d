//! Groups rows by small numbers.

/// Rows sorted stably by a number below `count`, and the position where each number begins; the
/// last entry is the end.
pub(crate) fn sorted_by_number(
    rows: &[u32],
    count: usize,
    number: impl Fn(u32) -> u32,
) -> (Vec<u32>, Vec<u32>) {
    // One longer than needed, so that filling moves each beginning to its place.
    let mut start = vec![0; count + 2];
    for &row in rows {
        start[number(row) as usize + 2] += 1;
    }
    for i in 2..start.len() {
        start[i] += start[i - 1];
    }
    let mut sorted = vec![0; rows.len()];
    for &row in rows {
        let at = &mut start[number(row) as usize + 1];
        sorted[*at as usize] = row;
        *at += 1;
    }
    start.pop();
    (sorted, start)
}
