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
//! A piece that several operations appended is given to those that began last before somebody is known
//! to have read it. That is a guess: an order that follows from it is one, but a contradiction is none.
//!
//! Refuses pieces that are empty or begin with each other, a piece that was read and put twice, guesses
//! that fail, and operations other than put, append and get. Time O(n log n) comparisons and the length
//! of all texts.
//!
//! Not in the papers.

use std::borrow::Cow;

use crate::monitor::columns::{Columns, Kind};
use crate::monitor::names::NONE;
use crate::monitor::peaks::Peaks;
use crate::monitor::{Contradiction, Refusal, Rows, contradiction::contradiction as say};
use crate::spec::{Role, Text};

/// A register with what is known about its appends.
#[derive(Debug)]
pub(super) struct Appended {
    /// The same register with compare-and-set in place of append.
    pub(super) columns: Columns,
    /// For each row that appends, the read that tells where; else [`NONE`].
    told_by: Vec<u32>,
    /// Who appended what is not known for certain.
    is_guess: bool,
}

impl Appended {
    /// Adds what tells where the appends of a contradiction belong; that also tells about those that
    /// the sentence does not name.
    pub(super) fn widen(&self, contradiction: Contradiction) -> Result<Contradiction, Refusal> {
        if self.is_guess {
            return Err(repeated());
        }
        let named = Contradiction::new(contradiction.sentence);
        let told = |row: &u32| self.told_by[*row as usize];
        let is_append = |row: &u32| told(row) != NONE;
        let others = contradiction.rows.iter().copied().filter(|row| !is_append(row));
        let tellers: Vec<u32> =
            contradiction.rows.iter().filter(|row| is_append(row)).map(told).collect();
        Ok(named.and(others).and(tellers))
    }
}

/// A put, an append or a read, with its text.
struct Row<'a> {
    row: u32,
    letters: Cow<'a, [u8]>,
}

/// A piece, and who added it.
struct Piece<'a> {
    letters: &'a [u8],
    /// The row that put it, or the first that appended it; [`NONE`] for the initial text.
    row: u32,
    is_append: bool,
    /// Others that appended it.
    more: Vec<u32>,
    /// Put several times, or put and appended, or there from the start and added again.
    is_mixed: bool,
    /// The last read that was found to contain it.
    told_by: u32,
}

/// A place of a piece that several rows appended.
struct Occurrence {
    piece: u32,
    source: u32,
    node: u32,
    told_by: u32,
    /// Somebody knew it when this peak was over.
    until: u32,
}

/// True if something is appended.
pub(super) fn occur(rows: Rows<'_>) -> bool {
    (0..rows.len()).any(|row| rows.appends(row))
}

/// Finds out what each append did, or what is wrong.
pub(super) fn read(rows: Rows<'_>) -> Result<Result<Appended, Contradiction>, Refusal> {
    let texts = Texts::read(rows)?;
    let mut pieces = Pieces::sort(&texts)?;
    let epochs = match pieces.epochs(&texts)? {
        Ok(epochs) => epochs,
        Err(contradiction) => return Ok(Err(contradiction)),
    };
    let mut nodes = Nodes::new(Peaks::of(rows));
    for epoch in &epochs {
        if let Err(contradiction) = pieces.place(&texts, epoch, &mut nodes)? {
            return Ok(Err(contradiction));
        }
    }
    nodes.guess(&pieces)?;
    Ok(Ok(nodes.columns(texts.kinds)))
}

/// Everything that is written and read.
struct Texts<'a> {
    /// Of each row: what it would be if it appended to nothing.
    kinds: Vec<Kind>,
    initial: Cow<'a, [u8]>,
    puts: Vec<Row<'a>>,
    appends: Vec<Row<'a>>,
    reads: Vec<Row<'a>>,
}

