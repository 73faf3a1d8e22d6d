//! Helpers shared by the tests.

use linpoint_model::catalogue::{Asked, find};
use linpoint_model::{Exploration, ModelError, Outcome, Settings};

/// Explores a model of the catalogue, which may be refused.
pub fn try_explore(
    name: &str,
    asked: &Asked,
    settings: &Settings<'_>,
) -> Result<Exploration, ModelError> {
    let (entry, parameter) = find(name).unwrap();
    entry.model(asked.threads(), parameter).explore(asked, settings)
}

/// Explores a model of the catalogue.
pub fn explored(name: &str, asked: &Asked, settings: &Settings<'_>) -> Exploration {
    try_explore(name, asked, settings).unwrap_or_else(|error| panic!("{name} {asked}: {error}"))
}

/// True if everything was explored without a violation. A limit fails the test.
pub fn is_clean(result: &Exploration) -> bool {
    match &result.outcome {
        Outcome::Clean => true,
        Outcome::Violation(_) => false,
        Outcome::Limit(limit) => panic!("stopped by {limit}"),
    }
}
