//! Expected results: for each model its bounds, the verdict, and what a prototype without reductions needed.
//!
//! The figures of the prototype are from one core of a shared machine, breadth-first, with threads sorted where only the
//! total of operations was bounded. Read times as orders of magnitude.

use super::Asked;

/// A row of the table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// Algorithm and variant, such as `T1`.
    pub id: &'static str,
    /// The name in the catalogue.
    pub model: &'static str,
    /// The bounds.
    pub asked: Asked,
    /// True if no violation is expected.
    pub is_clean: bool,
    /// States that the prototype visited up to the verdict.
    pub states: Option<u64>,
    /// Time that the prototype took, in milliseconds.
    pub millis: Option<u64>,
    /// Length of the shortest violation, with no steps merged.
    pub steps: Option<usize>,
}

/// The table, one row per line: id, model, verdict, bounds, states, milliseconds, steps. Bounds are
/// `any OPERATIONS THREADS`, `per OPERATIONS THREADS`, `unbounded THREADS`, or a program with `/` between threads.
pub const TABLE: &str = "\
T1|treiber|ok|any 6 2|148600|900|
T2|treiber-tagged|ok|any 6 2|157293|900|
T3|treiber-reuse-before|bad|push 1; pop / pop; push 2|282|1|18
T3|treiber-reuse-before|bad|any 4 2|4002|30|18
T3|treiber-reuse-before|ok|any 3 2|||
T3|treiber-reuse-before|ok|any 3 3|||
T4|treiber-reuse-after|bad|any 6 3|1526871|19000|21
T4|treiber-reuse-after|ok|any 6 2|104588||
T4|treiber-reuse-after|ok|any 5 3|||
T4|treiber-reuse-after|bad|any 7 2|375898|2300|30
E1|elimination|ok|any 7 2|324111|1600|
E1|elimination|ok|any 5 3|210241|2800|
E2|elimination-kind-unchecked|bad|any 4 3|11735|100|16
E2|elimination-kind-unchecked|ok|any 5 2|||
P1|time-stamped|ok|any 5 2|73185|300|
P1|time-stamped|ok|any 4 3|337210|2200|
P2|time-stamped-stamps-first|bad|any 5 2|36978|200|19
P2|time-stamped-stamps-first|ok|any 4 2|||
P2|time-stamped-stamps-first|ok|any 4 3|||
M1|michael-scott|ok|any 7 2|1665934|7600|
M1|michael-scott|ok|any 4 3|129020|1500|
M2|michael-scott-counted|ok|any 6 2|219625|1400|
M3|michael-scott-uncounted|bad|any 5 2|25199|100|24
M3|michael-scott-uncounted|ok|any 4 2|||
M4|michael-scott-value-after|bad|any 5 2|38709|200|27
M4|michael-scott-value-after|ok|any 4 2|||
M5|michael-scott-without-test|ok|any 6 2|352976|1600|
M5|michael-scott-without-test|ok|any 4 3|134100|1600|
H1|herlihy-wing|ok|any 7 2|18305|100|
H1|herlihy-wing|ok|any 5 3|10586|160|
H2|herlihy-wing-split|bad|any 5 2|6018|30|14
H2|herlihy-wing-split|ok|any 4 2|||
H3|herlihy-wing-downwards|bad|any 3 1|79|1|6
A1|array-queue:2|bad|enq 1; enq 2 / deq|197|1|23
A1|array-queue:1|bad|any 3 2|1440|2|19
A1|array-queue:2|bad|any 3 2||2|19
A1|array-queue:3|bad|any 3 2|1824|2|19
A1|array-queue:2|ok|any 2 2|||
A2|array-queue-test-first:1|ok|any 6 2|||
A2|array-queue-test-first:2|ok|any 6 2|||
A2|array-queue-test-first:3|ok|any 6 2|1007680|4600|
A2|array-queue-test-first:1|ok|any 5 3|||
A2|array-queue-test-first:2|ok|any 5 3|||
A2|array-queue-test-first:3|ok|any 5 3|||
A3|array-queue-read-again:1|ok|any 6 2|||
A3|array-queue-read-again:2|ok|any 6 2|||
A3|array-queue-read-again:3|ok|any 6 2|1541604|6600|
A3|array-queue-read-again:1|ok|any 5 3|||
A3|array-queue-read-again:2|ok|any 5 3|||
A3|array-queue-read-again:3|ok|any 5 3|||
S1|snark|bad|pushR 1; popR / pushR 2; popL|358|1|15
S1|snark|bad|any 4 2|14460|25|15
S1|snark|ok|any 3 2|||
S2|snark-first-repaired|bad|pushR 1; pushR 2; pushR 3; popR / popL; popL / popR|174541|1300|36
S2|snark-first-repaired|bad|popR / pushR 1; pushR 2; popL; popL / pushR 3; popR|326146||
S2|snark-first-repaired|bad|pushR 1; pushR 2; popR / popL; popL / pushR 3; popR|490834||
S2|snark-first-repaired|ok|any 5 3|8119177|59000|
S2|snark-first-repaired|ok|any 7 2|18553749|95000|
S3|snark-claim|ok|pushR 1; pushR 2; pushR 3; popR / popL; popL / popR|199877|1500|
S3|snark-claim|ok|any 6 2|2205295|10000|
S3|snark-claim|ok|any 5 3|8481742|54000|
S4|snark-3cas|ok|pushR 1; pushR 2; pushR 3; popR / popL; popL / popR|60864|600|
S4|snark-3cas|ok|any 6 2|1655866|4000|
S4|snark-3cas|ok|any 5 3|5364354|28000|
L1|harris-michael|ok|any 5 2|79294|200|
L1|harris-michael|ok|any 4 3|109659|800|
L2|harris-michael-unmarked|bad|any 4 2|12607|70|16
L2|harris-michael-unmarked|ok|any 3 2|||
L3|harris-michael-contains-blind|bad|any 4 2|14785|80|16
L3|harris-michael-contains-blind|ok|any 3 2|||
Z1|lazy-list|ok|any 5 2|263246|500|
Z2|lazy-list-validation-blind|bad|any 4 2|57250|200|27
Z2|lazy-list-validation-blind|ok|any 3 2|||
Z3|lazy-list-unmarked|bad|any 4 2|54646|200|26
Z3|lazy-list-unmarked|ok|any 3 2|||
Z4|lazy-list-contains-blind|ok|any 5 2|258586|1400|
Z4|lazy-list-contains-blind|ok|any 4 3|1094106|9800|
K1|laarman|ok|any 8 2|62967|200|
K1|laarman|ok|any 5 3|66130|600|
K2|laarman-delete-writes|bad|delete; update 2; delete / update 1; get|181|20|12
K2|laarman-delete-writes|bad|any 5 2|4234|20|12
K2|laarman-delete-writes|ok|any 4 2|||
K2|laarman-delete-writes|ok|any 4 3|||
K3|laarman-delete-waits-and-writes|bad|any 6 2|16299|90|18
K3|laarman-delete-waits-and-writes|ok|any 5 2|||
K4|laarman-status-first|bad|any 2 2|41|1|5
O1|optimistic-list|ok|any 5 2|347990|500|
O1|optimistic-list|ok|any 4 3|1530384|6700|
O2|optimistic-list-unvalidated|bad|any 4 2|79280|200|28
O2|optimistic-list-unvalidated|ok|any 3 2|||
O3|optimistic-list-contains-walks|ok|any 5 2|181390|500|
Q1|skip-list|ok|any 5 2|2865641|8600|
Q2|skip-list-plain-mark|bad|any 3 2|34293|100|27
Q2|skip-list-plain-mark|ok|any 2 2|||
Q3|skip-list-contains-blind|bad|any 4 2|95344|300|19
Q3|skip-list-contains-blind|ok|any 3 2|||
Q4|skip-list-equal-hashes-skipped|bad|add 1; add^ 2; contains 1|||
Q4|skip-list-equal-hashes-skipped|ok|any 2 2|||
Q4|skip-list-equal-hashes|ok|any 4 2|||
B1|bowman|ok|per 2 3|478151|1800|
B1|bowman|ok|per 5 2|28912|30|
B2|bowman-wrong|bad|update 1; scan / scan / update 1|831|1|10
B2|bowman-wrong|bad|per 2 3|81451|300|10
B2|bowman-wrong|ok|per 1 3|||
B2|bowman-wrong|ok|per 4 2|||
F1|afek-unbounded|ok|per 1 3|38667|100|
F1|afek-unbounded|ok|per 3 2|216403|200|
F2|afek-unbounded-wrong|bad|update 1 / scan / update 1|817|1|20
F2|afek-unbounded-wrong|bad|per 1 3|15556|50|20
F2|afek-unbounded-wrong|ok|per 2 2|||
G1|afek-bounded|ok|per 1 3|158777|500|
G1|afek-bounded|ok|per 3 2|3292499|12000|
G2|afek-bounded-wrong|bad|update 1 / update 0; update 1 / scan|24907|200|48
G2|afek-bounded-wrong|ok|per 1 3|||
G2|afek-bounded-wrong|ok|per 2 2|||
W1|attiya-welch|ok|per 1 3|1288320|2700|
W1|attiya-welch|ok|per 3 2|4590962|6500|
W2|attiya-welch-wrong|bad|update 1 / update 0; update 1 / scan|107268|600|57
W2|attiya-welch-wrong|ok|per 2 2|||
W3|attiya-welch-last-only|bad|update 1 / update 1 / scan|16854|100|41
W3|attiya-welch-last-only|bad|per 1 3|489242||41
W4|attiya-welch-old-view|bad|update 1; scan / update 0; update 0|4478|3|56
W4|attiya-welch-old-view|ok|per 1 3|||
J1|jayanti|ok|per 2 2|1107322|1300|
J1|jayanti|ok|per 3 2|14654979|55000|
J2|jayanti-wrong|bad|scan / update 1; scan|43243|100|60
J2|jayanti-wrong|bad|per 2 2|601977|600|60
J2|jayanti-wrong|ok|per 1 2|||
R1|riany|ok|per 2 2|7173788|47000|
R2|riany-wrong|bad|update 1; scan / scan|35915|100|86
R2|riany-wrong|ok|per 1 2|||";

/// All rows.
pub fn rows() -> Vec<Row> {
    TABLE.lines().filter_map(Row::parse).collect()
}

impl Row {
    /// Parses a line of the table. Missing figures are unknown. Any verdict but `ok` means that a violation is expected.
    pub fn parse(line: &'static str) -> Option<Row> {
        let mut fields = line.split('|');
        let (id, model, verdict, bounds) =
            (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
        let mut number = || fields.next().and_then(|field| field.parse::<u64>().ok());
        let words: Vec<&str> = bounds.split(' ').collect();
        let asked = match words[..] {
            ["any", ops, threads] => {
                Asked::Total { threads: threads.parse().ok()?, ops: ops.parse().ok()? }
            }
            ["per", ops, threads] => {
                Asked::PerThread { threads: threads.parse().ok()?, ops: ops.parse().ok()? }
            }
            ["unbounded", threads] => Asked::Unbounded { threads: threads.parse().ok()? },
            _ => Asked::Program(bounds.replace('/', "|")),
        };
        let (states, millis, steps) = (number(), number(), number());
        let steps = steps.map(|steps| steps as usize);
        Some(Row { id, model, asked, is_clean: verdict == "ok", states, millis, steps })
    }
}
