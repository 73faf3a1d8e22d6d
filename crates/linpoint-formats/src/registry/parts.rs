//! Histories of several objects that have models of their own: `kv+counter`.
//!
//! Linearizability is local (Herlihy and Wing 1990, theorem 1): a history of several objects is linearizable exactly if
//! the operations of each object are. So each component becomes a history of its own, with the lines and the times that it has in
//! the file, and is checked, explained and shrunk like any other.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use linpoint::wire::Part;

use super::models;
use super::wrong::error_at;
use crate::model::{Component, ModelName};
use crate::raw::{Destiny, RawHistory, RawOp};
use crate::words::did_you_mean;
use crate::{ReadError, Source, Value};

/// One of the histories of an input, with its model if it is one of several components.
pub(crate) type Piece = (RawHistory, Option<ModelName>);

/// Splits a history if its model has several components. `model` overrides the model that the file names.
pub(crate) fn split(
    source: &Source,
    raw: RawHistory,
    model: Option<&ModelName>,
) -> Result<Vec<Piece>, ReadError> {
    let Some(components) = model.or(raw.model.as_ref()).and_then(ModelName::components) else {
        return Ok(vec![(raw, None)]);
    };
    let router = Router::new(&components);
    let mut routes: BTreeMap<(String, Option<u32>), Route> = BTreeMap::new();
    for op in raw.ops.iter() {
        let key = (op.name.to_owned(), op.extras.object);
        if let Entry::Vacant(place) = routes.entry(key) {
            let object = op.extras.object.and_then(|object| raw.objects.get(object as usize));
            let route = router.route(op.name, object);
            place.insert(route.map_err(|lost| lost.error(source, &raw, &op, &components))?);
        }
    }
    let piece = |(number, component): (usize, &Component)| {
        let mut own = raw.clone();
        own.ops.select(&mut |op| match routes.get(&(op.name.to_owned(), op.extras.object)) {
            Some(route) if route.component == number => {
                Destiny::Kept { without_object: route.by_object }
            }
            _ => Destiny::Dropped,
        });
        own.ops.rename(&mut |name| router.stripped(number, name).map(str::to_owned));
        (own.model, own.jepsen) = (None, None);
        own.id = Some(match raw.id.as_deref() {
            Some(id) => format!("{id}/{}", component.name),
            None => component.name.clone(),
        });
        (own, Some(component.model.clone()))
    };
    Ok(components.iter().enumerate().map(piece).collect())
}

/// To which component an operation belongs.
struct Route {
    component: usize,
    /// The object of the operation is the component, so that it is no object within it.
    by_object: bool,
}

/// Why an operation belongs to no component.
enum Lost {
    Nowhere,
    /// To these: their models have an operation of this name.
    Several(Vec<usize>),
}

/// Finds the components of operations.
struct Router<'a> {
    components: &'a [Component],
    /// The names of the operations of each.
    names: Vec<Vec<&'static str>>,
}

/// The names of the operations of a model.
fn names_of(model: &ModelName) -> Vec<&'static str> {
    let operations = models::find(&model.name).map_or(&[][..], |entry| entry.info.operations);
    operations.iter().filter_map(|signature| signature.split('(').next()).collect()
}

impl<'a> Router<'a> {
    fn new(components: &'a [Component]) -> Router<'a> {
        let names = components.iter().map(|component| names_of(&component.model)).collect();
        Router { components, names }
    }

    fn route(&self, name: &str, object: Option<&Value>) -> Result<Route, Lost> {
        let by_object = |object: &Value| {
            let object = object.bare();
            self.components.iter().position(|component| component.name == object)
        };
        if let Some(component) = object.and_then(by_object) {
            return Ok(Route { component, by_object: true });
        }
        let prefixed =
            (0..self.components.len()).find(|&number| self.stripped(number, name).is_some());
        if let Some(component) = prefixed {
            return Ok(Route { component, by_object: false });
        }
        let has = |number: &usize| self.names[*number].contains(&name);
        let able: Vec<usize> = (0..self.components.len()).filter(has).collect();
        match able[..] {
            [] => Err(Lost::Nowhere),
            [component] => Ok(Route { component, by_object: false }),
            _ => Err(Lost::Several(able)),
        }
    }

    /// The name of an operation without the name of its component before it.
    fn stripped<'n>(&self, number: usize, name: &'n str) -> Option<&'n str> {
        name.strip_prefix(self.components[number].name.as_str())?.strip_prefix('.')
    }
}

impl Lost {
    fn error(
        self,
        source: &Source,
        raw: &RawHistory,
        op: &RawOp<'_>,
        components: &[Component],
    ) -> ReadError {
        let name = op.name;
        let (message, help) = match self {
            Lost::Nowhere => {
                let all: Vec<&str> =
                    components.iter().flat_map(|each| names_of(&each.model)).collect();
                let of = |each: &Component| {
                    format!("{} has {}", each.name, names_of(&each.model).join(", "))
                };
                let rest = format!(
                    "the component {}",
                    components.iter().map(of).collect::<Vec<_>>().join("; ")
                );
                (
                    format!("no component has the operation {name:?}"),
                    did_you_mean(name, &all, &rest),
                )
            }
            Lost::Several(able) => {
                let able: Vec<&str> =
                    able.iter().map(|&number| components[number].name.as_str()).collect();
                let first = able.first().copied().unwrap_or_default();
                (
                    format!("{name:?} is an operation of several components: {}", able.join(", ")),
                    format!(
                        "write {first}.{name} (--map op.{name}={first}.{name}), or name the component in a field (--object-field)"
                    ),
                )
            }
        };
        let error = error_at(source, raw.format, op.line, Part::Name, message);
        let field = raw.log.as_ref().map(|log| log.op.as_str());
        let column =
            field.and_then(|field| crate::mapping::locate(source, raw.format, op.line, field));
        let error = match column {
            Some(column) => error.at(source, op.line, column),
            None => error,
        };
        error.help(help)
    }
}
