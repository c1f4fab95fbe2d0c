//! The additions of Rails to Ruby: the effects of methods of models where the type of the receiver is unknown (a record of an
//! association, a parameter, a variable of a controller), the helpers of views, and partials.

use smol_str::SmolStr;

use super::facts::{Chain, THIS, Use};
use super::project::{Project, folder};

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
    let is_named = |arg: &SmolStr| arg.contains('=');
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

/// Methods of views that only make markup or read the request. From the documentation of Action View, Turbo and Importmap.
const VIEW_HELPERS: &str = "action_cable_meta_tag action_name asset_path asset_url atom_feed audio_path audio_tag \
    auto_discovery_link_tag button_tag button_to cache cache_if cache_unless capture cdata_section class_names collection_check_boxes \
    collection_checkboxes collection_radio_buttons collection_select concat content_for content_for? content_tag controller \
    controller_name controller_path cookies csp_meta_tag csrf_meta_tag csrf_meta_tags current_cycle current_page? cycle debug \
    distance_of_time_in_words distance_of_time_in_words_to_now dom_class dom_id escape_javascript escape_once excerpt \
    favicon_link_tag field_id field_name field_set_tag fieldset_tag flash font_path form_authenticity_token form_for form_tag form_with \
    grouped_collection_select grouped_options_for_select h headers highlight html_escape image_path image_submit_tag image_tag \
    image_url inline_svg_tag j javascript_import_module_tag javascript_importmap_tags javascript_include_tag javascript_path json_escape \
    l label_tag link_to link_to_if link_to_unless link_to_unless_current local_assigns localize mail_to number_to_currency \
    number_to_human number_to_human_size number_to_percentage number_to_phone number_with_delimiter number_with_precision \
    option_groups_from_collection_for_select pagy_info pagy_nav pagy_url_for route_for options_for_select options_from_collection_for_select params phone_to picture_tag \
    pluralize preload_link_tag protect_against_forgery? provide raw render request reset_cycle response safe_concat safe_join \
    sanitize sanitize_css select_date select_datetime select_day select_month select_tag select_time select_year session \
    simple_format sms_to strip_links strip_tags stylesheet_link_tag stylesheet_path submit_tag t tag time_ago_in_words time_tag \
    time_zone_options_for_select to_sentence token_list translate truncate turbo_exempts_page_from_cache turbo_frame_tag \
    turbo_page_requires_reload turbo_refreshes_with turbo_stream turbo_stream_from u url_encode url_for utf8_enforcer_tag \
    video_path video_tag vite_client_tag vite_javascript_tag vite_stylesheet_tag weekday_options_for_select word_wrap \
    check_box_tag checkbox_tag color_field_tag date_field_tag datetime_field_tag email_field_tag file_field_tag hidden_field_tag month_field_tag \
    number_field_tag password_field_tag phone_field_tag radio_button_tag range_field_tag search_field_tag telephone_field_tag \
    text_area_tag textarea_tag text_field_tag time_field_tag url_field_tag week_field_tag";

/// Methods of the builder of a form, which only make markup.
const FORM_METHODS: &str = "button check_box checkbox collection_check_boxes collection_checkboxes collection_radio_buttons collection_select \
    color_field date_field date_select datetime_field datetime_local_field datetime_select email_field fields fields_for file_field \
    grouped_collection_select hidden_field label month_field number_field password_field phone_field radio_button range_field \
    rich_text_area rich_textarea search_field select submit telephone_field text_area text_field textarea time_field time_select \
    time_zone_select url_field week_field weekday_select";

/// Returns whether a file of Ruby is a view, or has the methods of views.
pub(crate) fn is_view(path: &str) -> bool {
    path.ends_with(".erb")
        || ["app/helpers/", "app/components/", "app/views/"].iter().any(|place| is_below(path, place))
}

fn is_below(path: &str, place: &str) -> bool {
    path.find(place).is_some_and(|at| at == 0 || path[..at].ends_with('/'))
}

