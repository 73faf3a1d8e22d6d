//! A snapshot object: segments that are written one at a time and read all at once.
//!
//! Update writes one segment; scan gives the values of all segments. A scan's result may leave out
//! segments that were not recorded: `None` fits every value, and so does what is beyond the end of a
//! list that is too short. A list that is too long fits nothing. An update of a segment that does not
//! exist cannot happen.
//!
//! Pending: a scan has no effect and is dropped. An update may take effect at any time after its
//! call, or never.

mod view;

pub use view::View;

use super::{Value, replay};
use crate::spec::{Mention, Name, Role, Run, Shape, Shaped, Slot, Spec};
use crate::wire::{
    self, Args, BadOption, Chance, FromWire, Mismatch, ModelInfo, NamedCall, Options, Sizes,
    ToValue, ToWire, args,
};

/// A snapshot object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Snapshot<V> {
    /// Number of segments.
    pub segments: usize,
    /// The value of every segment before the first update.
    pub initial: V,
}

/// Operations of a [`Snapshot`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum SnapshotOp<V> {
    /// Writes this value to this segment. Gives [`SnapshotRet::Done`].
    Update(usize, V),
    /// Gives [`SnapshotRet::Values`].
    Scan,
}

/// Results of a [`Snapshot`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum SnapshotRet<V> {
    /// An update is done.
    Done,
    /// The value of each segment, as far as it is known.
    Values(View<V>),
}

use SnapshotOp::{Scan, Update};
use SnapshotRet::{Done, Values};

/// The segments of a scan that are known.
fn known<V>(ret: &SnapshotRet<V>) -> impl Iterator<Item = (usize, &V)> {
    let values: &[Option<V>] = match ret {
        Values(values) => values,
        Done => &[],
    };
    values.iter().enumerate().filter_map(|(i, v)| Some((i, v.as_ref()?)))
}

impl<V: Value> Spec for Snapshot<V> {
    type Op = SnapshotOp<V>;
    type Ret = SnapshotRet<V>;
    type State = Box<[V]>;

    fn initial(&self) -> Box<[V]> {
        vec![self.initial.clone(); self.segments].into()
    }

    fn successors(
        &self,
        state: &Box<[V]>,
        op: &Self::Op,
        ret: Option<&Self::Ret>,
        next: &mut Vec<Box<[V]>>,
    ) {
        match (op, ret) {
            (Update(i, v), None | Some(Done)) if *i < state.len() => {
                let mut after = state.clone();
                after[*i] = v.clone();
                next.push(after);
            }
            (Scan, None) => next.push(state.clone()),
            (Scan, Some(ret @ Values(values)))
                if values.len() <= state.len() && known(ret).all(|(i, v)| state[i] == *v) =>
            {
                next.push(state.clone());
            }
            _ => {}
        }
    }

    /// Segments may be left open, and all from some segment on may be missing.
    fn fits(&self, _op: &Self::Op, exact: &Self::Ret, recorded: &Self::Ret) -> bool {
        match (exact, recorded) {
            (Values(exact), Values(recorded)) => {
                recorded.len() <= exact.len()
                    && exact.iter().zip(&**recorded).all(|(is, seen)| seen.is_none() || seen == is)
            }
            _ => exact == recorded,
        }
    }

    fn outcomes(
        &self,
        state: &Box<[V]>,
        op: &Self::Op,
        out: &mut Vec<(Self::Ret, Box<[V]>)>,
    ) -> bool {
        let ret = match op {
            Update(..) => Done,
            Scan => Values(state.iter().cloned().map(Some).collect()),
        };
        let mut next = Vec::new();
        self.successors(state, op, None, &mut next);
        out.extend(next.into_iter().map(|s| (ret.clone(), s)));
        true
    }

    fn is_read(&self, op: &Self::Op, _ret: Option<&Self::Ret>) -> bool {
        matches!(op, Scan)
    }

    fn shaped(&self) -> Option<&dyn Shaped<Self::Op, Self::Ret>> {
        Some(self)
    }

    fn replay(&self, run: Run<'_, '_, Self::Op, Self::Ret>) -> Option<Result<(), usize>> {
        let mut segments: Vec<&V> = vec![&self.initial; self.segments];
        replay(run, |op, ret| match (op, ret) {
            (Update(i, v), None | Some(Done)) if *i < segments.len() => {
                segments[*i] = v;
                true
            }
            (Scan, None) => true,
            (Scan, Some(ret @ Values(values))) => {
                values.len() <= segments.len() && known(ret).all(|(i, v)| segments[i] == v)
            }
            _ => false,
        })
    }