impl<'a> Texts<'a> {
    fn read(rows: Rows<'a>) -> Result<Texts<'a>, Refusal> {
        let mut language = None;
        let mut letters = |text: Option<Text<'a>>| {
            let text = text.ok_or_else(|| Refusal::new("a value that is not a text"))?;
            if text.language.is_some_and(|its| *language.get_or_insert(its) != its) {
                return Err(Refusal::new("texts of different kinds in one register"));
            }
            Ok(text.letters)
        };
        let mut texts = Texts {
            kinds: Vec::with_capacity(rows.len()),
            initial: letters(rows.initial_text())?,
            puts: Vec::new(),
            appends: Vec::new(),
            reads: Vec::new(),
        };
        let key = |row: usize| rows.key(row);
        for row in 0..rows.len() {
            if key(row) != key(0) {
                return Err(Refusal::new("values are appended to"));
            }
            let mut text = || {
                let letters = letters(rows.text(row))?;
                Ok(Row { row: row as u32, letters })
            };
            let kind = if rows.appends(row) {
                texts.appends.push(text()?);
                Kind::Write
            } else {
                match rows.role(row) {
                    Role::Idle => Kind::Idle,
                    // It says nothing.
                    Role::Read(_) if rows.is_pending(row) => Kind::Idle,
                    Role::Read(_) => {
                        texts.reads.push(text()?);
                        Kind::Read
                    }
                    Role::Write(_) => {
                        texts.puts.push(text()?);
                        Kind::Write
                    }
                    Role::Foreign(reason) => return Err(Refusal::new(reason)),
                    _ => return Err(Refusal::new("values are appended to and replaced")),
                }
            };
            texts.kinds.push(kind);
        }
        if texts.puts.iter().chain(&texts.appends).any(|row| row.letters.is_empty()) {
            return Err(Refusal::new("an empty text is written or appended"));
        }
        Ok(texts)
    }
}

/// Texts that were read in one epoch.
struct Epoch<'t, 'a> {
    /// The piece with which it begins, if not with nothing.
    first: Option<u32>,
    longest: &'t Row<'a>,
    reads: Vec<&'t Row<'a>>,
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
}

impl Nodes {
    fn new(peaks: Peaks) -> Nodes {
        let nothing = vec![NONE; peaks.left.len()];
        let (values, sources) = (nothing.clone(), nothing.clone());
        Nodes { peaks, values, sources, told_by: nothing, count: 1, open: Vec::new() }
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

    /// Gives pieces that several rows appended to those that began last before they were known.
    fn guess(&mut self, pieces: &Pieces<'_>) -> Result<(), Refusal> {
        self.open.sort_unstable_by_key(|o| (o.piece, std::cmp::Reverse(o.until)));
        let open = std::mem::take(&mut self.open);
        for same in open.chunk_by(|a, b| a.piece == b.piece) {
            let piece = &pieces.0[same[0].piece as usize];
            let mut rows: Vec<u32> = piece.more.iter().copied().chain([piece.row]).collect();
            rows.sort_unstable_by_key(|row| self.peaks.left[*row as usize]);
            for o in same {
                while rows.last().is_some_and(|row| self.peaks.left[*row as usize] > o.until) {
                    rows.pop();
                }
                let row = rows.pop().ok_or_else(repeated)?;
                self.append(row, o.source, o.node, o.told_by);
            }
        }
        self.open = open;
        Ok(())
    }

    /// The register with compare-and-set in place of append.
    fn columns(mut self, mut kinds: Vec<Kind>) -> Appended {
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
        Appended { columns, told_by: self.told_by, is_guess: !self.open.is_empty() }
    }
}

/// All pieces, sorted.
struct Pieces<'t>(Vec<Piece<'t>>);

