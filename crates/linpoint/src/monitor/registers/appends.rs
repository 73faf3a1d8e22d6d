//! One register that is appended to: what each append found and left is told by what was read later.
//!
//! Idea. If no piece that was put or appended is a prefix of another, a text that somebody read is a
//! sequence of pieces in one way only. Each piece is added once, so within an *epoch*, from one put to
//! the next, the texts that were read are prefixes of the longest one. That one tells what each append
//! in it found and what it left, so it is a compare-and-set, and the rest is the business of
//! [`super::chains`]. An append in no text that was read is a write that nobody found: like such a
//! write it fits exactly where no epoch is interrupted, which is between two epochs or at their end.
//!
//! What is wrong before that is in one or two reads: a text that is no sequence of pieces or has a
//! piece twice; two texts of one epoch neither of which begins with the other; two epochs with one append.
//! Relaxing the other operations does not help: each still adds its piece at most once.
//!
//! A piece that several operations appended is given, place by place, to the one that returned first of
//! those that were open between what is known to be before the place and what is known to be after it.
//! That is a guess: an order that follows from it is one, but a contradiction is none.
//! So it is contradicted with less: each place of the piece belongs to somebody who began when the first
//! of them did and never returned. Whatever contradicts that contradicts every way to give it away.
//!
//! What begins an epoch is a guess too where the same was put and appended.
//!
//! Refuses pieces that are empty or begin with each other, or are put twice; repeated pieces where
//! neither of the two answers; and operations other than put, append and get. Time O(n log n)
//! comparisons and the length of all texts.
//!
//! Not in the papers.

mod pieces;
mod texts;

use crate::monitor::columns::{Columns, Kind};
use crate::monitor::names::NONE;
use crate::monitor::peaks::Peaks;
use crate::monitor::{Contradiction, Refusal, Rows};

use pieces::Pieces;
use texts::Texts;

/// A register with what is known about its appends.
#[derive(Debug)]
pub(super) struct Appended {
    /// The same register with compare-and-set in place of append.
    pub(super) columns: Columns,
    /// For each row that appends, the read that tells where; else [`NONE`].
    told_by: Vec<u32>,
    /// Rows that appended the same, where it is not known which of them appended what was read.
    alike: Vec<Vec<u32>>,
    /// What begins some epoch is a guess.
    are_epochs_guessed: bool,
}

impl Appended {
    /// Adds what tells where the appends of a contradiction belong; that also tells about those that
    /// the sentence does not name.
    pub(super) fn widen(&self, contradiction: Contradiction) -> Contradiction {
        let named = Contradiction::new(contradiction.sentence);
        let told = |row: &u32| self.told_by[*row as usize];
        let is_append = |row: &u32| told(row) != NONE;
        let others = contradiction.rows.iter().copied().filter(|row| !is_append(row));
        let tellers: Vec<u32> =
            contradiction.rows.iter().filter(|row| is_append(row)).map(told).collect();
        let meets = |rows: &&Vec<u32>| rows.iter().any(|row| contradiction.rows.contains(row));
        let alike: Vec<u32> = self.alike.iter().filter(meets).flatten().copied().collect();
        named.and(others).and(tellers).and(alike)
    }

    /// The same without what was guessed. What contradicts this is a contradiction; an order is none.
    /// Nothing if nothing was guessed. Refuses where that is not known.
    pub(super) fn without_guesses(&self) -> Result<Option<Columns>, Refusal> {
        if self.are_epochs_guessed {
            return Err(repeated());
        }
        let mut columns = self.columns.clone();
        for rows in &self.alike {
            let first = rows.iter().map(|row| columns.left[*row as usize]).min().unwrap_or(0);
            for &row in rows {
                let row = row as usize;
                (columns.left[row], columns.right[row]) = (first, Peaks::NEVER);
                if self.told_by[row] == NONE {
                    columns.kinds[row] = Kind::Idle;
                }
            }
        }
        Ok((!self.alike.is_empty()).then_some(columns))
    }
}

/// True if something is appended.
pub(super) fn occur(rows: Rows<'_>) -> bool {
    (0..rows.len()).any(|row| rows.appends(row))
}

