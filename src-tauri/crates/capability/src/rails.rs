//! The effects of methods of Rails models where the type of the receiver is unknown: a record of an association, a parameter, a
//! variable of a controller.

use super::facts::{Chain, THIS, Use};
use super::project::Project;

/// Methods that only models and their associations have.
const RECORD_METHODS: &[&str] = &[
    "save!",
    "create!",
    "update!",
    "destroy!",
    "destroy",
    "update_all",
    "delete_all",
    "destroy_all",
    "insert_all",
    "insert_all!",
    "upsert_all",
    "update_column",
    "update_columns",
    "update_attribute",
    "find_by",
    "find_by!",
    "find_or_create_by",
    "find_or_create_by!",
    "create_or_find_by",
    "create_or_find_by!",
    "find_each",
    "find_in_batches",
    "increment!",
    "decrement!",
    "toggle!",
    "with_lock",
    "lock!",
    "touch_all",
];

/// Returns whether the repository contains a Rails application.
pub(crate) fn is_rails(project: &Project<'_>) -> bool {
    project.below("app/models/").next().is_some()
        || project.named("application").iter().any(|path| path.ends_with("config/application.rb"))
}

/// Returns the name of the effect that a method of a receiver of unknown type has in a Rails application, as far as the method's name
/// and arguments tell.
pub(crate) fn effect_of_record(one: &Use) -> Option<&'static str> {
    let (method, receiver) = one.chain.segs.split_last()?;
    if receiver.is_empty() {
        return None;
    }
    let is_named = |arg: &String| arg.contains('=');
    let of_user = || one.chain.root().to_lowercase().starts_with("current");
    let is_record = match method.name.as_str() {
        // Methods of other objects have these names too, but take other arguments.
        "save" => one.args.iter().all(is_named),
        "update" => one.args.iter().any(is_named) || is_field(&one.chain),
        "create" => of_user(),
        "attach" => return one.args.iter().any(|arg| arg.starts_with("io=")).then_some("object.write"),
        name => RECORD_METHODS.contains(&name),
    };
    is_record.then_some("sql.execute")
}

/// Returns whether a chain is a method of a field of the object: `@chat.update(…)`.
fn is_field(chain: &Chain) -> bool {
    chain.root() == THIS && chain.segs.len() == 3
}
