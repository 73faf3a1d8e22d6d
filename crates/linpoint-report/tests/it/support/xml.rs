//! A small check that a document is well-formed XML, as far as our own documents go: no namespaces, no comments.

/// Panics if elements are not closed in order, or text is not escaped.
pub fn well_formed(document: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = document;
    while let Some(at) = rest.find('<') {
        text(&rest[..at]);
        let end = at + rest[at..].find('>').expect("a tag ends");
        let tag = &rest[at + 1..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "</{name}>");
            continue;
        }
        let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        for attribute in attributes.trim_end_matches('/').trim().split("\" ") {
            let attribute = attribute.trim_end_matches('"');
            if attribute.is_empty() {
                continue;
            }
            let (key, value) = attribute.split_once("=\"").expect(attribute);
            assert!(key.chars().all(|c| c.is_ascii_alphabetic() || c == '-'), "{attribute}");
            assert!(!value.contains(['"', '<']), "{attribute}");
            text(value);
        }
        if !tag.ends_with('/') {
            open.push(name);
        }
    }
    text(rest);
    assert_eq!(open, Vec::<&str>::new());
}

/// Text in which every `&` begins an entity, and no character is forbidden.
fn text(text: &str) {
    for entity in text.split('&').skip(1) {
        let name = entity.split(';').next().unwrap_or_default();
        assert!(["amp", "lt", "gt", "quot", "#10", "#9"].contains(&name), "&{name}");
    }
    assert!(text.chars().all(|c| c >= ' ' || c == '\n'), "{text:?}");
}
