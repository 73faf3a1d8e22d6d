//! Text to tokens. Indentation becomes tokens too, as in Python.

use super::fault::{Outcome, Pos, fault};

/// A token.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Token {
    Name(Box<str>),
    Int(i64),
    Str(Box<str>),
    /// A keyword or an operator.
    Sign(&'static str),
    Newline,
    Indent,
    Dedent,
    End,
}

impl std::fmt::Display for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Token::Name(name) => write!(f, "`{name}`"),
            Token::Int(n) => write!(f, "`{n}`"),
            Token::Str(_) => f.write_str("a string"),
            Token::Sign(sign) => write!(f, "`{sign}`"),
            Token::Newline => f.write_str("the end of the line"),
            Token::Indent => f.write_str("an indented line"),
            Token::Dedent => f.write_str("the end of the block"),
            Token::End => f.write_str("the end of the file"),
        }
    }
}

const KEYWORDS: &[&str] = &[
    "and", "break", "continue", "def", "del", "elif", "else", "for", "if", "in", "is", "not", "or",
    "pass", "return", "while",
];

/// What Python has and models do not, with what to do instead.
const ELSEWHERE: &[(&str, &str)] = &[
    ("import", "a model stands alone: it cannot import anything"),
    ("from", "a model stands alone: it cannot import anything"),
    ("load", "a model stands alone: it cannot load anything"),
    ("class", "there are no classes: use a dict or a tuple"),
    ("lambda", "there is no lambda: define a function with def"),
    ("try", "there are no exceptions: test for what could go wrong"),
    ("raise", "there are no exceptions: fail(\"message\") ends the check"),
    ("assert", "there is no assert: write if not ...: fail(\"message\")"),
    ("with", "there is no with"),
    ("global", "global variables cannot change: everything that changes belongs to the state"),
    ("nonlocal", "there are no functions in functions"),
    ("yield", "there are no generators: return a list"),
    ("async", "there is no async"),
    ("await", "there is no await"),
];

/// Longest first.
const OPERATORS: &[&str] = &[
    "//=", "**", "==", "!=", "<=", ">=", "//", "+=", "-=", "*=", "%=", "|=", "&=", "<<", ">>",
    "->", "+", "-", "*", "/", "%", "(", ")", "[", "]", "{", "}", ",", ":", ".", "=", "<", ">", "|",
    "&", "^", "~", ";", "@", "!",
];

/// Deeper nested brackets are an error.
const MOST_BRACKETS: usize = 64;
const MOST_INDENTS: usize = 64;

pub(super) struct Lexer<'a> {
    text: &'a str,
    at: usize,
    indents: Vec<usize>,
    brackets: Vec<&'static str>,
    tokens: Vec<(Token, Pos)>,
}

/// All tokens of a script, with their places.
pub(super) fn tokens(text: &str) -> Outcome<Vec<(Token, Pos)>> {
    let at = text.strip_prefix('\u{feff}').map_or(0, |_| '\u{feff}'.len_utf8());
    let (indents, brackets) = (vec![0], Vec::new());
    let mut lexer = Lexer { text, at, indents, brackets, tokens: Vec::new() };
    lexer.run()?;
    Ok(lexer.tokens)
}

