//! A temporary directory for the verifier.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A fresh directory; removed with everything in it when dropped.
#[derive(Debug)]
pub(super) struct WorkDir(PathBuf);

impl WorkDir {
    pub(super) fn new() -> Result<WorkDir, (PathBuf, io::Error)> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let name = format!("linpoint-spin-{}-{number}", std::process::id());
            let path = std::env::temp_dir().join(name);
            match fs::create_dir(&path) {
                Ok(()) => return Ok(WorkDir(path)),
                // Left behind by an earlier process with the same id.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err((path, error)),
            }
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for WorkDir {
    fn drop(&mut self) {
        // Errors while dropping cannot be reported.
        let _ = fs::remove_dir_all(&self.0);
    }
}
