//! Unpacks compressed input, within limits: a small file can unpack to more than fits into memory.
//!
//! The decoders are written in Rust. Besides what is unpacked, they keep a dictionary, whose size the file states. That
//! of gzip and bzip2 is small, zstd's has a limit in its decoder, xz's has one here.

use std::io::{self, Read};

/// How input is compressed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Packing {
    Gzip,
    Zstd,
    Xz,
    Bzip2,
}

/// The limit on the memory of xz's decoder, in KiB: twice what `xz -9` makes files that need.
const MAX_XZ_MEMORY: u32 = 128 << 10;

impl Packing {
    /// How these bytes are compressed, by how they begin.
    pub(crate) fn of(bytes: &[u8]) -> Option<Packing> {
        /// The first block of a bzip2 file, or its end if there is none.
        const BZIP2: [&[u8]; 2] = [b"\x31\x41\x59\x26\x53\x59", b"\x17\x72\x45\x38\x50\x90"];
        match bytes {
            [0x1f, 0x8b, ..] => Some(Packing::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Packing::Zstd),
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Some(Packing::Xz),
            [b'B', b'Z', b'h', b'1'..=b'9', rest @ ..] => {
                BZIP2.iter().any(|magic| rest.starts_with(magic)).then_some(Packing::Bzip2)
            }
            _ => None,
        }
    }

    /// The command that unpacks it.
    pub(crate) fn cat(self) -> &'static str {
        match self {
            Packing::Gzip => "zcat",
            Packing::Zstd => "zstdcat",
            Packing::Xz => "xzcat",
            Packing::Bzip2 => "bzcat",
        }
    }

    /// Its name in messages.
    fn name(self) -> &'static str {
        match self {
            Packing::Gzip => "gzip",
            Packing::Zstd => "zstd",
            Packing::Xz => "xz",
            Packing::Bzip2 => "bzip2",
        }
    }
}

/// Unpacks the bytes, if the result has at most `most` bytes.
pub(crate) fn unpacked(bytes: Vec<u8>, most: usize) -> io::Result<Vec<u8>> {
    let Some(packing) = Packing::of(&bytes) else { return Ok(bytes) };
    let damaged = |error: &dyn std::fmt::Display| {
        let message = format!("damaged {} data: {error}", packing.name());
        io::Error::new(io::ErrorKind::InvalidData, message)
    };
    let mut out = Vec::new();
    // All of these unpack several files that were joined.
    match packing {
        Packing::Gzip => {
            let stream = flate2::read::MultiGzDecoder::new(&bytes[..]);
            read_at_most(stream, most, &mut out, &|error| damaged(error))?;
        }
        Packing::Zstd => {
            let mut rest = &bytes[..];
            while !rest.is_empty() {
                let stream = ruzstd::decoding::StreamingDecoder::new(&mut rest)
                    .map_err(|error| damaged(&error))?;
                read_at_most(stream, most, &mut out, &|error| damaged(error))?;
            }
        }
        Packing::Xz => {
            let stream = lzma_rust2::XzReader::new_mem_limit(&bytes[..], true, MAX_XZ_MEMORY);
            read_at_most(stream, most, &mut out, &|error| match error.kind() {
                io::ErrorKind::OutOfMemory => {
                    let mebibytes = MAX_XZ_MEMORY >> 10;
                    let message =
                        format!("unpacking it takes a dictionary of more than {mebibytes} MiB");
                    io::Error::new(io::ErrorKind::Unsupported, message)
                }
                _ => damaged(error),
            })?;
        }
        Packing::Bzip2 => {
            let stream = bzip2::bufread::MultiBzDecoder::new(&bytes[..]);
            read_at_most(stream, most, &mut out, &|error| damaged(error))?;
        }
    }
    Ok(out)
}

