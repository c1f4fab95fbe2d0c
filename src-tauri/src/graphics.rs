//! Works around two faults of WebKitGTK, with variables that it reads at its start. A variable that the user has set
//! stays.
//!
//! - Without a render device (virtual displays) and with some NVIDIA drivers, its DMA-BUF renderer shows an empty
//!   window. The renderer is switched off only there.
//! - It paints overlay scroll bars above everything, also above popovers. Other scroll bars are beside the content.

/// Sets the variables. Call this first: no other thread may run yet.
#[cfg(target_os = "linux")]
pub fn prepare() {
    set_default("GTK_OVERLAY_SCROLLING", "0");
    if renders_nothing() {
        set_default("WEBKIT_DISABLE_DMABUF_RENDERER", "1");
    }
}

#[cfg(target_os = "linux")]
fn set_default(variable: &str, value: &str) {
    if std::env::var_os(variable).is_some() {
        return;
    }
    #[allow(unsafe_code, reason = "the environment is set before any other thread exists")]
    // SAFETY: this is the first thing that `main` does; no other thread reads the environment.
    unsafe {
        std::env::set_var(variable, value);
    }
}

/// Returns whether the DMA-BUF renderer would show an empty window.
#[cfg(target_os = "linux")]
fn renders_nothing() -> bool {
    let render_device = std::fs::read_dir("/dev/dri")
        .is_ok_and(|entries| entries.flatten().any(|entry| entry.file_name().to_string_lossy().starts_with("renderD")));
    !render_device || std::path::Path::new("/proc/driver/nvidia/version").exists()
}

/// Does nothing on other systems.
#[cfg(not(target_os = "linux"))]
pub fn prepare() {}
