//! Judges executions under loom, in loom's order, on a thread of its own.

use std::sync::{Arc, Mutex, PoisonError, mpsc};

use linpoint::{Limit, Spec};

use super::journal::Event;
use super::loom::Order;
use super::program_order::is_consistent;
use super::stage::Stage;
use crate::execution::Execution;
use crate::judge::{CheckLimits, Fault, Judgement, judge};

type Question<S> =
    (Execution<<S as Spec>::Op, <S as Spec>::Ret>, Vec<Event<<S as Spec>::Op, <S as Spec>::Ret>>);

/// Judges on a separate thread, because loom's threads have small stacks.
pub(super) struct Judge<S: Spec> {
    questions: Mutex<Option<mpsc::Sender<Question<S>>>>,
    answers: Mutex<mpsc::Receiver<Judgement>>,
}

impl<S: Spec + Send + 'static> Judge<S> {
    pub fn start<T: Send + Sync + 'static>(
        stage: Arc<Stage<T, S>>,
        order: Order,
        limits: CheckLimits,
    ) -> (Self, std::thread::JoinHandle<()>) {
        let (questions, incoming) = mpsc::channel::<Question<S>>();
        let (outgoing, answers) = mpsc::channel();
        let work = move || {
            let spec = stage.test.specification();
            for (execution, events) in incoming {
                let main = stage.main_process();
                let answer = judge_in_order(spec, &execution, &events, main, order, &limits);
                if outgoing.send(answer).is_err() {
                    return;
                }
            }
        };
        let judge = Judge { questions: Mutex::new(Some(questions)), answers: Mutex::new(answers) };
        (judge, std::thread::spawn(work))
    }

    pub fn ask(
        &self,
        execution: Execution<S::Op, S::Ret>,
        events: Vec<Event<S::Op, S::Ret>>,
    ) -> Judgement {
        let sent = match &*self.questions.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(questions) => questions.send((execution, events)).is_ok(),
            None => false,
        };
        let answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        let gone = "the judging thread has ended".to_owned();
        sent.then(|| answers.recv().ok())
            .flatten()
            .unwrap_or(Judgement::Failed(Fault::Check(linpoint::CheckError::Internal(gone))))
    }

    pub fn dismiss(&self) {
        self.questions.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

/// Under [`Order::Program`] an execution that is not linearizable in the order of the scheduler may
/// still be correct. One that is not correct in program order is not linearizable in the order of
/// the scheduler either, which is what the report explains.
fn judge_in_order<S: Spec>(
    spec: &S,
    execution: &Execution<S::Op, S::Ret>,
    events: &[Event<S::Op, S::Ret>],
    main: u32,
    order: Order,
    limits: &CheckLimits,
) -> Judgement {
    let strict = judge(spec, execution, limits);
    if order != Order::Program || strict != Judgement::Failed(Fault::NotLinearizable) {
        return strict;
    }
    match is_consistent(spec, events, main) {
        Some(true) => Judgement::Correct,
        Some(false) => strict,
        None => Judgement::Undecided(Limit::Memory),
    }
}
