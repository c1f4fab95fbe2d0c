//! Cobertura XML, as coverage.py, istanbul, gcovr, coverlet and others write it.

use super::report::{MAX_FILES, MAX_LINES, MeasuredFile, ReportError, add_line};
use super::types::LineState;
use super::xml::{Element, Node, XmlReader};

/// Reads a report.
pub(crate) fn read(text: &str) -> Result<Vec<MeasuredFile>, ReportError> {
    let mut reader = XmlReader::new(text);
    let (mut sources, mut files) = (Vec::new(), Vec::<MeasuredFile>::new());
    let mut source: Option<String> = None;
    let (mut in_class, mut in_methods, mut measured) = (false, false, 0);
    while let Some(node) = reader.next()? {
        match node {
            Node::Start(element) => match element.name.as_str() {
                // Clover has the same root.
                "project" => return Err(ReportError::UnknownFormat),
                "source" => source = Some(String::new()),
                "class" => {
                    if files.len() >= MAX_FILES {
                        return Err(ReportError::TooMuch(format!("{MAX_FILES} files")));
                    }
                    in_class = true;
                    files.push(MeasuredFile { names: vec![element.text("filename")], ..MeasuredFile::default() });
                }
                "methods" => in_methods = true,
                // The lines of methods are also among those of the class, except for the line that begins the method.
                "line" if in_class && !in_methods => {
                    if let (Some((line, state)), Some(file)) = (measured_line(&element), files.last_mut()) {
                        measured += 1;
                        if measured > MAX_LINES {
                            return Err(ReportError::TooMuch(format!("{MAX_LINES} lines")));
                        }
                        add_line(&mut file.lines, line, state);
                    }
                }
                _ => {}
            },
            Node::Text(text) => {
                if let Some(source) = &mut source {
                    source.push_str(&text);
                }
            }
            Node::End(name) => match name.as_str() {
                "source" => sources.extend(source.take().map(|source| source.trim().to_owned())),
                "class" => in_class = false,
                "methods" => in_methods = false,
                _ => {}
            },
        }
    }
    for file in &mut files {
        let name = file.names.remove(0);
        file.names = names(&sources, name);
    }
    Ok(files)
}

fn measured_line(element: &Element) -> Option<(u32, LineState)> {
    let line = element.number("number").filter(|line| *line > 0)?;
    let hits = element.get("hits")?.trim();
    let ran = !hits.is_empty() && hits.bytes().any(|byte| matches!(byte, b'1'..=b'9')) && !hits.starts_with('-');
    let whole = element.get("condition-coverage").is_none_or(|text| text.trim_start().starts_with("100"));
    Some((
        line,
        if !ran {
            LineState::Uncovered
        } else if whole {
            LineState::Covered
        } else {
            LineState::Partial
        },
    ))
}

/// Returns the possible paths of a file: below each source, or as it is written.
fn names(sources: &[String], name: String) -> Vec<String> {
    let absolute = name.starts_with(['/', '\\']) || name.as_bytes().get(1) == Some(&b':');
    let real: Vec<&String> = sources.iter().filter(|source| !source.is_empty() && *source != ".").collect();
    if absolute || real.is_empty() {
        return vec![name];
    }
    real.iter().map(|source| format!("{}/{name}", source.trim_end_matches(['/', '\\']))).collect()
}
