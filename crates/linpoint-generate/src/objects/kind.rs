//! What is known about a model by its name.

use linpoint::spec::models::ModelVisitor;
use linpoint::wire::{FromWire, Options, Sizes};
use linpoint_formats::Value;
use linpoint_formats::registry::{custom, for_each_model};

use super::{Draft, Object, Simulated};

/// A model, for which a generated history can be drafted.
pub(super) struct Kind {
    /// True if operations have keys.
    pub(super) has_keys: bool,
    /// Options that a generated history fills in.
    pub(super) default_options: fn(Sizes) -> Vec<(&'static str, Value)>,
    /// An object of the model, simulated by its own specification.
    pub(super) simulate: fn(&Draft<'_>) -> Result<Box<dyn Object>, String>,
}

impl Kind {
    /// The model of this name. Those that users write go first: their names are paths and commands.
    pub(super) fn named(name: &str) -> Option<Kind> {
        if custom::info(name).is_some() {
            let default_options = |_| Vec::new();
            return Some(Kind { has_keys: true, default_options, simulate: simulate_custom });
        }
        let mut search = Search { name, found: None };
        for_each_model(&mut search);
        search.found
    }
}

struct Search<'a> {
    name: &'a str,
    found: Option<Kind>,
}

impl ModelVisitor for Search<'_> {
    fn model<M: FromWire>(&mut self) {
        if M::INFO.name == self.name {
            self.found = Some(Kind {
                has_keys: M::HAS_KEYS,
                default_options: M::default_options,
                simulate: simulate_bundled::<M>,
            });
        }
    }
}

fn simulate_bundled<M: FromWire>(draft: &Draft<'_>) -> Result<Box<dyn Object>, String> {
    let mut options = Options::new(&draft.model.options);
    let model = M::from_options(&mut options).map_err(|bad| bad.message)?;
    Ok(Box::new(Simulated::new(model, draft)))
}

fn simulate_custom(draft: &Draft<'_>) -> Result<Box<dyn Object>, String> {
    match custom::model(draft.model).map_err(|error| error.to_string())? {
        Some(model) => Ok(Box::new(Simulated::new(model, draft))),
        None => Err(format!("the model {:?} is gone", draft.model.name)),
    }
}
