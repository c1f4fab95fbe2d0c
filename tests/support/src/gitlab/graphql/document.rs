//! The part of GraphQL's syntax that clients of GitLab use: one operation with variables, fields, arguments, aliases and inline
//! fragments. Named fragments and directives are not parsed.

use serde_json::{Map, Value};

/// An operation with its variables inserted.
#[derive(Debug, PartialEq)]
pub(super) struct Operation {
    pub(super) mutation: bool,
    pub(super) fields: Vec<Field>,
}

/// A selected field.
#[derive(Debug, PartialEq)]
pub(super) struct Field {
    /// The name in the answer: the alias, or else the name.
    pub(super) key: String,
    pub(super) name: String,
    pub(super) arguments: Map<String, Value>,
    pub(super) fields: Vec<Field>,
}

/// Parses a document. The error names the unexpected token.
pub(super) fn parse(text: &str, variables: &Value) -> Result<Operation, String> {
    let mut parser = Parser { tokens: tokens(text), at: 0, variables };
    let kind = if parser.peek() == "{" { "query".to_owned() } else { parser.next() };
    if !["query", "mutation"].contains(&kind.as_str()) {
        return Err(kind);
    }
    while !["{", "(", ""].contains(&parser.peek()) {
        parser.next();
    }
    if parser.peek() == "(" {
        while !["{", ""].contains(&parser.peek()) {
            parser.next();
        }
    }
    Ok(Operation { mutation: kind == "mutation", fields: parser.selection()? })
}

struct Parser<'a> {
    tokens: Vec<String>,
    at: usize,
    variables: &'a Value,
}

impl Parser<'_> {
    /// Returns the next token. Empty at the end.
    fn peek(&self) -> &str {
        self.tokens.get(self.at).map_or("", String::as_str)
    }

    fn next(&mut self) -> String {
        let token = self.peek().to_owned();
        self.at += 1;
        token
    }

    fn expect(&mut self, wanted: &str) -> Result<(), String> {
        let token = self.next();
        if token == wanted { Ok(()) } else { Err(token) }
    }

    fn name(&mut self) -> Result<String, String> {
        let token = self.next();
        let good = token.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
        if good { Ok(token) } else { Err(token) }
    }

    fn selection(&mut self) -> Result<Vec<Field>, String> {
        self.expect("{")?;
        let mut fields = Vec::new();
        while self.peek() != "}" {
            if self.peek() == "..." {
                self.next();
                if self.peek() == "on" {
                    self.next();
                    self.name()?;
                }
                fields.extend(self.selection()?);
                continue;
            }
            fields.push(self.field()?);
        }
        self.expect("}")?;
        Ok(fields)
    }

    fn field(&mut self) -> Result<Field, String> {
        let key = self.name()?;
        let name = if self.peek() == ":" {
            self.next();
            self.name()?
        } else {
            key.clone()
        };
        let mut arguments = Map::new();
        if self.peek() == "(" {
            self.next();
            arguments = self.pairs(")")?;
        }
        let fields = if self.peek() == "{" { self.selection()? } else { Vec::new() };
        Ok(Field { key, name, arguments, fields })
    }

    /// Parses `name: value` up to a closing token.
    fn pairs(&mut self, end: &str) -> Result<Map<String, Value>, String> {
        let mut pairs = Map::new();
        while self.peek() != end {
            let name = self.name()?;
            self.expect(":")?;
            pairs.insert(name, self.value()?);
        }
        self.next();
        Ok(pairs)
    }

    fn value(&mut self) -> Result<Value, String> {
        let token = self.next();
        match token.as_str() {
            "{" => Ok(Value::Object(self.pairs("}")?)),
            "[" => {
                let mut items = Vec::new();
                while self.peek() != "]" {
                    items.push(self.value()?);
                }
                self.next();
                Ok(Value::Array(items))
            }
            "$" => {
                let name = self.name()?;
                Ok(self.variables[name.as_str()].clone())
            }
            "" => Err(token),
            // Names are values of enumerations.
            _ => Ok(serde_json::from_str(&token).unwrap_or(Value::String(token))),
        }
    }
}

/// Splits a text into names, numbers, strings and signs. Commas and comments are white space.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let word = |one: char| one.is_ascii_alphanumeric() || one == '_';
        let length = if first == '#' {
            rest.find('\n').unwrap_or(rest.len())
        } else if first == '"' {
            let mut escaped = false;
            let end = rest[1..].find(|one: char| {
                let ends = one == '"' && !escaped;
                escaped = one == '\\' && !escaped;
                ends
            });
            end.map_or(rest.len(), |end| end + 2)
        } else if rest.starts_with("...") {
            3
        } else if word(first) || first == '-' {
            rest[1..].find(|one| !word(one)).map_or(rest.len(), |end| end + 1)
        } else {
            first.len_utf8()
        };
        if !first.is_whitespace() && first != ',' && first != '#' {
            tokens.push(rest[..length].to_owned());
        }
        rest = &rest[length..];
    }
    tokens
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::parse;

    #[test]
    fn operations_are_parsed_with_their_variables() {
        let text = r#"mutation Ask($path: ID!, $iid: String!) { # a comment
            done: mergeRequestRequestChanges(input: { projectPath: $path, iid: $iid, tags: ["a", B] }) { errors ... on X { id } } }"#;
        let operation = parse(text, &json!({ "path": "group/project", "iid": "7" })).unwrap();
        assert!(operation.mutation);
        let field = &operation.fields[0];
        assert_eq!((field.key.as_str(), field.name.as_str()), ("done", "mergeRequestRequestChanges"));
        assert_eq!(
            json!(field.arguments),
            json!({ "input": { "projectPath": "group/project", "iid": "7", "tags": ["a", "B"] } })
        );
        assert_eq!(field.fields.iter().map(|field| field.name.as_str()).collect::<Vec<_>>(), ["errors", "id"]);
        assert!(!parse("{ currentUser { username } }", &json!({})).unwrap().mutation);
        for wrong in ["", "{", "mutation { a(b) }", "mutation { a(b: ) }", "subscription { a }"] {
            assert!(parse(wrong, &json!({})).is_err(), "{wrong}");
        }
    }
}
