//! The gRPC gateway of a member: JSON over HTTP, with keys and values in base 64.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use serde_json::Value;

use super::PATIENCE;

/// A connection to a member.
pub(super) struct Http {
    stream: BufReader<TcpStream>,
    port: u16,
}

/// The body of an answer, or the error that the member reports.
pub(super) type Answer = Result<Value, String>;

impl Http {
    pub(super) fn open(port: u16) -> io::Result<Http> {
        let stream = TcpStream::connect_timeout(&([127, 0, 0, 1], port).into(), PATIENCE)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        Ok(Http { stream: BufReader::new(stream), port })
    }

    pub(super) fn send(&mut self, path: &str, body: &Value) -> io::Result<()> {
        let (body, port) = (body.to_string(), self.port);
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        self.stream.get_mut().write_all((head + &body).as_bytes())
    }

    fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        match self.stream.read_line(&mut line)? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(line.trim_end().to_owned()),
        }
    }

    /// The status, the length of the body, and whether it comes in chunks.
    pub(super) fn head(&mut self) -> io::Result<(u32, usize, bool)> {
        let status = self.line()?.split(' ').nth(1).and_then(|status| status.parse().ok());
        let (mut length, mut is_chunked) = (0, false);
        loop {
            let line = self.line()?.to_ascii_lowercase();
            match line.split_once(": ") {
                Some(("content-length", value)) => length = value.parse().unwrap_or_default(),
                Some(("transfer-encoding", value)) => is_chunked = value == "chunked",
                _ if line.is_empty() => {
                    return Ok((status.unwrap_or_default(), length, is_chunked));
                }
                _ => {}
            }
        }
    }

    /// A chunk of the body; empty at the end.
    pub(super) fn chunk(&mut self) -> io::Result<Vec<u8>> {
        let length = usize::from_str_radix(&self.line()?, 16).map_err(io::Error::other)?;
        let mut bytes = vec![0; length + 2];
        self.stream.read_exact(&mut bytes)?;
        bytes.truncate(length);
        Ok(bytes)
    }

    pub(super) fn post(&mut self, path: &str, body: &Value) -> io::Result<Answer> {
        self.send(path, body)?;
        let (status, length, is_chunked) = self.head()?;
        let mut bytes = vec![0; length];
        if is_chunked {
            loop {
                let chunk = self.chunk()?;
                if chunk.is_empty() {
                    break;
                }
                bytes.extend(chunk);
            }
        } else {
            self.stream.read_exact(&mut bytes)?;
        }
        let body: Value = serde_json::from_slice(&bytes).map_err(io::Error::other)?;
        Ok(match status {
            200 => Ok(body),
            _ => Err(body["error"].as_str().unwrap_or("an error").to_owned()),
        })
    }
}

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

pub(super) fn encode(text: &str) -> String {
    let mut out = String::new();
    for part in text.as_bytes().chunks(3) {
        let at = |i: usize| part.get(i).copied().map_or(0, u32::from);
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for i in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * i) & 63) as usize];
            out.push(if i <= part.len() { letter.into() } else { '=' });
        }
    }
    out
}

pub(super) fn decode(text: &Value) -> String {
    let (mut bytes, mut bits, mut count) = (Vec::new(), 0_u32, 0);
    for letter in text.as_str().unwrap_or_default().bytes() {
        let Some(value) = LETTERS.iter().position(|known| *known == letter) else { continue };
        bits = bits << 6 | value as u32;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Numbers of 64 bits are texts, and 0 is left out.
pub(super) fn number(value: &Value) -> i64 {
    value.as_str().and_then(|text| text.parse().ok()).or_else(|| value.as_i64()).unwrap_or_default()
}

pub(super) fn revision(answer: &Value) -> i64 {
    number(&answer["header"]["revision"])
}
