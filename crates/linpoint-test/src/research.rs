//! Building blocks for research and for runners of your own. Tests do not need them.
//!
//! A [`Test`](crate::Test) draws a [`Scenario`]; a [`Runner`] executes it and has [`judge`] decide
//! each [`Execution`]; [`shrink`] makes a failing scenario smaller.
//! [`Test::under`](crate::Test::under) runs a test under any runner, with reports and regression
//! files.
//!
//! | to … | use |
//! | --- | --- |
//! | schedule threads in a new way | [`Runner`] |
//! | judge executions recorded elsewhere | [`judge`], [`explain`] |
//! | enumerate all small scenarios | [`Scope`], [`survey`] |
//! | store, edit and rebuild scenarios | [`Recipe`], [`Test::instantiate`](crate::Test::instantiate) |
//! | shrink with a runner of your own | [`shrink`] |

pub use crate::execution::{
    Attempt, Coverage, Execution, Failure, Retold, Runner, Truncation, Unfinished, UnfinishedReason,
};
pub use crate::judge::{Judgement, explain, judge};
pub use crate::scenario::{Kept, Recipe, Scenario, main_process};
pub use crate::schedule::enumerate::{Scope, Survey, survey};
pub use crate::shrink::{Shrunk, shrink};