/// Finds out what each append did, or what is wrong.
pub(super) fn read(rows: Rows<'_>) -> Result<Result<Appended, Contradiction>, Refusal> {
    let texts = Texts::read(rows)?;
    let mut pieces = Pieces::sort(&texts)?;
    let mut nodes = Nodes::new(Peaks::of(rows));
    let epochs = match pieces.epochs(&texts, &nodes.peaks)? {
        Ok(epochs) => epochs,
        Err(contradiction) => return Ok(Err(contradiction)),
    };
    let are_guessed = epochs.are_guessed;
    for epoch in &epochs.all {
        if let Err(contradiction) = pieces.place(&texts, epoch, &mut nodes)? {
            return if are_guessed { Err(repeated()) } else { Ok(Err(contradiction)) };
        }
    }
    nodes.guess(&pieces)?;
    Ok(Ok(nodes.columns(texts.kinds, are_guessed)))
}

/// A place of a piece that several rows appended.
struct Occurrence {
    piece: u32,
    source: u32,
    node: u32,
    told_by: u32,
    /// What it was appended to was not complete before this peak.
    since: u32,
    /// Somebody knew it when this peak was over.
    until: u32,
}

/// The number of what each row writes, reads or replaces. The initial text is 0.
struct Nodes {
    peaks: Peaks,
    values: Vec<u32>,
    sources: Vec<u32>,
    told_by: Vec<u32>,
    count: u32,
    /// Still to be given to somebody.
    open: Vec<Occurrence>,
    /// See [`Appended::alike`].
    alike: Vec<Vec<u32>>,
}

impl Nodes {
    fn new(peaks: Peaks) -> Nodes {
        let nothing = vec![NONE; peaks.left.len()];
        let (values, sources) = (nothing.clone(), nothing.clone());
        Nodes {
            peaks,
            values,
            sources,
            told_by: nothing,
            count: 1,
            open: Vec::new(),
            alike: Vec::new(),
        }
    }

    fn fresh(&mut self) -> u32 {
        self.count += 1;
        self.count - 1
    }

    /// This row appended to `source`, and left `node`.
    fn append(&mut self, row: u32, source: u32, node: u32, told_by: u32) {
        let row = row as usize;
        (self.values[row], self.sources[row], self.told_by[row]) = (node, source, told_by);
    }

    /// Gives pieces that several rows appended to rows that were open when it must have happened.
    /// Of those, the one that returns first: the others can wait for the next place, or for the end.
    fn guess(&mut self, pieces: &Pieces<'_>) -> Result<(), Refusal> {
        self.open.sort_unstable_by_key(|o| (o.piece, o.since, o.until));
        let open = std::mem::take(&mut self.open);
        for same in open.chunk_by(|a, b| a.piece == b.piece) {
            let mut rows = pieces.0[same[0].piece as usize].appends.clone();
            self.alike.push(rows.clone());
            let Peaks { left, right, .. } = &self.peaks;
            rows.sort_unstable_by_key(|row| (right[*row as usize], left[*row as usize]));
            let mut given = Vec::with_capacity(same.len());
            for o in same {
                let fits =
                    |row: &u32| right[*row as usize] >= o.since && left[*row as usize] <= o.until;
                // If none fits, this will not be an order, whoever gets it.
                let place = rows.iter().position(fits).unwrap_or(0);
                if rows.is_empty() {
                    return Err(repeated());
                }
                given.push(rows.remove(place));
            }
            for (o, row) in same.iter().zip(given) {
                self.append(row, o.source, o.node, o.told_by);
            }
        }
        Ok(())
    }

    /// The register with compare-and-set in place of append.
    fn columns(mut self, mut kinds: Vec<Kind>, are_epochs_guessed: bool) -> Appended {
        for (row, kind) in kinds.iter_mut().enumerate() {
            if self.told_by[row] != NONE {
                *kind = Kind::Replace;
            } else if *kind == Kind::Write && self.values[row] == NONE {
                // What nobody found is written over whatever was there.
                self.values[row] = self.fresh();
            }
        }
        let sources = if kinds.contains(&Kind::Replace) { self.sources } else { Vec::new() };
        let columns = Columns {
            kinds,
            values: self.values,
            value_count: self.count as usize,
            initial: 0,
            sources,
            left: self.peaks.left,
            right: self.peaks.right,
            peaks: self.peaks.count,
            ..Columns::default()
        };
        Appended { columns, told_by: self.told_by, alike: self.alike, are_epochs_guessed }
    }
}

pub(super) fn repeated() -> Refusal {
    Refusal::new("a text that was found is added twice")
}
