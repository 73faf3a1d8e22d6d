//! Names that are looked up, with a suggestion for those that do not exist.

use linpoint::plan::Monitor;
use linpoint::{Algorithm, Engine, UnknownEngine};
use linpoint_formats::did_you_mean;
use linpoint_model::catalogue::{FindError, entries};
use linpoint_model::{ModelError, ProgramError};

/// A monitor, an engine, or several engines: `a+b`.
pub fn algorithm(text: &str) -> Result<Algorithm, String> {
    text.parse().map_err(|UnknownEngine(name)| {
        let monitors = Monitor::ALL.iter().map(|monitor| monitor.name());
        let known: Vec<&str> =
            Engine::NAMED.iter().map(|engine| engine.name()).chain(monitors).collect();
        let rest = format!("the engines are: {}", known.join(", "));
        format!("unknown engine {name:?}; {}", did_you_mean(&name, &known, &rest))
    })
}

/// Why the catalogue has no such model.
pub fn no_entry(error: &FindError) -> String {
    let FindError::UnknownModel(name) = error else { return error.to_string() };
    let known: Vec<&str> = entries().map(|entry| entry.name).collect();
    let rest = format!("the models are: {}", known.join(", "));
    format!("{error}; {}", did_you_mean(name, &known, &rest))
}

/// Why a model of the catalogue cannot be explored.
pub fn not_explored(error: &ModelError) -> String {
    let ModelError::Program(ProgramError::UnknownOperation { op, known }) = error else {
        return error.to_string();
    };
    let name = |op: &str| op.split([' ', '(']).next().unwrap_or_default().to_owned();
    let names: Vec<String> = known.iter().map(|op| name(op)).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let rest = format!("the operations are: {}", known.join(", "));
    let meant = did_you_mean(&name(op), &names, &rest);
    format!("{op:?} is not an operation of this model; {meant}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_get_suggestions() {
        assert!(algorithm("jit-tree+breadth").is_ok());
        let message = algorithm("jit-tree+breath").unwrap_err();
        let expected = "unknown engine \"breath\"; did you mean \"breadth\"? The engines are: ";
        assert!(message.starts_with(expected), "{message}");
    }

    #[test]
    fn models_of_the_catalogue_get_suggestions() {
        let message = no_entry(&FindError::UnknownModel("trieber".to_owned()));
        assert!(message.contains("; did you mean \"treiber\"? The models are: "), "{message}");
    }
}
