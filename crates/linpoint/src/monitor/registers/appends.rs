//! A register with appends: later reads reveal what each append found and left.
//!
//! Idea. If no piece that was put or appended is a prefix of another, a text that was read is a
//! sequence of pieces in one way only. Each piece is added once, so within an *epoch*, from one put
//! to the next, the texts that were read are prefixes of the longest one. That one reveals what
//! each append in it found and what it left, so it is a compare-and-set, and [`super::chains`]
//! decides the rest. An append in no text that was read is a write whose value was never found:
//! like such a write it fits exactly where no epoch is interrupted, which is between two epochs or
//! at their end.
//!
//! Contradictions before that stage are in one or two reads: a text that is no sequence of pieces
//! or has a piece twice; two texts of one epoch neither of which begins with the other; two epochs
//! with the same append. Relaxing the other operations does not help: each still adds its piece at
//! most once.
//!
//! A piece that several operations appended is assigned, place by place, to the one that returned
//! first of those that were open between what is known to be before the place and what is known to
//! be after it. That is a guess: an order that follows from it is valid, but a contradiction is
//! not. So contradictions are found with a weaker assumption: each place of the piece belongs to an
//! operation that began when the first of them did and never returned. Whatever contradicts that
//! contradicts every assignment.
//!
//! If the same text was put and appended, the beginning of an epoch is a guess too.
//!
//! Refuses pieces that are empty, are prefixes of each other, or are put twice; repeated pieces if
//! neither of the two tests answers; and operations other than put, append and get. Time O(n log n)
//! comparisons plus the length of all texts.
//!
//! Not in the papers.

mod pieces;
mod texts;

use crate::monitor::columns::{Columns, Kind};
use crate::monitor::names::NONE;
use crate::monitor::peaks::Peaks;
use crate::monitor::{Contradiction, Refusal, Rows};
use crate::sorting::{pair, sort_by_key};

use pieces::Pieces;
use texts::Texts;

/// A register with what is known about its appends.
#[derive(Debug)]
pub(super) struct Appended {
    /// The same register with compare-and-set in place of append.
    pub(super) columns: Columns,
    /// For each row that appends, the read that reveals its position; otherwise [`NONE`].
    revealed_by: Vec<u32>,
    /// Rows that appended the same text, if it is not known which of them appended what was read.
    alike: Vec<Vec<u32>>,
    /// True if the beginning of some epoch is a guess.
    are_epochs_guessed: bool,
}

impl Appended {
    /// Adds the reads that reveal the positions of the appends in a contradiction. They also reveal
    /// those of appends that the sentence does not name.
    pub(super) fn widen(&self, contradiction: Contradiction) -> Contradiction {
        let named = Contradiction::new(contradiction.sentence);
        let read_of = |row: &u32| self.revealed_by[*row as usize];
        let is_append = |row: &u32| read_of(row) != NONE;
        let others = contradiction.rows.iter().copied().filter(|row| !is_append(row));
        let tellers: Vec<u32> =
            contradiction.rows.iter().filter(|row| is_append(row)).map(read_of).collect();
        let meets = |rows: &&Vec<u32>| rows.iter().any(|row| contradiction.rows.contains(row));
        let alike: Vec<u32> = self.alike.iter().filter(meets).flatten().copied().collect();
        named.and(others).and(tellers).and(alike)
    }

    /// The same without guesses: a contradiction is then valid, an order is not. `None` if nothing
    /// was guessed. Refuses if that is not known.
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
                if self.revealed_by[row] == NONE {
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

/// Determines what each append did, or a contradiction.
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
#[derive(Clone, Copy)]
struct Occurrence {
    piece: u32,
    source: u32,
    node: u32,
    revealed_by: u32,
    /// The text it was appended to was not complete before this peak.
    since: u32,
    /// The end of the first read that is known to have found it.
    until: u32,
}

/// The number of what each row writes, reads or replaces. The initial text is 0.
struct Nodes {
    peaks: Peaks,
    values: Vec<u32>,
    sources: Vec<u32>,
    revealed_by: Vec<u32>,
    count: u32,
    /// Occurrences that have not been assigned yet.
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
            revealed_by: nothing,
            count: 1,
            open: Vec::new(),
            alike: Vec::new(),
        }
    }

    fn fresh(&mut self) -> u32 {
        self.count += 1;
        self.count - 1
    }

    /// Records that this row appended to `source` and left `node`.
    fn append(&mut self, row: u32, source: u32, node: u32, revealed_by: u32) {
        let row = row as usize;
        (self.values[row], self.sources[row], self.revealed_by[row]) = (node, source, revealed_by);
    }

    /// Assigns pieces that several rows appended to rows that were open at the right time. Of
    /// those, chooses the one that returns first: the others can wait for the next place, or for
    /// the end.
    fn guess(&mut self, pieces: &Pieces<'_>) -> Result<(), Refusal> {
        sort_by_key(&mut self.open, |o| pair(o.since, o.until));
        sort_by_key(&mut self.open, |o| o.piece);
        let open = std::mem::take(&mut self.open);
        for same in open.chunk_by(|a, b| a.piece == b.piece) {
            let mut rows = pieces.0[same[0].piece as usize].appends.clone();
            self.alike.push(rows.clone());
            let Peaks { left, right, .. } = &self.peaks;
            sort_by_key(&mut rows, |row| pair(right[*row as usize], left[*row as usize]));
            let mut given = Vec::with_capacity(same.len());
            for o in same {
                let fits =
                    |row: &u32| right[*row as usize] >= o.since && left[*row as usize] <= o.until;
                // If none fits, this will not give an order, whichever row gets it.
                let place = rows.iter().position(fits).unwrap_or(0);
                if rows.is_empty() {
                    return Err(repeated());
                }
                given.push(rows.remove(place));
            }
            for (o, row) in same.iter().zip(given) {
                self.append(row, o.source, o.node, o.revealed_by);
            }
        }
        Ok(())
    }

    /// The register with compare-and-set in place of append.
    fn columns(mut self, mut kinds: Vec<Kind>, are_epochs_guessed: bool) -> Appended {
        for (row, kind) in kinds.iter_mut().enumerate() {
            if self.revealed_by[row] != NONE {
                *kind = Kind::Replace;
            } else if *kind == Kind::Write && self.values[row] == NONE {
                // A value that was never found is written over whatever was there.
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
        Appended { columns, revealed_by: self.revealed_by, alike: self.alike, are_epochs_guessed }
    }
}

pub(super) fn repeated() -> Refusal {
    Refusal::new("a text that was found is added twice")
}
