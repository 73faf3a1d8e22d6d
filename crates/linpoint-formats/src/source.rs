//! Where a history comes from: the bytes, and their name for messages.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// A file or a stream, read completely. What is compressed with gzip or zstd is unpacked.
#[derive(Clone, Debug)]
pub struct Source {
    name: String,
    bytes: Vec<u8>,
    /// The number of the first line.
    first_line: u32,
}

impl Source {
    /// Bytes that are already here, and are taken as they are.
    pub fn new(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Source {
        Source { name: name.into(), bytes: bytes.into(), first_line: 1 }
    }

    /// From now on it is this one line of a stream.
    pub(crate) fn set_line(&mut self, number: u32, line: &[u8]) {
        self.first_line = number;
        self.bytes.clear();
        self.bytes.extend_from_slice(line);
    }

    /// The number of the first line.
    pub(crate) fn first_line(&self) -> u32 {
        self.first_line
    }

    /// The contents of a file.
    pub fn open(path: &Path) -> io::Result<Source> {
        let mut file = File::open(path)?;
        // One allocation of the right size, where the system knows it.
        let size = file.metadata().ok().and_then(|meta| usize::try_from(meta.len()).ok());
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(size.unwrap_or_default())?;
        file.read_to_end(&mut bytes)?;
        Ok(Source::new(path.display().to_string(), unpacked(bytes)?))
    }

    /// Everything up to the end of a stream.
    pub fn read(name: impl Into<String>, mut stream: impl Read) -> io::Result<Source> {
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes)?;
        Ok(Source::new(name, unpacked(bytes)?))
    }

    /// The name that messages give it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The contents.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The contents without a byte order mark.
    pub fn text(&self) -> &[u8] {
        self.bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&self.bytes)
    }

    /// The lines with their numbers, without line ends and without a byte order mark.
    pub fn lines(&self) -> impl Iterator<Item = (u32, &[u8])> {
        let mut rest = Some(self.text());
        let mut number = self.first_line - 1;
        std::iter::from_fn(move || {
            let text = rest?;
            let line = match memchr::memchr(b'\n', text) {
                Some(end) => {
                    rest = Some(&text[end + 1..]);
                    &text[..end]
                }
                None => {
                    rest = None;
                    text
                }
            };
            number = number.saturating_add(1);
            Some((number, line.strip_suffix(b"\r").unwrap_or(line)))
        })
    }

    /// One line by its number.
    pub fn line(&self, number: u32) -> Option<&[u8]> {
        self.lines().nth(number.checked_sub(self.first_line)? as usize).map(|(_, line)| line)
    }
}

/// What the bytes are when they are not compressed any more.
fn unpacked(bytes: Vec<u8>) -> io::Result<Vec<u8>> {
    let damaged = |kind: &str, error: &dyn std::fmt::Display| {
        io::Error::new(io::ErrorKind::InvalidData, format!("damaged {kind} data: {error}"))
    };
    let mut out = Vec::new();
    match bytes[..] {
        [0x1f, 0x8b, ..] => {
            let mut stream = flate2::read::MultiGzDecoder::new(&bytes[..]);
            stream.read_to_end(&mut out).map_err(|e| damaged("gzip", &e))?;
        }
        [0x28, 0xb5, 0x2f, 0xfd, ..] => {
            // A file may be several frames, one after the other.
            let mut rest = &bytes[..];
            while !rest.is_empty() {
                let mut stream = ruzstd::decoding::StreamingDecoder::new(&mut rest)
                    .map_err(|e| damaged("zstd", &e))?;
                stream.read_to_end(&mut out).map_err(|e| damaged("zstd", &e))?;
            }
        }
        _ => return Ok(bytes),
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    const TEXT: &[u8] = b"# queue\nenq 1 0 1\n";

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packer.write_all(bytes).unwrap();
        packer.finish().unwrap()
    }

    fn zstd(bytes: &[u8]) -> Vec<u8> {
        ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
    }

    #[test]
    fn compressed_inputs_are_unpacked() {
        for pack in [gzip, zstd] {
            assert_eq!(Source::read("h", &pack(TEXT)[..]).unwrap().bytes(), TEXT);
            let two = [pack(b"# queue\n"), pack(b"enq 1 0 1\n")].concat();
            assert_eq!(Source::read("h", &two[..]).unwrap().bytes(), TEXT);
        }
    }

    #[test]
    fn damaged_archives_are_errors() {
        for (pack, kind) in [(gzip as fn(&[u8]) -> Vec<u8>, "gzip"), (zstd, "zstd")] {
            let packed = pack(TEXT);
            let error = Source::read("h", &packed[..packed.len() - 5]).unwrap_err().to_string();
            assert!(error.starts_with(&format!("damaged {kind} data: ")), "{error}");
        }
    }

    #[test]
    fn lines_have_numbers_and_no_ends() {
        let source = Source::new("h", "\u{feff}a\r\nb\n\nc");
        let lines: Vec<(u32, &[u8])> = source.lines().collect();
        assert_eq!(lines, [(1, &b"a"[..]), (2, b"b"), (3, b""), (4, b"c")]);
        assert_eq!((source.line(4), source.line(5), source.line(0)), (Some(&b"c"[..]), None, None));
    }
}
