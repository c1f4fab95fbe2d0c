//! The names that Laravel gives to its facades in all files: `Cache::get($key)` without an import.

use crate::project::Project;

/// The default aliases of Laravel's facades.
const FACADES: &[&str] = &[
    "App",
    "Artisan",
    "Auth",
    "Blade",
    "Broadcast",
    "Bus",
    "Cache",
    "Config",
    "Context",
    "Cookie",
    "Crypt",
    "DB",
    "Event",
    "File",
    "Gate",
    "Hash",
    "Http",
    "Lang",
    "Log",
    "Mail",
    "Notification",
    "Password",
    "Process",
    "Queue",
    "RateLimiter",
    "Redirect",
    "Redis",
    "Request",
    "Response",
    "Route",
    "Schedule",
    "Schema",
    "Session",
    "Storage",
    "URL",
    "Validator",
    "View",
    "Vite",
];
/// The default aliases of classes of Laravel that are no facades.
const SUPPORT: &[&str] = &["Arr", "Number", "Str"];

/// Returns the path of a class of Laravel that a project uses by its alias.
pub(crate) fn aliased(project: &Project<'_>, name: &str) -> Option<Vec<String>> {
    let below: &[&str] = match name {
        _ if FACADES.contains(&name) => &["Illuminate", "Support", "Facades"],
        _ if SUPPORT.contains(&name) => &["Illuminate", "Support"],
        "Eloquent" => return is_laravel(project).then(|| path(&["Illuminate", "Database", "Eloquent"], "Model")),
        _ => return None,
    };
    is_laravel(project).then(|| path(below, name))
}

fn path(below: &[&str], name: &str) -> Vec<String> {
    below.iter().chain([&name]).map(|part| (*part).to_owned()).collect()
}

fn is_laravel(project: &Project<'_>) -> bool {
    project.named("artisan").iter().any(|path| *path == "artisan" || path.ends_with("/artisan"))
}
