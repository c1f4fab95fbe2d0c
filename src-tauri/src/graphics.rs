//! Works around WebKitGTK showing an empty window without a render device (virtual displays) and with some NVIDIA
//! drivers. The cause is its DMA-BUF renderer. It is switched off only there, and never if the user has set the
//! variable.

#[cfg(target_os = "linux")]
const SWITCH: &str = "WEBKIT_DISABLE_DMABUF_RENDERER";

/// Sets the variable that WebKit reads at its start. Call this first: no other thread may run yet.
#[cfg(target_os = "linux")]
pub fn prepare() {
    if std::env::var_os(SWITCH).is_some() || !is_needed() {
        return;
    }
    #[allow(unsafe_code, reason = "the environment is set before any other thread exists")]
    // SAFETY: this is the first thing that `main` does; no other thread reads the environment.
    unsafe {
        std::env::set_var(SWITCH, "1");
    }
}

#[cfg(target_os = "linux")]
fn is_needed() -> bool {
    let render_device = std::fs::read_dir("/dev/dri")
        .is_ok_and(|entries| entries.flatten().any(|entry| entry.file_name().to_string_lossy().starts_with("renderD")));
    !render_device || std::path::Path::new("/proc/driver/nvidia/version").exists()
}

/// Does nothing on other systems.
#[cfg(not(target_os = "linux"))]
pub fn prepare() {}
