//! Folds imports in another order, in languages where it has no meaning.

use diffsan_syntax::imports::{Import, order_is_free};

use crate::changed::Changed;
use crate::source::Source;
use crate::sources::Sides;
use crate::types::FoldReason;

pub(crate) fn fold(changed: &mut Changed<'_>) {
    for file in 0..changed.files.len() {
        let Some((old, new)) = equal_imports(&changed.files[file]) else { continue };
        let folded: Vec<usize> = changed
            .groups
            .iter()
            .filter(|group| group.file == file)
            .flat_map(|group| group.lines.clone())
            .filter(|&id| {
                let line = &changed.lines[id];
                let statements = if line.added { new } else { old };
                changed.source(line).is_some_and(|source| is_inside(source, line.number, statements))
            })
            .collect();
        if folded.is_empty() {
            continue;
        }
        let fold = changed.add(FoldReason::Imports, Vec::new());
        folded.into_iter().for_each(|line| changed.put(line, fold));
    }
}

/// Returns the imports of both sides, if they are the same ones.
fn equal_imports<'a>(sides: &'a Sides<'_>) -> Option<(&'a [Import], &'a [Import])> {
    let (old, new) = (sides.old.as_ref()?, sides.new.as_ref()?);
    let language = old.language.filter(|language| Some(*language) == new.language)?;
    let forms = |imports: &'a [Import]| {
        let mut forms: Vec<&str> = imports.iter().map(|one| one.normal.as_str()).collect();
        if order_is_free(language) {
            forms.sort_unstable();
        }
        forms
    };
    let is_same = !old.imports.is_empty() && forms(&old.imports) == forms(&new.imports);
    is_same.then_some((&old.imports, &new.imports))
}

/// Returns whether all tokens of a line belong to import statements.
fn is_inside(source: &Source<'_>, line: usize, statements: &[Import]) -> bool {
    let mut tokens = source.tokens_of(&(line..line + 1));
    let is_import = |token: usize| {
        let range = &source.tokens[token].range;
        let statement = statements.iter().find(|one| one.range.start <= range.start && range.end <= one.range.end);
        statement.is_some() && source.tokens[token].class != diffsan_syntax::tokens::TokenClass::Comment
    };
    !tokens.is_empty() && tokens.all(is_import)
}
