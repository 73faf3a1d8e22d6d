//! The simulated histories have the claimed properties.

use linpoint::{Spec, Verdict, check};

use super::objects::Mix;
use super::shape::{Shape, Type, Visitor};
use super::text::Text;
use crate::generate::Object;

/// Checks a history by search. Returns its spans in the order of returns, and the number of empty
/// results.
struct Check<'a>(&'a Shape);

impl Visitor for Check<'_> {
    type Output = (Vec<(u32, u32)>, usize);

    fn visit<S: Spec, X>(self, spec: &S, object: X, _header: &str) -> Self::Output
    where
        S::Op: Text<S::Ret>,
        X: Object<Op = S::Op, Ret = S::Ret>,
    {
        let history = self.0.history(object);
        let report = check(spec, &history).unwrap();
        assert!(matches!(report.verdict, Verdict::Linearizable(_)), "{:?}", self.0);
        let mut spans: Vec<(u32, u32)> =
            history.ids().map(|id| history.span(id)).map(|s| (s.call, s.ret)).collect();
        spans.sort_by_key(|s| s.1);
        let rets = history.ids().filter_map(|id| history.ret(id));
        let empties = rets.filter(|ret| format!("{ret:?}") == "Value(None)").count();
        (spans, empties)
    }
}

fn shapes() -> impl Iterator<Item = Shape> {
    Type::ALL.into_iter().flat_map(|(object, _)| {
        [(0.0, false), (0.3, false), (0.3, true)].map(|(peeks, empties)| {
            let mix = Mix { adds: 0.5, peeks, empties };
            Shape { object, operations: 200, processes: 3, mix, seed: 7 }
        })
    })
}

#[test]
fn histories_are_linearizable_and_empty_only_on_request() {
    for shape in shapes() {
        let (spans, empties) = shape.accept(Check(&shape));
        assert_eq!(spans.len(), shape.operations);
        let container = matches!(shape.object, Type::Stack | Type::Queue | Type::PriorityQueue);
        assert_eq!(empties > 0, container && shape.mix.empties, "{shape:?}");
    }
}

#[test]
fn a_file_has_the_operations_of_the_history_in_memory() {
    for (i, shape) in shapes().filter(|s| s.object.is_in_fastlin()).enumerate() {
        let name = format!("linpoint-bench-test-{}-{i}", std::process::id());
        let path = std::env::temp_dir().join(name);
        shape.write(&path).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let times = text.lines().skip(1).map(|line| {
            let words: Vec<&str> = line.split(' ').collect();
            let [_method, _value, start, end] = words[..] else { panic!("{line}") };
            (start.parse().unwrap(), end.parse().unwrap())
        });
        let (spans, _) = shape.accept(Check(&shape));
        assert_eq!(times.collect::<Vec<(u32, u32)>>(), spans, "{shape:?}");
    }
}

#[test]
fn values_are_distinct() {
    for (object, name) in Type::ALL.into_iter().filter(|(t, _)| t.is_in_fastlin()) {
        let mix = Mix { adds: 1.0, peeks: 0.0, empties: false };
        let shape = Shape { object, operations: 20_000, processes: 5, mix, seed: 3 };
        let path = std::env::temp_dir().join(format!("linpoint-{name}-{}", std::process::id()));
        shape.write(&path).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let mut values: Vec<i64> =
            text.lines().skip(1).map(|l| l.split(' ').nth(1).unwrap().parse().unwrap()).collect();
        values.sort_unstable();
        values.dedup();
        assert_eq!(values.len(), shape.operations);
        assert!(values[0] > 0, "-1 means empty");
    }
}
