//! Finds the stack of a branch among others, by the names of source and target branches.

use std::collections::HashSet;

/// A change from one branch into another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link<'a> {
    /// The branch that is merged.
    pub source: &'a str,
    /// The branch that it is merged into.
    pub target: &'a str,
}

/// A layer of a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The index of its link.
    pub index: usize,
    /// The number of layers below it.
    pub depth: u32,
}

/// Returns the stack that contains a link, the lowest layer first: the layers that it builds on, itself, and the layers that build on
/// it. A layer with several layers above it is followed by each of them with its own ones. A link alone has a stack of one layer.
pub fn stack_of(links: &[Link<'_>], current: usize) -> Vec<Placed> {
    let mut seen = HashSet::from([current]);
    let mut below = vec![current];
    while let Some(next) = below_of(links, below[below.len() - 1], &seen) {
        seen.insert(next);
        below.push(next);
    }
    below.reverse();
    let mut stack: Vec<Placed> = below
        .iter()
        .enumerate()
        .map(|(depth, index)| Placed { index: *index, depth: u32::try_from(depth).unwrap_or(u32::MAX) })
        .collect();
    if let Some(own) = stack.last().copied() {
        above(links, own, &mut seen, &mut stack);
    }
    stack
}

/// Returns the link whose source is the target of another one. A circle ends where it began.
fn below_of(links: &[Link<'_>], of: usize, seen: &HashSet<usize>) -> Option<usize> {
    let target = links.get(of)?.target;
    links
        .iter()
        .enumerate()
        .find(|(index, link)| link.source == target && !seen.contains(index))
        .map(|(index, _)| index)
}

fn above(links: &[Link<'_>], of: Placed, seen: &mut HashSet<usize>, stack: &mut Vec<Placed>) {
    let Some(own) = links.get(of.index) else { return };
    for (index, _) in links.iter().enumerate().filter(|(_, link)| link.target == own.source) {
        if seen.insert(index) {
            let next = Placed { index, depth: of.depth.saturating_add(1) };
            stack.push(next);
            above(links, next, seen, stack);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the stack of the link from `source`, as `depth:source`.
    fn stack(links: &[(&str, &str)], source: &str) -> String {
        let links: Vec<Link<'_>> = links.iter().map(|(source, target)| Link { source, target }).collect();
        let current = links.iter().position(|link| link.source == source).unwrap();
        let stack = stack_of(&links, current);
        stack.iter().map(|one| format!("{}:{}", one.depth, links[one.index].source)).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_stack_goes_from_the_lowest_layer_to_all_that_build_on_it() {
        let links = [("c", "b"), ("x", "main"), ("a", "main"), ("b", "a")];
        for source in ["a", "b", "c"] {
            assert_eq!(stack(&links, source), "0:a 1:b 2:c");
        }
        assert_eq!(stack(&links, "x"), "0:x");
    }

    #[test]
    fn a_layer_can_have_several_layers_above_it() {
        let links = [("a", "main"), ("b", "a"), ("c", "b"), ("d", "a")];
        assert_eq!(stack(&links, "a"), "0:a 1:b 2:c 1:d");
        // The other branch of the stack is not part of what this one builds on, or of what builds on it.
        assert_eq!(stack(&links, "d"), "0:a 1:d");
    }

    #[test]
    fn circles_end() {
        assert_eq!(stack(&[("a", "b"), ("b", "a")], "a"), "0:b 1:a");
        assert_eq!(stack(&[("a", "a")], "a"), "0:a");
    }
}
