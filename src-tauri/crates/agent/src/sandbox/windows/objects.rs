//! The job object and the restricted token, by calls of Windows.

#![allow(unsafe_code, reason = "there are no safe functions for it")]

use std::io;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::ptr::{null, null_mut};

use windows_sys::Win32::Foundation::{HANDLE, LocalFree};
use windows_sys::Win32::Security::Authorization::ConvertStringSidToSidW;
use windows_sys::Win32::Security::{
    CreateRestrictedToken, PSID, SID_AND_ATTRIBUTES, SetTokenInformation, TOKEN_ADJUST_DEFAULT, TOKEN_ASSIGN_PRIMARY,
    TOKEN_DUPLICATE, TOKEN_MANDATORY_LABEL, TOKEN_QUERY, TokenIntegrityLevel,
};
use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOBOBJECT_BASIC_LIMIT_INFORMATION, JOBOBJECT_BASIC_UI_RESTRICTIONS,
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JOBOBJECTINFOCLASS, JobObjectBasicUIRestrictions,
    JobObjectExtendedLimitInformation, SetInformationJobObject,
};
use windows_sys::Win32::System::SystemServices::SE_GROUP_INTEGRITY;
use windows_sys::Win32::System::Threading::{GetCurrentProcess, OpenProcessToken};
use windows_sys::core::BOOL;

use super::{JobSettings, TokenSettings};

/// A job. Dropping it, and the end of diffsan, kill all of its processes.
pub(in super::super) struct Job(OwnedHandle);

impl Job {
    pub(in super::super) fn new(settings: JobSettings) -> io::Result<Self> {
        // SAFETY: without attributes and name, the call reads no memory.
        let job = Self(owned(unsafe { CreateJobObjectW(null(), null()) })?);
        let limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION {
            BasicLimitInformation: JOBOBJECT_BASIC_LIMIT_INFORMATION {
                LimitFlags: settings.flags,
                ActiveProcessLimit: settings.processes,
                ..Default::default()
            },
            JobMemoryLimit: settings.memory,
            ..Default::default()
        };
        job.set(JobObjectExtendedLimitInformation, &limits)?;
        let interface = JOBOBJECT_BASIC_UI_RESTRICTIONS { UIRestrictionsClass: settings.interface };
        job.set(JobObjectBasicUIRestrictions, &interface)?;
        Ok(job)
    }

    /// Adds a process, which must not run yet: its children are added with it only from then on.
    pub(in super::super) fn add(&self, process: &OwnedHandle) -> io::Result<()> {
        // SAFETY: the call takes two open handles.
        succeeded(unsafe { AssignProcessToJobObject(self.0.as_raw_handle(), process.as_raw_handle()) })
    }

    fn set<T>(&self, class: JOBOBJECTINFOCLASS, value: &T) -> io::Result<()> {
        let size = u32::try_from(size_of::<T>()).map_err(io::Error::other)?;
        // SAFETY: the call reads a structure of this size, which lives longer.
        succeeded(unsafe {
            SetInformationJobObject(self.0.as_raw_handle(), class, std::ptr::from_ref(value).cast(), size)
        })
    }
}

/// Creates a token for a new process: the one of this process, restricted.
pub(in super::super) fn restricted_token(settings: TokenSettings) -> io::Result<OwnedHandle> {
    let access = TOKEN_DUPLICATE | TOKEN_QUERY | TOKEN_ASSIGN_PRIMARY | TOKEN_ADJUST_DEFAULT;
    let (mut own, mut restricted): (HANDLE, HANDLE) = (null_mut(), null_mut());
    // SAFETY: the calls write one handle each. The lists are empty.
    let own = unsafe {
        succeeded(OpenProcessToken(GetCurrentProcess(), access, &raw mut own))?;
        owned(own)?
    };
    // SAFETY: as above.
    let restricted = unsafe {
        let handle = own.as_raw_handle();
        let none = (null(), null(), null());
        succeeded(CreateRestrictedToken(handle, settings.flags, 0, none.0, 0, none.1, 0, none.2, &raw mut restricted))?;
        owned(restricted)?
    };
    set_integrity(&restricted, settings.integrity)?;
    Ok(restricted)
}

fn set_integrity(token: &OwnedHandle, level: &str) -> io::Result<()> {
    let text: Vec<u16> = level.encode_utf16().chain([0]).collect();
    let mut sid: PSID = null_mut();
    // SAFETY: the text ends with a zero. The call writes an address, which is freed below.
    succeeded(unsafe { ConvertStringSidToSidW(text.as_ptr(), &raw mut sid) })?;
    let label = TOKEN_MANDATORY_LABEL { Label: SID_AND_ATTRIBUTES { Sid: sid, Attributes: SE_GROUP_INTEGRITY as u32 } };
    let size = u32::try_from(size_of_val(&label)).map_err(io::Error::other)?;
    // SAFETY: the call reads the label and its SID, which live longer.
    let set = succeeded(unsafe {
        SetTokenInformation(token.as_raw_handle(), TokenIntegrityLevel, (&raw const label).cast(), size)
    });
    // SAFETY: the SID was allocated above, and nothing uses it any more.
    unsafe { LocalFree(sid) };
    set
}

/// Takes over a handle that a call has just created.
fn owned(handle: HANDLE) -> io::Result<OwnedHandle> {
    if handle.is_null() {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the handle is open, and nobody else has it.
    Ok(unsafe { OwnedHandle::from_raw_handle(handle) })
}

fn succeeded(result: BOOL) -> io::Result<()> {
    if result == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
