//! Local arguments: why an operation is impossible, said with a few operations in a way that people know.
//!
//! A core says which operations contradict each other; it does not say how. For objects of a known shape this looks for one
//! of the [`Argument`]s: the value was gone, was never written, was taken twice. Each rule has its proof at the code, and
//! each argument is a statement about the history that a test confirms without this code (`linpoint-suite`,
//! `arguments.rs`).
//!
//! An argument is about one operation, which is tried first: the one whose return failed. Each rule takes a few passes over
//! the operations of its key. It is only an explanation: the verdict is known before.

mod containers;
mod flags;
mod numbers;
mod registers;
mod snapshots;
mod texts;
mod view;
mod words;

pub(super) use view::Scene;

use crate::history::OpId;
use crate::spec::{Role, Shape};
use crate::verdict::{Argument, Reason};

use registers::Lens;
use view::{Row, View};

/// Operations that contradict each other, and how.
pub(super) struct Local {
    /// The operation that was asked about, by its number in the whole part.
    pub(super) about: OpId,
    pub(super) argument: Argument,
    /// The operations that the argument rests on, by their numbers in the whole part: a core, if no operation outside
    /// could do something else than it did.
    pub(super) ops: Vec<OpId>,
    pub(super) reason: Reason,
}

/// An argument about one of `readers`, the first of which there is one. Ends when it is late.
pub(super) fn find(
    scene: &Scene<'_, '_>,
    readers: &[OpId],
    is_late: &dyn Fn() -> bool,
) -> Option<Local> {
    if scene.whole.subject.shape() == Shape::Opaque {
        return None;
    }
    let in_time = readers.iter().take_while(|_| !is_late());
    in_time.into_iter().find_map(|reader| about(scene, *reader))
}

fn about(scene: &Scene<'_, '_>, reader: OpId) -> Option<Local> {
    let Some(view) = View::new(scene, reader) else {
        let local = |id: &OpId| scene.ids.iter().position(|other| other == id);
        let at = OpId(local(&reader)? as u32);
        let argument = texts::argue(scene.until_failure, at)?;
        let argument = argument.renumbered(&|id| scene.ids[id.index()]);
        let reason = words::reason(scene.whole, &argument);
        return Some(Local { about: reader, ops: argument.named(), argument, reason });
    };
    let row = view.row(reader)?;
    let argument = match scene.whole.subject.shape() {
        Shape::Registers { .. } => Lens::new(&view, None)?.argue(row),
        Shape::Snapshot { .. } => snapshots::argue(&view, row),
        Shape::Flags => flags::argue(&view, row),
        Shape::Counter { .. } => numbers::counter(&view, row),
        Shape::Semaphore { .. } => numbers::semaphore(&view, row),
        Shape::Opaque => None,
        _ => containers::argue(&view, row),
    }?;
    let ops = rests_on(&view, &argument);
    let reason = words::reason(scene.whole, &argument);
    Some(Local { about: reader, argument, ops, reason })
}

/// The operations that an argument rests on: those that it names, and those that it counts.
fn rests_on(view: &View<'_, '_>, argument: &Argument) -> Vec<OpId> {
    let mut ops = argument.named();
    // Also those that found nothing: relaxed, they may have removed something.
    let removes = |row: &Row| {
        use Role::{Remove, RemoveFront, Take, TakeFront};
        let relaxed = view.case.subject.role(row.call.without_result(), true);
        matches!(row.role, Remove(_) | RemoveFront(_)) || matches!(relaxed, Take | TakeFront)
    };
    let counted: &dyn Fn(&Row) -> bool = match argument {
        Argument::Stale { writers, .. } => {
            ops.extend(writers);
            &|_| false
        }
        Argument::Twice { takers, adders } => {
            ops.extend(takers.iter().chain(adders));
            &|_| false
        }
        Argument::Removed { adders, .. } | Argument::NotEmpty { adders, .. } => {
            ops.extend(adders);
            &removes
        }
        Argument::OutOfOrder { .. } => &removes,
        Argument::Flag(_) => &|row| matches!(row.role, Role::Raise | Role::Lower),
        Argument::Total { .. } | Argument::Permits { .. } | Argument::Room { .. } => &|_| true,
        _ => &|_| false,
    };
    ops.extend(view.rows.iter().filter(|row| counted(row)).map(|row| row.id));
    ops.sort_unstable();
    ops.dedup();
    ops
}
