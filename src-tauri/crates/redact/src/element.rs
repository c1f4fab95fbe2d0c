//! Reads the text of an element of XML: `<password>…</password>`, also in a section of characters or below its tag.

use super::cursor::{Cursor, Place, Values};

/// Reads the text of an element, also from the lines below its tag.
pub(super) fn element(cursor: &mut Cursor<'_>, values: &mut Values) {
    let has_user = cursor.text[..cursor.at].ends_with(b"auth-user-pass>");
    cursor.space();
    let mut is_data = false;
    for open in [&b"<![CDATA["[..], b"<string>", b"<value>", b"<Value>", b"<plainText>", b"<![CDATA["] {
        if cursor.take(open) {
            is_data |= open.ends_with(b"[");
            cursor.space();
        }
    }
    let stop = cursor.rest().len().min(cursor.reach);
    let inside = &cursor.rest()[..stop];
    let end = if is_data {
        memchr::memmem::find(inside, b"]]>")
    } else {
        inside.iter().position(|byte| *byte == b'<' || *byte == b']')
    };
    let Some(end) = end else { return };
    // Text that its end tag does not follow is not an element: it is a comparison, or the parameter of a type.
    if !(cursor.rest()[end..].starts_with(b"</") || cursor.rest()[end..].starts_with(b"]]>")) {
        return;
    }
    cursor.furthest = cursor.furthest.max(cursor.at + end);
    let inside = &cursor.rest()[..end];
    // OpenVPN: the name of the user stands above the password.
    let user = memchr::memchr(b'\n', inside.trim_ascii_end()).filter(|_| has_user).map_or(0, |line| line + 1);
    let (inside, _user) = (&inside[user..], cursor.at += user);
    let end = cursor.at + inside.trim_ascii_end().len();
    if cursor.at < end && end - cursor.at <= 4096 && cursor.text.get(cursor.at) != Some(&b'<') {
        values.push((cursor.at, end, Place { quoted: true, ..Place::default() }));
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn the_text_of_an_element_is_read_up_to_its_end() {
        check(
            "a.xml",
            &[
                "<password>⟦geheim-77⟧</password>",
                "<password>\n  ⟦geheim-77⟧\n</password>",
                "<password><![CDATA[⟦turm<nord>&Sohn⟧]]></password>",
                "<password><value>⟦geheim-77⟧</value></password>",
                "<password/> <title>geheim-77</title>",
            ],
        );
    }
}
