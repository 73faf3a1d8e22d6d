//! The pieces that texts are made of, and the epochs in which they were read.

use crate::monitor::names::NONE;
use crate::monitor::peaks::Peaks;
use crate::monitor::{Contradiction, Refusal, contradiction::contradiction as say};

use super::texts::{Row, Texts};
use super::{Nodes, Occurrence, repeated};

/// A piece, and the rows that added it.
pub(super) struct Piece<'a> {
    pub(super) letters: &'a [u8],
    /// The rows that put it, with [`NONE`] for the initial text.
    pub(super) puts: Vec<u32>,
    /// The rows that appended it.
    pub(super) appends: Vec<u32>,
    /// The last read that was found to contain it.
    pub(super) revealed_by: u32,
}

/// Texts that were read in one epoch.
pub(super) struct Epoch<'t, 'a> {
    /// The piece with which it begins; `None` if it begins with nothing.
    pub(super) first: Option<u32>,
    pub(super) longest: &'t Row<'a>,
    pub(super) reads: Vec<&'t Row<'a>>,
}

impl Epoch<'_, '_> {
    /// The row that began it, if it did not begin with the history.
    fn put(&self, pieces: &Pieces<'_>) -> Option<u32> {
        let put = self.first.map(|first| pieces.0[first as usize].puts[0]);
        put.filter(|put| *put != NONE)
    }
}

/// All pieces, sorted.
pub(super) struct Pieces<'t>(pub(super) Vec<Piece<'t>>);

/// The epochs of a register.
pub(super) struct Epochs<'t, 'a> {
    pub(super) all: Vec<Epoch<'t, 'a>>,
    /// True if something begins with a piece that was both put and possibly appended to nothing.
    pub(super) are_guessed: bool,
}