    fn wire(&self) -> Option<&dyn ToWire<Self::Op, Self::Ret>> {
        Some(self)
    }

    fn describe_ret(&self, _op: &Self::Op, ret: &Self::Ret) -> String {
        let Values(values) = ret else { return "ok".into() };
        let show = |v: &Option<V>| v.as_ref().map_or("?".into(), |v| format!("{v:?}"));
        format!("[{}]", values.iter().map(show).collect::<Vec<_>>().join(", "))
    }

    fn describe_state(&self, state: &Box<[V]>) -> String {
        format!("{state:?}")
    }

    fn state_bytes(&self, state: &Box<[V]>) -> usize {
        size_of::<Box<[V]>>() + size_of_val::<[V]>(state)
    }
}

/// The value that an operation writes, or finds in a segment.
fn value<'a, V>(mention: Mention<'a, SnapshotOp<V>, SnapshotRet<V>>) -> Option<&'a V> {
    match (mention.op, mention.ret, mention.slot) {
        (Update(_, v), _, Slot::Value) => Some(v),
        (Scan, Some(Values(values)), Slot::Segment(i)) => values.get(i as usize)?.as_ref(),
        _ => None,
    }
}

impl<V: Value> Shaped<SnapshotOp<V>, SnapshotRet<V>> for Snapshot<V> {
    fn shape(&self) -> Shape {
        Shape::Snapshot { segments: self.segments, initial: Name::of(&self.initial) }
    }

    fn is_complete(&self) -> bool {
        true
    }

    fn role(&self, op: &SnapshotOp<V>, ret: Option<&SnapshotRet<V>>, pending: bool) -> Role {
        match (op, ret) {
            (Update(i, v), None | Some(Done)) => match u32::try_from(*i) {
                Ok(segment) if *i < self.segments => Role::Update { segment, value: Name::of(v) },
                _ if pending => Role::Idle,
                _ => Role::Foreign("an update of a segment that does not exist"),
            },
            (Scan, None) if pending => Role::Idle,
            (Scan, None) => Role::Scan,
            (Scan, Some(Values(values))) if values.len() <= self.segments => Role::Scan,
            _ => Role::Foreign("an operation has a result of another kind"),
        }
    }

    fn same_name(
        &self,
        a: Mention<'_, SnapshotOp<V>, SnapshotRet<V>>,
        b: Mention<'_, SnapshotOp<V>, SnapshotRet<V>>,
    ) -> bool {
        value(a) == value(b)
    }

    fn is_initial(&self, mention: Mention<'_, SnapshotOp<V>, SnapshotRet<V>>) -> bool {
        value(mention) == Some(&self.initial)
    }

    fn view(&self, ret: &SnapshotRet<V>, names: &mut Vec<Option<Name>>) {
        if let Values(values) = ret {
            names.extend(values.iter().map(|v| v.as_ref().map(Name::of)));
        }
    }
}

impl<V: Value> ToWire<SnapshotOp<V>, SnapshotRet<V>> for Snapshot<V> {
    fn name(&self) -> &'static str {
        Snapshot::<wire::Value>::INFO.name
    }

    fn options(&self) -> Option<Vec<(&'static str, wire::Value)>> {
        Some(vec![("segments", self.segments.to_value()?), ("initial", self.initial.to_value()?)])
    }

    fn op<'a>(&self, op: &'a SnapshotOp<V>) -> (&'static str, Args<'a>) {
        match op {
            Update(segment, v) => ("update", args([segment, v])),
            Scan => ("scan", args([])),
        }
    }

    fn ret(&self, _op: &SnapshotOp<V>, ret: &SnapshotRet<V>) -> Option<wire::Value> {
        match ret {
            Done => Some("ok".into()),
            Values(view) => wire::list(view.iter().map(wire::value_or_unknown)),
        }
    }
}

/// More segments than this are refused: every state holds all of them.
const MOST_SEGMENTS: usize = 1 << 20;

impl FromWire for Snapshot<wire::Value> {
    const INFO: ModelInfo = ModelInfo {
        name: "snapshot",
        about: "segments that are written one at a time and read all at once",
        operations: &["update(segment, value)", "scan() -> list of values"],
        options: &["segments=N: how many there are, numbered from 0 (required)", wire::INITIAL],
    };

    fn from_options(options: &mut Options<'_>) -> Result<Self, BadOption> {
        let missing = || BadOption::missing("a snapshot needs the option \"segments\"");
        let segments = options.int("segments")?.ok_or_else(missing)?;
        if segments > MOST_SEGMENTS {
            return Err(format!("{segments} segments are too many").into());
        }
        Ok(Snapshot { segments, initial: options.value_or_nil("initial") })
    }

