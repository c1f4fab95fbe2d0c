//! Recorded review comments: those of the bundled set land at their lines, and are followed through pushes.

mod measure;

use std::path::Path;

#[test]
fn recorded_comments_land_and_are_followed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/comments");
    let measured = measure::measure(&folder);
    measured.print("bundled set", 5);
    assert!(measured.comments >= 30 && measured.not_commentable > 0, "{} comments", measured.comments);
    for (form, count) in &measured.placed {
        // Four comments are on code that is in its file twice. Without the right numbers, nothing decides between both places.
        let (lost, wrong) = if *form == "recorded" { (0, 0) } else { (2, 1) };
        assert!(count.all - count.right <= lost && count.wrong <= wrong, "placed, {form}");
    }
    assert_eq!(measured.followed.keys().collect::<Vec<_>>(), ["rebase", "rename", "shift"]);
    for (push, count) in &measured.followed {
        assert_eq!((count.right, count.wrong), (count.all, 0), "followed, {push}");
    }
    assert!(measured.claims.right >= 7 && measured.claims.wrong == 0, "claims");
    assert!(measured.checked >= 7, "{} of {} claims are checked", measured.checked, measured.stated);
}
