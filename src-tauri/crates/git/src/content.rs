//! The content of one side of a file, in the memory of libgit2 where it has it.

use std::ops::Deref;

use bytes::Bytes;
use git2::{Blob, DiffOptions, Patch};

/// The content of one side of a file.
pub(super) enum Content<'a> {
    /// An object, without a copy.
    Blob(Blob<'a>),
    /// Anything else.
    Bytes(Vec<u8>),
}

impl Content<'_> {
    /// Returns the content of a side that does not exist.
    pub(super) fn empty() -> Self {
        Self::Bytes(Vec::new())
    }

    /// Returns the content in memory of its own.
    pub(super) fn into_bytes(self) -> Bytes {
        match self {
            Self::Blob(blob) => Bytes::copy_from_slice(blob.content()),
            Self::Bytes(bytes) => Bytes::from(bytes),
        }
    }

    /// Compares two contents. For two objects, libgit2 knows their ids; of other contents, it computes them, which takes longer than
    /// the comparison.
    pub(super) fn patch<'p>(&'p self, new: &'p Self, options: &mut DiffOptions) -> Result<Patch<'p>, git2::Error> {
        match (self, new) {
            (Self::Blob(old), Self::Blob(new)) => Patch::from_blobs(old, None, new, None, Some(options)),
            (Self::Blob(old), Self::Bytes(new)) => Patch::from_blob_and_buffer(old, None, new, None, Some(options)),
            _ => Patch::from_buffers(self, None, new, None, Some(options)),
        }
    }
}

impl Deref for Content<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Blob(blob) => blob.content(),
            Self::Bytes(bytes) => bytes,
        }
    }
}