/// Reads to the end, or until there are more than `most` bytes.
fn read_at_most(
    stream: impl Read,
    most: usize,
    out: &mut Vec<u8>,
    damaged: &dyn Fn(&io::Error) -> io::Error,
) -> io::Result<()> {
    let left = most.saturating_sub(out.len()).saturating_add(1);
    let left = u64::try_from(left).unwrap_or(u64::MAX);
    stream.take(left).read_to_end(out).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => damaged(&io::Error::other("the file ends too early")),
        _ => damaged(&error),
    })?;
    if out.len() > most {
        let message = format!("it has more than {most} bytes when it is unpacked");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Source;
    use std::io::Write;

    const TEXT: &[u8] = b"# queue\nenq 1 0 1\n";

    type Pack = fn(&[u8]) -> Vec<u8>;
    const PACKS: [(Pack, &str); 4] = [(gzip, "gzip"), (zstd, "zstd"), (xz, "xz"), (bzip2, "bzip2")];

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packer.write_all(bytes).unwrap();
        packer.finish().unwrap()
    }

    fn zstd(bytes: &[u8]) -> Vec<u8> {
        ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
    }

    fn xz_with(bytes: &[u8], dictionary: u32) -> Vec<u8> {
        let mut options = lzma_rust2::XzOptions::with_preset(1);
        options.lzma_options.dict_size = dictionary;
        let mut packer = lzma_rust2::XzWriter::new(Vec::new(), options).unwrap();
        packer.write_all(bytes).unwrap();
        packer.finish().unwrap()
    }

    fn xz(bytes: &[u8]) -> Vec<u8> {
        xz_with(bytes, 1 << 16)
    }

    fn bzip2(bytes: &[u8]) -> Vec<u8> {
        let mut packer = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
        packer.write_all(bytes).unwrap();
        packer.finish().unwrap()
    }

    #[test]
    fn compressed_inputs_are_unpacked() {
        for (pack, kind) in PACKS {
            assert_eq!(Source::read("h", &pack(TEXT)[..]).unwrap().bytes(), TEXT, "{kind}");
            let two = [pack(b"# queue\n"), pack(b"enq 1 0 1\n")].concat();
            assert_eq!(Source::read("h", &two[..]).unwrap().bytes(), TEXT, "{kind}");
            assert_eq!(Source::read("h", &pack(b"")[..]).unwrap().bytes(), b"", "{kind}");
        }
    }

    #[test]
    fn text_that_begins_like_an_archive_is_text() {
        for text in ["BZh9 is how bzip2 begins", "BZ", "\u{fd}7zXZ"] {
            assert_eq!(Source::read("h", text.as_bytes()).unwrap().bytes(), text.as_bytes());
        }
    }

    #[test]
    fn damaged_archives_are_errors() {
        // Wherever it is cut, and whichever byte is changed: an error or the text, and never a panic.
        let long: Vec<u8> =
            (0..2000_u32).flat_map(|n| format!("{} ", n * n % 977).into_bytes()).collect();
        for (pack, kind) in PACKS {
            let packed = pack(&long);
            for end in (10..packed.len() - 1).step_by(1 + packed.len() / 300) {
                let error = Source::read("h", &packed[..end]).unwrap_err().to_string();
                assert!(error.starts_with(&format!("damaged {kind} data: ")), "{end}: {error}");
            }
            for at in (0..packed.len()).step_by(1 + packed.len() / 300) {
                let mut changed = packed.clone();
                changed[at] ^= 0x41;
                let _ = Source::read_within("h", &changed[..], 1 << 20);
            }
        }
    }

    #[test]
    fn unpacking_too_much_is_an_error() {
        let zeros = vec![0; 1 << 20];
        for (pack, kind) in PACKS {
            let packed = pack(&zeros);
            assert!(packed.len() < 1 << 14, "{kind}");
            assert!(Source::read_within("h", &packed[..], 1 << 20).is_ok(), "{kind}");
            let two = [&packed[..], &packed[..]].concat();
            for (packed, most) in [(&packed, (1 << 20) - 1), (&packed, 0), (&two, 1 << 20)] {
                let error = Source::read_within("h", &packed[..], most).unwrap_err();
                assert_eq!(error.kind(), io::ErrorKind::FileTooLarge, "{kind}");
                let message = format!("it has more than {most} bytes when it is unpacked");
                assert_eq!(error.to_string(), message, "{kind}");
            }
        }
        // Uncompressed input has no limit.
        assert!(Source::read_within("h", &zeros[..], 1).is_ok());
    }

    /// The header of a block states the size of the dictionary, which the decoder allocates before anything else.
    #[test]
    fn a_dictionary_that_is_too_large_is_an_error() {
        let packed = xz(TEXT);
        // After the header of the stream (12 bytes): size, flags, filter, size of its properties, the dictionary.
        const BLOCK: usize = 12;
        const DICTIONARY: usize = BLOCK + 4;
        assert_eq!(packed[BLOCK + 2..DICTIONARY], [0x21, 1], "LZMA2 with one byte of properties");
        for (dictionary, is_too_large) in [(28, false), (30, true), (40, true)] {
            let mut packed = packed.clone();
            packed[DICTIONARY] = dictionary;
            let end = BLOCK + 4 * usize::from(packed[BLOCK]);
            let mut check = flate2::Crc::new();
            check.update(&packed[BLOCK..end]);
            packed[end..end + 4].copy_from_slice(&check.sum().to_le_bytes());
            match Source::read("h", &packed[..]) {
                Ok(source) => assert!(!is_too_large && source.bytes() == TEXT, "{dictionary}"),
                Err(error) => {
                    let message = "unpacking it takes a dictionary of more than 128 MiB";
                    assert!(is_too_large && error.to_string() == message, "{dictionary}: {error}");
                }
            }
        }
    }
}