impl Lexer<'_> {
    fn pos(&self) -> Pos {
        Pos(self.at as u32)
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn push(&mut self, token: Token, pos: Pos) {
        self.tokens.push((token, pos));
    }

    fn run(&mut self) -> Outcome<()> {
        while self.at < self.text.len() {
            self.line()?;
        }
        let end = self.pos();
        if let Some(open) = self.brackets.last() {
            return fault(end, format!("`{open}` is never closed"));
        }
        for _ in 1..self.indents.len() {
            self.push(Token::Dedent, end);
        }
        self.push(Token::End, end);
        Ok(())
    }

    /// A line, or several that brackets join.
    fn line(&mut self) -> Outcome<()> {
        let indent = self.indentation()?;
        if self.rest().is_empty() || self.rest().starts_with(['\n', '#']) {
            self.skip_line();
            return Ok(());
        }
        self.block(indent)?;
        loop {
            match self.rest().chars().next() {
                None => break,
                Some('\n') if self.brackets.is_empty() => break,
                Some('\n' | ' ' | '\t' | '\r') => self.at += 1,
                Some('#') => self.skip_comment(),
                Some('\\') if self.rest().starts_with("\\\n") => self.at += 2,
                Some('\\') if self.rest().starts_with("\\\r\n") => self.at += 3,
                Some(c) => self.token(c)?,
            }
        }
        let end = self.pos();
        self.push(Token::Newline, end);
        self.skip_line();
        Ok(())
    }

    fn skip_comment(&mut self) {
        self.at += self.rest().find('\n').unwrap_or(self.rest().len());
    }

    fn skip_line(&mut self) {
        self.skip_comment();
        self.at = (self.at + 1).min(self.text.len());
    }

    fn indentation(&mut self) -> Outcome<usize> {
        let begin = self.at;
        loop {
            match self.text.as_bytes().get(self.at) {
                Some(b' ' | b'\r') => self.at += 1,
                Some(b'\t') => return fault(self.pos(), "indent with spaces, not with tabs"),
                _ => return Ok(self.at - begin),
            }
        }
    }

    fn block(&mut self, indent: usize) -> Outcome<()> {
        let pos = self.pos();
        let current = self.indents.last().copied().unwrap_or_default();
        if indent > current {
            if self.indents.len() > MOST_INDENTS {
                return fault(pos, "blocks are nested too deeply");
            }
            self.indents.push(indent);
            self.push(Token::Indent, pos);
        }
        while self.indents.last().is_some_and(|last| indent < *last) {
            self.indents.pop();
            self.push(Token::Dedent, pos);
        }
        match self.indents.last() == Some(&indent) {
            true => Ok(()),
            false => fault(pos, "this line is indented differently from the lines above"),
        }
    }

    fn token(&mut self, first: char) -> Outcome<()> {
        let pos = self.pos();
        if first.is_ascii_digit() {
            return self.number();
        }
        if first == '"' || first == '\'' {
            return self.string(false);
        }
        if first.is_alphabetic() || first == '_' {
            return self.word();
        }
        let Some(sign) = OPERATORS.iter().find(|sign| self.rest().starts_with(**sign)) else {
            return fault(pos, format!("{first:?} has no meaning here"));
        };
        self.at += sign.len();
        match *sign {
            "(" | "[" | "{" if self.brackets.len() >= MOST_BRACKETS => {
                return fault(pos, "brackets are nested too deeply");
            }
            "(" | "[" | "{" => self.brackets.push(sign),
            ")" | "]" | "}" => {
                let open = match *sign {
                    ")" => "(",
                    "]" => "[",
                    _ => "{",
                };
                if self.brackets.pop() != Some(open) {
                    return fault(pos, format!("`{sign}` closes nothing"));
                }
            }
            _ => {}
        }
        self.push(Token::Sign(sign), pos);
        Ok(())
    }

    fn word(&mut self) -> Outcome<()> {
        let pos = self.pos();
        let is_inside = |c: char| c.is_alphanumeric() || c == '_';
        let len = self.rest().find(|c| !is_inside(c)).unwrap_or(self.rest().len());
        let word = &self.text[self.at..self.at + len];
        self.at += len;
        let is_prefix = self.rest().starts_with(['"', '\'']);
        match word {
            "r" | "R" if is_prefix => return self.string(true),
            "f" | "F" if is_prefix => {
                return fault(pos, "there are no f-strings: write \"%s\" % value");
            }
            "b" | "B" if is_prefix => return fault(pos, "there are no bytes"),
            _ => {}
        }
        if let Some((_, message)) = ELSEWHERE.iter().find(|(known, _)| *known == word) {
            return fault(pos, *message);
        }
        let token = match KEYWORDS.iter().find(|known| **known == word) {
            Some(keyword) => Token::Sign(keyword),
            None => Token::Name(word.into()),
        };
        self.push(token, pos);
        Ok(())
    }

    fn number(&mut self) -> Outcome<()> {
        let pos = self.pos();
        let is_inside = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let len = self.rest().find(|c| !is_inside(c)).unwrap_or(self.rest().len());
        let written = self.text[self.at..self.at + len].replace('_', "");
        self.at += len;
        let rest = self.rest();
        if rest.starts_with('.') && !rest[1..].starts_with(|c: char| c.is_alphabetic()) {
            return fault(pos, "numbers are whole");
        }
        let n = match written.strip_prefix("0x").or_else(|| written.strip_prefix("0X")) {
            Some(hex) => i64::from_str_radix(hex, 16),
            None => written.parse(),
        };
        match n {
            Ok(n) => self.push(Token::Int(n), pos),
            Err(error) if *error.kind() == std::num::IntErrorKind::PosOverflow => {
                return fault(pos, "the number does not fit into 64 bits");
            }
            Err(_) => return fault(pos, format!("`{written}` is not a whole number")),
        }
        Ok(())
    }

    fn string(&mut self, raw: bool) -> Outcome<()> {
        let pos = self.pos();
        let quote = if self.rest().starts_with('"') { "\"" } else { "'" };
        let long = quote.repeat(3);
        let end = if self.rest().starts_with(&long) { long.as_str() } else { quote };
        self.at += end.len();
        let mut text = String::new();
        loop {
            if self.rest().starts_with(end) {
                self.at += end.len();
                self.push(Token::Str(text.into()), pos);
                return Ok(());
            }
            match self.rest().chars().next() {
                None => return fault(pos, "the string is never closed"),
                Some('\n') if end.len() == 1 => return fault(pos, "the string is never closed"),
                Some('\\') if !raw => self.escape(&mut text)?,
                Some(c) => {
                    text.push(c);
                    self.at += c.len_utf8();
                }
            }
        }
    }

    fn escape(&mut self, text: &mut String) -> Outcome<()> {
        let pos = self.pos();
        let escaped = self.rest().chars().nth(1);
        let c = match escaped {
            Some('n') => '\n',
            Some('t') => '\t',
            Some('r') => '\r',
            Some('0') => '\0',
            Some('\\') => '\\',
            Some('\'') => '\'',
            Some('"') => '"',
            Some('\n') => {
                self.at += 2;
                return Ok(());
            }
            _ => return fault(pos, "this escape is unknown; for a backslash write \\\\"),
        };
        text.push(c);
        self.at += 2;
        Ok(())
    }
}
