//! Java's collections on the wire.

use linpoint::wire::{BadOption, FromWire, Mismatch, ModelInfo, NamedCall, Options, Part, Sizes};

use super::{Answer, BadCall, Call, Java};
use crate::Value;

/// The class of generated histories.
const USUAL_CLASS: &str = "ConcurrentLinkedQueue";

impl FromWire for Java {
    const INFO: ModelInfo = ModelInfo {
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
    };

    fn from_options(options: &mut Options<'_>) -> Result<Self, BadOption> {
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
        // Unquoted: the message escapes it.
        let class = class.as_str().map_or_else(|| class.to_string(), str::to_owned);
        Ok(Java::new(&class, arguments).map_err(String::from)?)
    }

    fn read_op(&self, call: &NamedCall<'_>) -> Result<Call, Mismatch> {
        self.method(call.name, call.args).map_err(|bad| match bad {
            BadCall::Method(message) => Mismatch::Wrong { part: Part::Name, message },
            BadCall::Argument(message) => Mismatch::Wrong { part: Part::Args, message },
        })
    }

    fn read_ret(&self, call: &Call, value: &Value) -> Result<Answer, Mismatch> {
        call.answer(value).map_err(|message| Mismatch::Wrong { part: Part::Result, message })
    }

    fn only_ret(&self, call: &Call) -> Option<Answer> {
        call.void()
    }

    fn default_options(_sizes: Sizes) -> Vec<(&'static str, Value)> {
        vec![("class", Value::str(USUAL_CLASS))]
    }
}
