//! Snapshot objects.

use linpoint::Sequential;

/// At most this many processes share a snapshot object.
pub const MAX_SEGMENTS: usize = 10;
/// The contents of all segments; those without an owner are 0.
pub type View = [u8; MAX_SEGMENTS];

/// Operations of a snapshot object; each process owns a segment.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SnapshotOp {
    /// This process writes its segment.
    Update(u8, u8),
    /// Reads all segments atomically.
    Scan,
}

impl SnapshotOp {
    pub(crate) fn all(thread: usize) -> Vec<SnapshotOp> {
        let own = thread as u8;
        vec![SnapshotOp::Update(own, 0), SnapshotOp::Update(own, 1), SnapshotOp::Scan]
    }

    pub(crate) fn parse(thread: usize, name: &str, argument: Option<u8>) -> Option<SnapshotOp> {
        match (name, argument) {
            ("update", Some(value @ 0..=1)) => Some(SnapshotOp::Update(thread as u8, value)),
            ("scan", None) => Some(SnapshotOp::Scan),
            _ => None,
        }
    }
}

/// The result of an operation on a snapshot object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SnapshotRet {
    /// The segment was written.
    Ok,
    /// The values of all segments.
    View(View),
}

/// A snapshot object.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Snapshot {
    values: View,
    segments: u8,
}

impl Snapshot {
    /// An object with this many segments, at least 1 and at most 10.
    pub fn new(segments: usize) -> Snapshot {
        Snapshot { values: View::default(), segments: segments.clamp(1, MAX_SEGMENTS) as u8 }
    }

    /// Number of segments.
    pub(crate) fn len(&self) -> usize {
        usize::from(self.segments)
    }
}

impl Sequential for Snapshot {
    type Op = SnapshotOp;
    type Ret = SnapshotRet;

    fn apply(&mut self, op: &SnapshotOp) -> SnapshotRet {
        match op {
            SnapshotOp::Update(segment, value) => {
                if let Some(own) = self.values.get_mut(usize::from(*segment)) {
                    *own = *value;
                }
                SnapshotRet::Ok
            }
            SnapshotOp::Scan => SnapshotRet::View(self.values),
        }
    }

    fn describe_op(&self, op: &SnapshotOp) -> String {
        match op {
            SnapshotOp::Update(_, value) => format!("update({value})"),
            SnapshotOp::Scan => "scan".into(),
        }
    }

    fn describe_ret(&self, _op: &SnapshotOp, ret: &SnapshotRet) -> String {
        match ret {
            SnapshotRet::Ok => "ok".into(),
            SnapshotRet::View(view) => format!("{:?}", &view[..self.len()]),
        }
    }

    fn describe(&self) -> String {
        format!("{:?}", &self.values[..self.len()])
    }
}
