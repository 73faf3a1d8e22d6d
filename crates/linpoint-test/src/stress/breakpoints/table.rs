//! The bytes that breakpoints replace.

use std::fs::File;
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// `INT3`.
pub(super) const TRAP: u8 = 0xcc;
/// The most instructions at which there can ever be breakpoints.
pub(super) const ENTRIES: usize = 2048;

/// The address of an instruction, and above it the first byte of the original. Zero is a free entry; entries are
/// added in order and never change. INVARIANT: an instruction is here before its first byte is replaced.
pub(super) static ORIGINALS: [AtomicU64; ENTRIES] = [const { AtomicU64::new(0) }; ENTRIES];
/// The file through which code is written; -1 before it is opened.
pub(super) static MEMORY: AtomicI32 = AtomicI32::new(-1);
/// The process that opened it. A process that was forked has code of its own.
pub(super) static OWNER: AtomicI32 = AtomicI32::new(0);

pub(super) const ADDRESS: u64 = (1 << 56) - 1;

fn memory() -> Option<&'static File> {
    static FILE: OnceLock<Option<File>> = OnceLock::new();
    let open = || {
        let file = File::options().read(true).write(true).open("/proc/self/mem").ok()?;
        OWNER.store(std::process::id() as i32, Ordering::SeqCst);
        MEMORY.store(file.as_raw_fd(), Ordering::SeqCst);
        Some(file)
    };
    FILE.get_or_init(open).as_ref()
}

fn known(address: u64) -> Option<u8> {
    let words = ORIGINALS.iter().map(|entry| entry.load(Ordering::SeqCst));
    let mut words = words.take_while(|word| *word != 0);
    words.find(|word| word & ADDRESS == address).map(|word| (word >> 56) as u8)
}

/// The first byte of the instruction, which is in the table from now on; `None` if there is no room.
fn original(address: u64) -> Option<u8> {
    static ADDING: Mutex<()> = Mutex::new(());
    known(address).or_else(|| {
        let _held = ADDING.lock().unwrap_or_else(PoisonError::into_inner);
        known(address).or_else(|| {
            let mut byte = [0];
            memory()?.read_exact_at(&mut byte, address).ok()?;
            let free = ORIGINALS.iter().find(|entry| entry.load(Ordering::SeqCst) == 0)?;
            // A trap that is part of the program is none of ours.
            (byte[0] != TRAP).then_some(())?;
            free.store(address | u64::from(byte[0]) << 56, Ordering::SeqCst);
            Some(byte[0])
        })
    })
}

/// Sets a breakpoint. False if that is not possible.
pub(super) fn set(address: u64) -> bool {
    let write = || memory()?.write_all_at(&[TRAP], address).ok();
    original(address).is_some() && write().is_some()
}

/// Removes a breakpoint, if there is one.
pub(super) fn clear(address: u64) {
    if let (Some(byte), Some(memory)) = (known(address), memory()) {
        // If this fails, the next thread that traps tries again.
        let _ = memory.write_all_at(&[byte], address);
    }
}

/// The addresses of the code of the main program.
pub(super) fn code() -> Option<Range<u64>> {
    let program = std::fs::read_link("/proc/self/exe").ok()?;
    let program = program.to_str()?;
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    let is_code = |line: &&str| {
        line.ends_with(program) && line.split(' ').nth(1).is_some_and(|rights| rights == "r-xp")
    };
    let range = maps.lines().find(is_code)?.split(' ').next()?;
    let (begin, end) = range.split_once('-')?;
    Some(u64::from_str_radix(begin, 16).ok()?..u64::from_str_radix(end, 16).ok()?)
}