    #[inline]
    fn read_op(&self, call: &NamedCall<'_>) -> Result<Self::Op, Mismatch> {
        match call.name {
            "update" => {
                let (segment, value) = wire::two(call)?;
                let number: usize = wire::int_arg(segment)?;
                if number >= self.segments {
                    let expected = format!("a segment below {}", self.segments);
                    return Err(wire::bad_arg(&expected, segment));
                }
                Ok(Update(number, value.clone()))
            }
            "scan" => wire::none(call).map(|()| Scan),
            _ => Err(Mismatch::UnknownOperation),
        }
    }

    #[inline]
    fn read_ret(&self, op: &Self::Op, value: &wire::Value) -> Result<Self::Ret, Mismatch> {
        match (op, value) {
            (Update(..), _) => wire::done(value).map(|()| Done),
            (Scan, wire::Value::List(values)) if values.len() <= self.segments => {
                Ok(Values(values.iter().map(wire::known).collect()))
            }
            (Scan, _) => Err(wire::bad_ret(&format!("a list of {} values", self.segments), value)),
        }
    }

    /// Between two updates, all scans see the same.
    fn shares_result(&self, op: &Self::Op) -> bool {
        matches!(op, Scan)
    }

    #[inline]
    fn only_ret(&self, op: &Self::Op) -> Option<Self::Ret> {
        matches!(op, Update(..)).then_some(Done)
    }

    /// A segment that no operation names makes no difference.
    fn is_alike(&self, other: &Self) -> bool {
        self.initial == other.initial
    }

    /// Scans return all segments, so there are few unless `--keys` asks for more.
    fn default_options(sizes: Sizes) -> Vec<(&'static str, wire::Value)> {
        let segments = sizes.keys.unwrap_or(sizes.processes.min(8));
        vec![("segments", wire::Value::Int(segments.into()))]
    }

    /// Each process updates a segment of its own, if there are enough.
    fn draw(&self, state: &Box<[wire::Value]>, chance: &mut dyn Chance) -> Option<Self::Op> {
        if state.is_empty() || chance.percent(40) {
            return Some(Scan);
        }
        Some(Update(chance.process() as usize % state.len(), chance.value()))
    }

    /// In place: states are copied otherwise.
    fn perform(
        &self,
        state: &mut Box<[wire::Value]>,
        op: &Self::Op,
        _chance: &mut dyn Chance,
    ) -> Option<Self::Ret> {
        match op {
            Update(segment, value) => {
                *state.get_mut(*segment)? = value.clone();
                Some(Done)
            }
            Scan => Some(Values(state.iter().cloned().map(Some).collect())),
        }
    }

    fn impossible(
        &self,
        _op: &Self::Op,
        ret: &Self::Ret,
        never: &wire::Value,
    ) -> Option<Self::Ret> {
        let Values(values) = ret else { return None };
        let mut values = values.to_vec();
        *values.first_mut()? = Some(never.clone());
        Some(Values(values.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::claims::check_claims;
    use crate::spec::models::tests::{next, run};

    const SPEC: Snapshot<i32> = Snapshot { segments: 2, initial: 0 };

    #[test]
    fn sequential_semantics() {
        let (rets, state) = run(&SPEC, &[Scan, Update(1, 5), Update(2, 6), Scan, Update(0, 7)]);
        assert_eq!(rets, ["[0, 0]", "ok", "waits", "[0, 5]", "ok"]);
        assert_eq!(state, "[7, 5]");
    }

    #[test]
    fn unknown_segments_fit_everything() {
        let state: Box<[i32]> = [1, 2].into();
        for fits in [vec![None, Some(2)], vec![Some(1)], vec![], vec![None, None]] {
            assert_eq!(next(&SPEC, &state, &Scan, Some(&Values(fits.into()))), ["[1, 2]"]);
        }
        for wrong in [vec![None, Some(1)], vec![None, None, None]] {
            assert_eq!(next(&SPEC, &state, &Scan, Some(&Values(wrong.into()))), [""; 0]);
        }
    }

    #[test]
    fn a_pending_update_writes_its_segment() {
        assert_eq!(next(&SPEC, &SPEC.initial(), &Update(0, 3), None), ["[3, 0]"]);
        assert!(SPEC.is_read(&Scan, None) && !SPEC.is_read(&Update(0, 0), None));
    }

    #[test]
    fn claims_hold() {
        let ops = [Scan, Scan, Update(0, 0), Update(0, 1), Update(0, 2), Update(1, 1)];
        check_claims(&SPEC, &ops, 1, 400).unwrap();
    }
}