impl<'t> Pieces<'t> {
    pub(super) fn sort(texts: &'t Texts<'_>) -> Result<Pieces<'t>, Refusal> {
        let put = |letters: &'t [u8], row| {
            let (puts, appends) = (vec![row], Vec::new());
            Piece { letters, puts, appends, revealed_by: NONE }
        };
        let mut all: Vec<Piece<'t>> = Vec::new();
        if !texts.initial.is_empty() {
            all.push(put(&texts.initial, NONE));
        }
        all.extend(texts.puts.iter().map(|row| put(&row.letters, row.row)));
        all.extend(texts.appends.iter().map(|Row { row, letters }| {
            let (puts, appends) = (Vec::new(), vec![*row]);
            Piece { letters, puts, appends, revealed_by: NONE }
        }));
        all.sort_by_key(|piece| piece.letters);
        all.dedup_by(|later, first| {
            let same = later.letters == first.letters;
            if same {
                first.puts.append(&mut later.puts);
                first.appends.append(&mut later.appends);
            }
            same
        });
        // A text that begins with a piece directly follows it.
        if all.windows(2).any(|pair| pair[1].letters.starts_with(pair[0].letters)) {
            return Err(Refusal::new("one text that is added is the beginning of another"));
        }
        Ok(Pieces(all))
    }

    /// The piece with which a text begins: the last one that is not after it, or none.
    fn first(&self, letters: &[u8]) -> Option<u32> {
        let after = self.0.partition_point(|piece| piece.letters <= letters);
        let last = after.checked_sub(1)?;
        letters.starts_with(self.0[last].letters).then_some(last as u32)
    }

    /// Sorts the reads into epochs. Each begins with a put, or with the initial text. An epoch that
    /// was read after a put was called, and begins with its text, is taken to begin with that put:
    /// a guess if the same text was appended.
    pub(super) fn epochs<'r, 'a>(
        &self,
        texts: &'r Texts<'a>,
        peaks: &Peaks,
    ) -> Result<Result<Epochs<'r, 'a>, Contradiction>, Refusal> {
        let mut place = vec![NONE; self.0.len() + 1];
        let mut epochs = Epochs { all: Vec::new(), are_guessed: false };
        for read in &texts.reads {
            let first = self.first(&read.letters);
            let mut begins_with_nothing = texts.initial.is_empty();
            match first.map(|piece| &self.0[piece as usize]) {
                Some(piece) if piece.puts.len() > 1 => return Err(repeated()),
                Some(Piece { puts, appends, .. }) if !puts.is_empty() => {
                    let is_guess = begins_with_nothing && !appends.is_empty();
                    epochs.are_guessed |= is_guess;
                    let called = |put: u32| peaks.left[put as usize];
                    let is_before = || called(puts[0]) > peaks.right[read.row as usize];
                    begins_with_nothing = is_guess && is_before();
                }
                _ if begins_with_nothing => {}
                _ => return Ok(Err(say![read.row, " found what was never written"])),
            }
            let first = if begins_with_nothing { None } else { first };
            let place = &mut place[first.map_or(self.0.len(), |piece| piece as usize)];
            if *place == NONE {
                *place = epochs.all.len() as u32;
                epochs.all.push(Epoch { first, longest: read, reads: Vec::new() });
            }
            let epoch = &mut epochs.all[*place as usize];
            if read.letters.len() > epoch.longest.letters.len() {
                epoch.longest = read;
            }
            epoch.reads.push(read);
        }
        Ok(Ok(epochs))
    }

    /// Finds the place of each read and append of an epoch.
    pub(super) fn place(
        &mut self,
        texts: &Texts<'_>,
        epoch: &Epoch<'_, '_>,
        nodes: &mut Nodes,
    ) -> Result<Result<(), Contradiction>, Refusal> {
        let longest = epoch.longest;
        let mut node = match epoch.put(self) {
            None => 0,
            Some(put) => {
                nodes.values[put as usize] = nodes.fresh();
                nodes.values[put as usize]
            }
        };
        let start = epoch.first.map_or(0, |first| self.0[first as usize].letters.len());
        // Where each piece of the longest text ends, the number of the text up to there, and the piece.
        let mut ends = vec![(start, node, NONE)];
        let mut at = start;
        while at < longest.letters.len() {
            let Some(number) = self.first(&longest.letters[at..]) else {
                return Ok(Err(say![longest.row, " found what was never written"]));
            };
            let piece = &mut self.0[number as usize];
            if piece.appends.is_empty() {
                return Ok(Err(say![
                    longest.row,
                    " found something before what was written over everything"
                ]));
            }
            let is_certain = piece.appends.len() == 1;
            if is_certain && piece.revealed_by == longest.row {
                return Ok(Err(say![longest.row, " found twice what was appended once"]));
            }
            if is_certain && piece.revealed_by != NONE {
                return Ok(Err(say![
                    piece.revealed_by,
                    " and ",
                    longest.row,
                    " found what was appended once, but after different texts"
                ]));
            }
            piece.revealed_by = longest.row;
            let source = std::mem::replace(&mut node, nodes.fresh());
            if is_certain {
                nodes.append(piece.appends[0], source, node, longest.row);
            }
            at += piece.letters.len();
            ends.push((at, node, number));
        }
        // For each piece, the first read known to have found it, and the last known not to have.
        let mut until = vec![Peaks::NEVER; ends.len()];
        let mut since = vec![0; ends.len()];
        if let Some(put) = epoch.put(self) {
            since[0] = nodes.peaks.left[put as usize];
        }
        for read in &epoch.reads {
            if !longest.letters.starts_with(&read.letters) {
                return Ok(Err(self.apart(texts, epoch, read)));
            }
            match ends.binary_search_by_key(&read.letters.len(), |(end, ..)| *end) {
                Ok(i) => {
                    nodes.values[read.row as usize] = ends[i].1;
                    until[i] = until[i].min(nodes.peaks.right[read.row as usize]);
                    since[i] = since[i].max(nodes.peaks.left[read.row as usize]);
                }
                Err(_) => return Ok(Err(say![read.row, " found only a part of what was written"])),
            }
        }
        self.leave_open(epoch, &ends, (since, until), nodes);
        Ok(Ok(()))
    }

    /// Records the pieces of an epoch that several rows appended. `ends` is where each piece ends,
    /// and the times are those of the reads that found the text up to there and no more.
    fn leave_open(
        &self,
        epoch: &Epoch<'_, '_>,
        ends: &[(usize, u32, u32)],
        (mut since, mut until): (Vec<u32>, Vec<u32>),
        nodes: &mut Nodes,
    ) {
        let only_row = |i: usize| match self.0[ends[i].2 as usize].appends[..] {
            [row] => Some(row as usize),
            _ => None,
        };
        for i in 1..ends.len() {
            let began = only_row(i).map_or(0, |row| nodes.peaks.left[row]);
            since[i] = since[i].max(since[i - 1]).max(began);
        }
        for i in (1..ends.len()).rev() {
            let next = until.get(i + 1).copied().unwrap_or(Peaks::NEVER);
            let ended = only_row(i).map_or(Peaks::NEVER, |row| nodes.peaks.right[row]);
            until[i] = until[i].min(next).min(ended);
        }
        for i in (1..ends.len()).filter(|i| only_row(*i).is_none()) {
            let (_, node, piece) = ends[i];
            let (source, revealed_by) = (ends[i - 1].1, epoch.longest.row);
            let (since, until) = (since[i - 1], until[i]);
            nodes.open.push(Occurrence { piece, source, node, revealed_by, since, until });
        }
    }

    /// Two texts of one epoch, neither of which begins with the other.
    fn apart(&self, texts: &Texts<'_>, epoch: &Epoch<'_, '_>, read: &Row<'_>) -> Contradiction {
        let longest = epoch.longest.row;
        let since = match epoch.first {
            Some(first) if self.0[first as usize].puts != [NONE] => "since the same write",
            _ if texts.initial.is_empty() => "since the beginning",
            _ => "since the initial value",
        };
        say![
            read.row,
            " and ",
            longest,
            format!(" found different texts {since}, neither of which begins with the other")
        ]
    }
}
