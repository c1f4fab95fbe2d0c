//! Sealed runs: one file with everything that a run produced, which shows every later change, and from which the review is made again
//! without the repository.
//!
//! In: a run folder, or the bytes of a bundle. Out: a bundle, or its checked files and the review that they give. It does not know
//! repositories, and reads nothing but the run folder.
//!
//! | module | contents |
//! | --- | --- |
//! | `archive` | the zip file: fixed order and times, limits |
//! | `manifest` | the digests of the files, and their comparison |
//! | `signature` | signatures with SSH keys, by `ssh-keygen` |
//! | `seal` | from a run folder to a bundle |
//! | `replay` | from a bundle to its review |
//! | `other` | asks another agent the same prompts, and compares the findings |

mod archive;
mod error;
mod manifest;
mod other;
mod replay;
mod run;
mod seal;
mod signature;

pub use archive::{MAX_BUNDLE_BYTES, read as read_archive, write as write_archive};
pub use error::{BundleError, Tampering};
pub use manifest::{FORMAT, MANIFEST, Manifest, SIGNATURE, SealedFile, Versions, comment};
pub use other::{Comparison, Same, ask_other};
pub use replay::{Opened, read_bundle};
pub use run::find_run;
pub use seal::{Sealed, seal};
pub use signature::{NAMESPACE, Signer, SigningProgram};
