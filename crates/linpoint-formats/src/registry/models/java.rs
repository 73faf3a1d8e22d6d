//! Collections of `java.util.concurrent`, see [`crate::java`].

use super::super::join::{BadOption, Join, Mismatch};
use super::super::{Entry, ModelInfo};
use crate::Value;
use crate::format::Part;
use crate::java::{Answer, BadCall, Call, Java};
use crate::raw::RawOp;

pub(super) const JAVA: Entry = Entry {
    info: ModelInfo {
        name: "java",
        about: "a collection of java.util.concurrent",
        operations: &[
            "the methods of the class, with what Java prints as results: docs/java.md lists them",
        ],
        options: &[
            "class=NAME: ArrayBlockingQueue, ConcurrentHashMap, ConcurrentLinkedDeque, \
             ConcurrentLinkedQueue, ConcurrentSkipListMap, ConcurrentSkipListSet, LinkedBlockingDeque, \
             LinkedBlockingQueue, LinkedTransferQueue, PriorityBlockingQueue",
            "arguments=LIST: the arguments of the constructor",
        ],
    },
    join: |options| {
        let Some(class) = options.value("class") else {
            return Err(BadOption::missing("the model \"java\" needs a class"));
        };
        let arguments = match options.value("arguments") {
            None => &[],
            Some(Value::List(list)) => &list[..],
            Some(other) => {
                return Err(format!("the option \"arguments\" must be a list, not {other}").into());
            }
        };
        Ok(Box::new(JavaJoin {
            empty: Java::new(&class_name(class), arguments).map_err(String::from)?,
        }))
    },
};

/// As it is written: a message escapes it.
fn class_name(class: &Value) -> String {
    class.as_str().map_or_else(|| class.to_string(), str::to_owned)
}

struct JavaJoin {
    empty: Java,
}

impl Join for JavaJoin {
    type Spec = Java;

    fn spec(&self) -> Java {
        self.empty.clone()
    }

    fn op(&self, raw: &RawOp<'_>) -> Result<Call, Mismatch> {
        self.empty.method(raw.name, raw.args).map_err(|bad| match bad {
            BadCall::Method(message) => Mismatch::Wrong { part: Part::Name, message },
            BadCall::Argument(message) => Mismatch::Wrong { part: Part::Args, message },
        })
    }

    fn ret(&self, call: &Call, value: &Value) -> Result<Answer, Mismatch> {
        call.answer(value).map_err(|message| Mismatch::Wrong { part: Part::Result, message })
    }

    fn only_ret(&self, call: &Call) -> Option<Answer> {
        call.void()
    }
}