impl<'t> Pieces<'t> {
    fn sort(texts: &'t Texts<'_>) -> Result<Pieces<'t>, Refusal> {
        let piece = |letters: &'t [u8], row, is_append| {
            let (more, is_mixed) = (Vec::new(), false);
            Piece { letters, row, is_append, more, is_mixed, told_by: NONE }
        };
        let mut all: Vec<Piece<'t>> = Vec::new();
        if !texts.initial.is_empty() {
            all.push(piece(&texts.initial, NONE, false));
        }
        all.extend(texts.puts.iter().map(|put| piece(&put.letters, put.row, false)));
        all.extend(texts.appends.iter().map(|append| piece(&append.letters, append.row, true)));
        all.sort_by_key(|piece| piece.letters);
        all.dedup_by(|later, first| {
            let same = later.letters == first.letters;
            if same {
                first.is_mixed |= !first.is_append || !later.is_append;
                first.more.push(later.row);
            }
            same
        });
        // What begins with a piece directly follows it.
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

    /// Sorts the reads into epochs. Each begins with a put, or with what is there at the start.
    fn epochs<'r, 'a>(
        &self,
        texts: &'r Texts<'a>,
    ) -> Result<Result<Vec<Epoch<'r, 'a>>, Contradiction>, Refusal> {
        let mut place = vec![NONE; self.0.len() + 1];
        let mut epochs: Vec<Epoch<'r, 'a>> = Vec::new();
        for read in &texts.reads {
            let first = self.first(&read.letters);
            let begins_with_nothing = texts.initial.is_empty()
                && first.is_none_or(|piece| self.0[piece as usize].is_append);
            let first = if begins_with_nothing { None } else { first };
            match first.map(|piece| &self.0[piece as usize]) {
                Some(piece) if piece.is_mixed => return Err(repeated()),
                None if begins_with_nothing => {}
                Some(piece) if !piece.is_append => {}
                _ => return Ok(Err(say![read.row, " found what was never written"])),
            }
            let place = &mut place[first.map_or(self.0.len(), |piece| piece as usize)];
            if *place == NONE {
                *place = epochs.len() as u32;
                epochs.push(Epoch { first, longest: read, reads: Vec::new() });
            }
            let epoch = &mut epochs[*place as usize];
            if read.letters.len() > epoch.longest.letters.len() {
                epoch.longest = read;
            }
            epoch.reads.push(read);
        }
        Ok(Ok(epochs))
    }

    /// Finds the place of each read and append of an epoch.
    fn place(
        &mut self,
        texts: &Texts<'_>,
        epoch: &Epoch<'_, '_>,
        nodes: &mut Nodes,
    ) -> Result<Result<(), Contradiction>, Refusal> {
        let longest = epoch.longest;
        let mut node = match epoch.first.map(|first| self.0[first as usize].row) {
            None | Some(NONE) => 0,
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
            if piece.is_mixed {
                return Err(repeated());
            }
            if !piece.is_append {
                return Ok(Err(say![
                    longest.row,
                    " found something before what was written over everything"
                ]));
            }
            if piece.more.is_empty() && piece.told_by == longest.row {
                return Ok(Err(say![longest.row, " found twice what was appended once"]));
            }
            if piece.more.is_empty() && piece.told_by != NONE {
                return Ok(Err(say![
                    piece.told_by,
                    " and ",
                    longest.row,
                    " found what was appended once, but after different texts"
                ]));
            }
            piece.told_by = longest.row;
            let source = std::mem::replace(&mut node, nodes.fresh());
            if piece.more.is_empty() {
                nodes.append(piece.row, source, node, longest.row);
            }
            at += piece.letters.len();
            ends.push((at, node, number));
        }
        // When somebody is first known to have known of each piece.
        let mut until = vec![Peaks::NEVER; ends.len()];
        for read in &epoch.reads {
            if !longest.letters.starts_with(&read.letters) {
                return Ok(Err(self.apart(texts, epoch, read)));
            }
            match ends.binary_search_by_key(&read.letters.len(), |(end, ..)| *end) {
                Ok(i) => {
                    nodes.values[read.row as usize] = ends[i].1;
                    until[i] = until[i].min(nodes.peaks.right[read.row as usize]);
                }
                Err(_) => return Ok(Err(say![read.row, " found only a part of what was written"])),
            }
        }
        self.leave_open(epoch, &ends, &until, nodes);
        Ok(Ok(()))
    }

    /// Notes the pieces of an epoch that several rows appended.
    fn leave_open(
        &self,
        epoch: &Epoch<'_, '_>,
        ends: &[(usize, u32, u32)],
        until: &[u32],
        nodes: &mut Nodes,
    ) {
        let mut known = Peaks::NEVER;
        for i in (1..ends.len()).rev() {
            known = known.min(until[i]);
            let (_, node, number) = ends[i];
            let piece = &self.0[number as usize];
            if piece.more.is_empty() {
                known = known.min(nodes.peaks.right[piece.row as usize]);
                continue;
            }
            let (source, told_by) = (ends[i - 1].1, epoch.longest.row);
            nodes.open.push(Occurrence { piece: number, source, node, told_by, until: known });
        }
    }

    /// Two texts of one epoch, neither of which begins with the other.
    fn apart(&self, texts: &Texts<'_>, epoch: &Epoch<'_, '_>, read: &Row<'_>) -> Contradiction {
        let longest = epoch.longest.row;
        let since = match epoch.first {
            Some(first) if self.0[first as usize].row != NONE => "since the same write",
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

fn repeated() -> Refusal {
    Refusal::new("a text that was found is added twice")
}
