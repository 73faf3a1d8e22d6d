//! The models that histories are joined to: those of the library, and Java's collections.

use std::sync::OnceLock;

use linpoint::spec::models::{self, ModelVisitor};
use linpoint::wire::{BadOption, FromWire, ModelInfo, Options};

use super::loader::{self, Loader};
use super::watch::{AnyStream, ModelStream};
use super::{LoadedHistory, custom};
use crate::ReadError;
use crate::java::Java;

/// A model of the list.
pub(crate) struct Entry {
    pub(crate) info: ModelInfo,
    pub(super) make: Make,
}

/// How a model is made of its options.
pub(super) enum Make {
    Bundled(fn(&mut Options<'_>) -> Result<Box<dyn Model>, BadOption>),
    /// See [`super::custom`].
    Custom,
}

/// Visits the models of the library and Java's collections, in the order in which they are listed. Models that users
/// write are known by name only, see [`custom`].
pub fn for_each_model(visitor: &mut impl ModelVisitor) {
    models::for_each_model(visitor);
    visitor.model::<Java>();
}

/// All models, in the order in which they are listed.
pub(crate) fn all() -> &'static [Entry] {
    static ALL: OnceLock<Vec<Entry>> = OnceLock::new();
    ALL.get_or_init(|| {
        let mut list = List(Vec::new());
        for_each_model(&mut list);
        list.0
    })
}

/// The model of this name. Those that users write go first: their names are paths and commands.
pub(crate) fn find(name: &str) -> Option<&'static Entry> {
    custom::find(name).or_else(|| all().iter().find(|entry| entry.info.name == name))
}

struct List(Vec<Entry>);

impl ModelVisitor for List {
    fn model<M: FromWire>(&mut self) {
        self.0.push(Entry {
            info: M::INFO,
            make: Make::Bundled(|options| Ok(Box::new(M::from_options(options)?))),
        });
    }
}

/// A model with its options, whatever its types.
pub(crate) trait Model {
    /// Reads a history of it.
    fn load(&self, loader: Loader<'_, '_>) -> Result<LoadedHistory, ReadError>;

    /// See [`FromWire::one_key`].
    fn one_key(&self) -> bool;

    /// See [`FromWire::failure`].
    fn failure(&self) -> Option<String>;

    /// The stream of one of its objects, without operations.
    fn stream(&self) -> Box<dyn AnyStream + '_>;
}

impl<M: FromWire> Model for M {
    fn load(&self, loader: Loader<'_, '_>) -> Result<LoadedHistory, ReadError> {
        loader::load(self, loader)
    }

    fn one_key(&self) -> bool {
        FromWire::one_key(self)
    }

    fn failure(&self) -> Option<String> {
        FromWire::failure(self)
    }

    fn stream(&self) -> Box<dyn AnyStream + '_> {
        Box::new(ModelStream::new(self))
    }
}
