//! The interface between the monitor of containers and what it knows about each kind.

use crate::monitor::{Effort, Refusal};
use crate::subject::StreamSubject;

use super::exact::{Extra, Fit, History};
use super::window::{Id, Stage, Window};

/// What the monitor knows about one kind of object. The methods that end an operation return false if
/// they find no explanation; then nothing is known about the stages of elements, but each is still in
/// the list of some stage, and [`Rules::refit`] is called next.
pub(super) trait Rules {
    /// Moves an element to another stage.
    fn stage(&mut self, _subject: &dyn StreamSubject, w: &mut Window, id: Id, stage: Stage) {
        w.set_stage(id, stage);
    }

    /// A removal that was called at `call` returns the element.
    fn removed(&mut self, subject: &dyn StreamSubject, w: &mut Window, id: Id, call: u64) -> bool;

    /// A peek returns the element.
    fn peeked(&mut self, subject: &dyn StreamSubject, w: &mut Window, id: Id, call: u64) -> bool;

    /// A removal or a peek returns that there is no element.
    fn found_nothing(&mut self, subject: &dyn StreamSubject, w: &mut Window, call: u64) -> bool;

    /// The operations that matter.
    fn history(&self, subject: &dyn StreamSubject, w: &Window, extra: &Extra) -> History;

    /// False only if the element cannot be the next to be found.
    fn may_be_next(&self, subject: &dyn StreamSubject, w: &Window, id: Id) -> bool;

    /// Decides a history.
    fn solve(&self, history: &History, effort: &mut Effort<'_>) -> Result<Option<Fit>, Refusal>;

    /// Forgets what no longer matters, and returns elements to forget. `None`: what
    /// [`Window::forget_old`] finds.
    fn forget(&mut self, _w: &mut Window, _effort: &mut Effort<'_>) -> Option<Vec<Id>> {
        None
    }

    /// True if the history leaves the operation out, since it may have happened at any time.
    fn leaves_out(&self, _w: &Window, _extra: &Extra) -> bool {
        false
    }

    /// True if what was added first comes out last.
    fn is_upside_down(&self) -> bool {
        false
    }

    /// True if nothing that ended after the call of a crashed removal can be forgotten.
    fn keeps_all_since_a_crash(&self) -> bool {
        false
    }

    /// Gives the elements that are present in an explanation their stages.
    fn refit(&mut self, subject: &dyn StreamSubject, w: &mut Window, fit: &Fit) {
        fit.present.iter().for_each(|id| self.stage(subject, w, *id, Stage::Present));
    }
}
