//! Checks the optional claims of a spec against its relation, on random sequential runs.
