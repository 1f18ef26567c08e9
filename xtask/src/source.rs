//! What is code in a source file.

/// A word or a sign of a program, with its line, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    pub text: &'a str,
    pub line: usize,
}

/// The program without comments; of texts and letters in quotes only the quotes are left.
pub fn tokens(text: &str) -> Vec<Token<'_>> {
    let (mut found, mut at, mut line) = (vec![], 0, 1);
    while let Some(first) = text[at..].chars().next() {
        let length = length_of(&text[at..], first);
        let part = &text[at..at + length];
        let is_nothing = first.is_whitespace() || part.starts_with("//") || part.starts_with("/*");
        let shown = if is_quoted(part) { "\"\"" } else { part };
        if !is_nothing {
            found.push(Token { text: shown, line });
        }
        line += part.matches('\n').count();
        at += length;
    }
    found
}

/// The program without what only tests have: items, and lines of lists, that are marked `#[cfg(test)]`.
pub fn without_tests<'a>(tokens: &[Token<'a>]) -> Vec<Token<'a>> {
    const MARK: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];
    let (mut found, mut at) = (vec![], 0);
    while at < tokens.len() {
        let is_marked = tokens[at..].iter().zip(MARK).filter(|(token, mark)| token.text == *mark).count() == MARK.len();
        if is_marked {
            at = end_of_item(tokens, at + MARK.len());
        } else {
            found.push(tokens[at]);
            at += 1;
        }
    }
    found
}

/// Where the item that begins at `at` is over: after its body, or after the sign that ends it.
fn end_of_item(tokens: &[Token], at: usize) -> usize {
    let mut depth = 0_usize;
    for (offset, token) in tokens[at..].iter().enumerate() {
        match token.text {
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" if depth == 0 => return at + offset,
            "}" | ")" | "]" => {
                depth -= 1;
                // A list of fields or a signature goes on after it; a body doesn't, nor does what opens an attribute.
                if depth == 0 && token.text == "}" {
                    return at + offset + 1;
                }
            }
            ";" | "," if depth == 0 => return at + offset + 1,
            _ => {}
        }
    }
    tokens.len()
}

/// Lines that have code on them.
pub fn code_lines(text: &str) -> usize {
    let mut lines: Vec<_> = tokens(text).iter().map(|token| token.line).collect();
    lines.dedup();
    lines.len()
}

fn length_of(text: &str, first: char) -> usize {
    if text.starts_with("//") {
        return text.find('\n').unwrap_or(text.len());
    }
    if text.starts_with("/*") {
        return comment(text);
    }
    if let Some(length) = raw_text(text) {
        return length;
    }
    match first {
        '"' => quoted(text, '"'),
        'b' if text.starts_with("b\"") => 1 + quoted(&text[1..], '"'),
        'b' if text.starts_with("b'") => 1 + quoted(&text[1..], '\''),
        '\'' if is_letter(text) => quoted(text, '\''),
        '\'' => 1,
        _ if is_of_word(first) => text.find(|letter| !is_of_word(letter)).unwrap_or(text.len()),
        ':' if text.starts_with("::") => 2,
        _ => first.len_utf8(),
    }
}

fn is_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

fn is_quoted(part: &str) -> bool {
    part.len() > 1 && part.ends_with(['"', '\'', '#'])
}

/// A letter in quotes, and not the name of a lifetime.
fn is_letter(text: &str) -> bool {
    let mut letters = text.chars().skip(1);
    matches!((letters.next(), letters.next()), (Some('\\'), _) | (Some(_), Some('\'')))
}

/// Up to the quote that ends it.
fn quoted(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            _ if letter == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Comments of this kind may hold others.
fn comment(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        let rest = &text[at..];
        let step = if rest.starts_with("/*") {
            depth += 1;
            2
        } else if rest.starts_with("*/") {
            depth -= 1;
            2
        } else {
            rest.chars().next().map_or(1, char::len_utf8)
        };
        at += step;
        if depth == 0 {
            break;
        }
    }
    at
}

/// Texts in which nothing is escaped: `r"…"`, `r#"…"#`, `br"…"`.
fn raw_text(text: &str) -> Option<usize> {
    let start = text.strip_prefix("br").or_else(|| text.strip_prefix('r'))?;
    let hashes = start.len() - start.trim_start_matches('#').len();
    let body = start[hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let begins = text.len() - body.len();
    Some(body.find(&end).map_or(text.len(), |at| begins + at + end.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<&str> {
        tokens(text).iter().map(|token| token.text).collect()
    }

    #[test]
    fn comments_and_what_stands_in_quotes_are_no_code() {
        assert_eq!(words("a /* b /* c */ d */ e // f\ng"), ["a", "e", "g"]);
        assert_eq!(
            words(r##"x("std::fs", r#"a " b"#, 'c', '\'', &'a str, b"d")"##).join(" "),
            "x ( \"\" , \"\" , \"\" , \"\" , & ' a str , \"\" )"
        );
        assert_eq!(words("std::fs::read"), ["std", "::", "fs", "::", "read"]);
        assert_eq!(code_lines("//! Text\n\nlet a = \"x\ny\";\n  // b\nc(\n)\n"), 4);
    }

    #[test]
    fn only_what_is_marked_is_left_out() {
        let left = |text| without_tests(&tokens(text)).iter().map(|token| token.text).collect::<Vec<_>>().join(" ");
        assert_eq!(left("#[cfg(test)] mod tests; use a::b;"), "use a :: b ;");
        assert_eq!(left("#[cfg(test)]\nmod tests { fn a() { b[0] } }\nfn c() {}"), "fn c ( ) { }");
        assert_eq!(left("#[cfg(test)] #[allow(x)] fn a(b: (C, D)) -> E where F: G { h } i"), "i");
        assert_eq!(left("struct A { #[cfg(test)] b: C<D>, e: F }"), "struct A { e : F }");
        assert_eq!(left("#[cfg(test)] use a::{b, c}; d"), "; d");
    }
}
