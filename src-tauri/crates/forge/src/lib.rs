//! GitLab: client, positions, planning of comments.

pub mod gitlab;
pub mod post_plan;