/// Returns whether a name is a helper of views that has no effect, in a file that has them.
pub(crate) fn is_view_helper(path: &str, name: &str) -> bool {
    let has = |list: &str| list.split_whitespace().any(|one| one == name);
    is_view(path) && (has(VIEW_HELPERS) || has(FORM_METHODS))
}

/// Returns whether a name is a method that only makes a part of a form, in a view.
pub(crate) fn is_form_method(path: &str, name: &str) -> bool {
    is_view(path) && FORM_METHODS.split_whitespace().any(|one| one == name)
}

/// Returns whether a name is one that Rails makes for a route, which gives an address.
pub(crate) fn is_route_helper(name: &str) -> bool {
    ["_path", "_url"].iter().any(|end| name.strip_suffix(end).is_some_and(|route| !route.is_empty()))
}

/// Returns the files whose methods the views of the same application have: its helpers, and the controllers that share one of this name.
pub(crate) fn helper_files(project: &Project<'_>, view: &str, name: &str) -> Vec<String> {
    let Some(at) = is_view(view).then(|| view.find("app/")).flatten() else { return Vec::new() };
    let root = &view[..at];
    let is_ruby = |path: &&String| path.ends_with(".rb") && **path != view;
    let most = project.bounds.max_search_results;
    let mut files: Vec<String> =
        project.below(&format!("{root}app/helpers/")).filter(is_ruby).take(most).cloned().collect();
    let mark = format!(":{name}");
    for place in ["application_controller.rb", "concerns/"] {
        let controllers = format!("{root}app/controllers/{place}");
        let shares = |path: &&String| {
            let lines = project.text(path);
            lines.is_some_and(|text| text.lines().any(|line| line.contains("helper_method") && line.contains(&mark)))
        };
        files.extend(project.below(&controllers).filter(is_ruby).take(most).filter(shares).cloned());
    }
    files
}

/// Words of the description of a database, in the file that Rails writes it to.
const SCHEMA_WORDS: &[&str] = &[
    "add_check_constraint",
    "add_foreign_key",
    "add_index",
    "create_enum",
    "create_table",
    "create_virtual_table",
    "enable_extension",
    "execute",
];

/// Returns whether a name is a word of the description of the database of a Rails application.
pub(crate) fn is_schema_word(path: &str, name: &str) -> bool {
    path.ends_with("schema.rb") && SCHEMA_WORDS.contains(&name)
}

/// Returns whether a method without arguments reads a column of the database.
pub(crate) fn is_column(project: &Project<'_>, name: &str) -> bool {
    let name = name.trim_end_matches('?');
    let is_name = !name.is_empty() && name.chars().all(|char| char.is_alphanumeric() || char == '_');
    let schema = "db/schema.rb";
    is_name && project.has(schema) && project.text(schema).is_some_and(|text| text.contains(&format!("\"{name}\"")))
}

/// Returns the file with the class of a component whose template this is: `card.rb` for `card.html.erb`.
pub(crate) fn component_of(project: &Project<'_>, template: &str) -> Option<String> {
    let stem = template.strip_suffix(".erb").map(|stem| stem.rsplit_once('.').map_or(stem, |(stem, _)| stem))?;
    Some(format!("{stem}.rb")).filter(|class| is_below(template, "app/components/") && project.has(class))
}

/// Returns the file of a partial that a view renders: `_form.html.erb` for `render "form"`.
pub(crate) fn partial(project: &Project<'_>, view: &str, one: &Use) -> Option<String> {
    if one.chain.segs.len() != 1 || one.chain.root() != "render" || !is_view(view) {
        return None;
    }
    let named = one.args.iter().find_map(|arg| arg.strip_prefix("partial="));
    let name = named.or(one.args.first().map(SmolStr::as_str).filter(|name| !name.contains('=')))?;
    let below = match name.rsplit_once('/') {
        Some((folders, name)) => format!("{}app/views/{folders}/_{name}.", &view[..view.find("app/")?]),
        None => format!("{}_{name}.", folder(view)),
    };
    project.below(&below).find(|path| path.ends_with(".erb") && *path != view).cloned()
}
