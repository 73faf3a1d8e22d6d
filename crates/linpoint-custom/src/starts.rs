//! Scripts to start with.

/// Scripts to start with, by name.
pub const STARTS: [(&str, &str); 4] = [
    ("kv", include_str!("starts/kv.star")),
    ("bank", include_str!("starts/bank.star")),
    ("lock", include_str!("starts/lock.star")),
    ("queue", include_str!("starts/queue.star")),
];
