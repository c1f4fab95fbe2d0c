//! Parses references to a merge request: its address, `group/project!7`, or its number in the project of a remote.

/// A reference to a merge request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The address of the GitLab server without a trailing slash: `https://gitlab.example.com/prefix`. `None` if the reference
    /// has no address.
    pub base: Option<String>,
    /// The path of the project, such as `group/sub/project`. `None` if the reference is only a number.
    pub project: Option<String>,
    /// The number of the merge request in its project.
    pub iid: u64,
}

impl Reference {
    /// Parses `https://host/group/project/-/merge_requests/7/diffs`, `group/project!7`, `!7` and `7`.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Some((scheme, rest)) = text.split_once("://") {
            if !["https", "http"].contains(&scheme) {
                return None;
            }
            let rest = rest.split(['?', '#']).next()?;
            // Old addresses have no dash.
            let (place, after) =
                rest.split_once("/-/merge_requests/").or_else(|| rest.split_once("/merge_requests/"))?;
            let iid = after.split('/').next()?.parse().ok()?;
            let (host, project) = place.split_once('/')?;
            // An address must not contain a user name or password.
            if host.contains('@') || !is_project(project) {
                return None;
            }
            return Some(Self { base: Some(format!("{scheme}://{host}")), project: Some(project.to_owned()), iid });
        }
        let (project, number) = text.split_once('!').unwrap_or(("", text));
        let iid = number.parse().ok()?;
        let project = Some(project.to_owned()).filter(|project| !project.is_empty());
        project.as_deref().is_none_or(is_project).then_some(Self { base: None, project, iid })
    }

    /// Splits the address of a remote into the address of the GitLab server and the path of the project. Accepts
    /// `https://host/group/project.git`, `git@host:group/project.git` and `ssh://git@host:22/group/project.git`. The server's
    /// address has HTTPS if the remote does not use HTTP.
    pub fn of_remote(url: &str) -> Option<(String, String)> {
        let bare = url.trim().trim_end_matches('/');
        let bare = bare.strip_suffix(".git").unwrap_or(bare);
        let (base, project) = match bare.split_once("://") {
            Some((scheme @ ("http" | "https"), rest)) => {
                let rest = rest.rsplit_once('@').map_or(rest, |(_, rest)| rest);
                let (host, project) = rest.split_once('/')?;
                (format!("{scheme}://{host}"), project)
            }
            Some(("ssh" | "git" | "git+ssh", rest)) => {
                let rest = rest.rsplit_once('@').map_or(rest, |(_, rest)| rest);
                let (host, project) = rest.split_once('/')?;
                (format!("https://{}", host.split(':').next()?), project)
            }
            Some(_) => return None,
            None => {
                let (host, project) = bare.split_once(':')?;
                (format!("https://{}", host.rsplit('@').next()?), project)
            }
        };
        let project = project.trim_start_matches('/');
        is_project(project).then(|| (base, project.to_owned()))
    }
}

/// Returns whether a path has at least a group and a name, of permitted characters.
fn is_project(path: &str) -> bool {
    path.contains('/')
        && path.split('/').all(|part| {
            !part.is_empty() && part != ".." && part.chars().all(|char| char.is_alphanumeric() || "_.-+".contains(char))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merge_requests_are_named_in_three_ways() {
        let named = |text: &str| Reference::parse(text).map(|one| (one.base, one.project, one.iid));
        let full = |base: &str, project: &str, iid| Some((Some(base.to_owned()), Some(project.to_owned()), iid));
        assert_eq!(
            named("https://gitlab.com/a/b/c/-/merge_requests/7/diffs?x#note_1"),
            full("https://gitlab.com", "a/b/c", 7)
        );
        assert_eq!(named("http://h:8080/a/b/merge_requests/12"), full("http://h:8080", "a/b", 12));
        assert_eq!(named("a/b!3"), Some((None, Some("a/b".into()), 3)));
        assert_eq!((named("!3"), named("3")), (Some((None, None, 3)), Some((None, None, 3))));
        for bad in [
            "",
            "x",
            "https://gitlab.com/a/b",
            "https://u:p@h/a/b/-/merge_requests/1",
            "a/../b!1",
            "ftp://h/a/b/-/merge_requests/1",
        ] {
            assert_eq!(named(bad), None, "{bad}");
        }
    }

    #[test]
    fn projects_are_found_from_remotes() {
        let found = |url: &str| Reference::of_remote(url);
        let project = Some(("https://h.example".to_owned(), "a/b".to_owned()));
        for url in [
            "https://h.example/a/b.git",
            "git@h.example:a/b.git",
            "ssh://git@h.example:2222/a/b",
            "https://oauth2:t@h.example/a/b/",
        ] {
            assert_eq!(found(url), project, "{url}");
        }
        assert_eq!(found("/srv/repo.git"), None);
        assert_eq!(found("file:///srv/a/b"), None);
    }
}
