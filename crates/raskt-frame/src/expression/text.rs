use super::{Expression, Operand};
use crate::domain::DomainClass::*;
use crate::error::{FrameError, Result};
use crate::literal::Literal;
use crate::tree::{ColumnDtype, Expr, Side, TextFunction, concat_text, literal};
use polars::prelude::Schema;

impl Expression {
    /// `series.str.method(*arguments)`, with the arguments in pandas' order and their defaults left out.
    pub(crate) fn text(&self, scope: &Schema, method: &str, arguments: &[Literal]) -> Result<Self> {
        if !matches!(self.domain.class(), Text | Category) {
            let dtype = self.domain.pandas_dtype();
            return Err(FrameError::Type(format!("`.str.{method}` needs strings, and the column is of {dtype}")));
        }
        let x = match self.domain.class() {
            Category => self.expr.clone().cast(ColumnDtype::Text),
            _ => self.expr.clone(),
        };
        let arguments = Arguments { method, values: arguments };
        if let Some((expr, if_missing)) = predicate(&x, &arguments)? {
            return self.truth(scope, expr, if_missing);
        }
        let missing = self.domain.missing || matches!(method, "get" | "split_get" | "extract");
        let expr = x.text(function(&arguments)?);
        Ok(Self::computed(scope, &[&self.operand()], expr)?.missing(missing))
    }

    /// The strings joined with those of another column.
    pub(crate) fn text_with(&self, scope: &Schema, other: &Expression, separator: &str) -> Result<Self> {
        if self.domain.class() != Text || other.domain.class() != Text {
            return Err(FrameError::Type("`.str.cat` needs two columns of strings".into()));
        }
        let expr = concat_text([self.expr.clone(), other.expr.clone()], separator);
        Self::computed(scope, &[&self.operand(), &other.operand()], expr)
    }

    fn truth(&self, scope: &Schema, expr: Expr, if_missing: bool) -> Result<Self> {
        let full = if self.domain.missing { expr.clone().fill_null(literal(if_missing)) } else { expr.clone() };
        let mut found = Self::computed(scope, &[&Operand::Expression(self.clone())], full)?.missing(false);
        if self.domain.missing && !if_missing {
            found.condition = Some(expr);
        }
        Ok(found)
    }
}

/// The arguments of a method, asked for by position.
struct Arguments<'a> {
    method: &'a str,
    values: &'a [Literal],
}

impl Arguments<'_> {
    fn text(&self, at: usize) -> Result<&str> {
        match self.values.get(at) {
            Some(Literal::Text(text)) => Ok(text),
            found => Err(self.unexpected(at, "a string", found)),
        }
    }

    fn text_or<'a>(&'a self, at: usize, default: &'a str) -> Result<&'a str> {
        if matches!(self.values.get(at), None | Some(Literal::Missing)) { Ok(default) } else { self.text(at) }
    }

    fn int(&self, at: usize) -> Result<i64> {
        match self.values.get(at) {
            Some(Literal::Int(value)) => Ok(*value),
            found => Err(self.unexpected(at, "an integer", found)),
        }
    }

    fn int_or(&self, at: usize, default: Option<i64>) -> Result<Option<i64>> {
        match self.values.get(at) {
            None | Some(Literal::Missing) => Ok(default),
            _ => self.int(at).map(Some),
        }
    }

    fn flag(&self, at: usize, default: bool) -> Result<bool> {
        match self.values.get(at) {
            Some(Literal::Bool(value)) => Ok(*value),
            None | Some(Literal::Missing) => Ok(default),
            found => Err(self.unexpected(at, "True or False", found)),
        }
    }

    fn length(&self, at: usize) -> Result<u32> {
        u32::try_from(self.int(at)?).map_err(|_| self.no_native_form())
    }

    fn no_native_form(&self) -> FrameError {
        FrameError::NotNative(format!("`.str.{}` has no native form with these arguments", self.method))
    }

    fn unexpected(&self, at: usize, wanted: &str, found: Option<&Literal>) -> FrameError {
        let method = self.method;
        match found {
            Some(found) => {
                FrameError::Type(format!("argument {at} of `.str.{method}` has to be {wanted}, not {found:?}"))
            }
            None => FrameError::Type(format!("`.str.{method}` lacks argument {at}: {wanted}")),
        }
    }
}

/// What Arrow takes for letters in lower case: numerals and letters in circles among them.
const LOWER: &str = r"[[\p{Ll}\x{345}\x{2170}-\x{217f}\x{24d0}-\x{24e9}]--\x{295}]";
/// What it takes for letters in upper case.
const UPPER: &str = r"[\p{Lu}\x{2160}-\x{216f}\x{24b6}-\x{24cf}]";

/// Methods that say yes or no, and what they say of a missing string.
fn predicate(x: &Expr, arguments: &Arguments<'_>) -> Result<Option<(Expr, bool)>> {
    let matches =
        |pattern: &str| x.clone().text(TextFunction::Contains { pattern: pattern.to_owned(), literal: false });
    Ok(Some(match arguments.method {
        "contains" => {
            let (pattern, case, regex) = (arguments.text(0)?, arguments.flag(1, true)?, arguments.flag(3, true)?);
            let literal = !regex || is_plain(pattern);
            let expr = match (case, literal) {
                (true, true) => x.clone().text(TextFunction::Contains { pattern: pattern.to_owned(), literal }),
                (true, false) => matches(pattern),
                (false, true) => matches(&format!("(?i){}", escape(pattern))),
                (false, false) => matches(&format!("(?i){pattern}")),
            };
            (expr, arguments.flag(2, false)?)
        }
        "match" | "fullmatch" => {
            let flags = if arguments.flag(1, true)? { "" } else { "(?i)" };
            let end = if arguments.method == "fullmatch" { "$" } else { "" };
            (matches(&format!("{flags}^(?:{}){end}", arguments.text(0)?)), arguments.flag(2, false)?)
        }
        "startswith" => {
            (x.clone().text(TextFunction::StartsWith(arguments.text(0)?.to_owned())), arguments.flag(1, false)?)
        }
        "endswith" => {
            (x.clone().text(TextFunction::EndsWith(arguments.text(0)?.to_owned())), arguments.flag(1, false)?)
        }
        "isalpha" => (matches(r"^\p{L}+$"), false),
        "isdecimal" => (matches(r"^\p{Nd}+$"), false),
        "isdigit" => (matches(r"^[\p{Nd}\p{No}]+$"), false),
        "isnumeric" => (matches(r"^\p{N}+$"), false),
        "isalnum" => (matches(r"^[\p{L}\p{N}]+$"), false),
        "isspace" => (matches(r"^[\s\x1c-\x1f]+$"), false),
        "islower" => (matches(LOWER).and(matches(&format!("{UPPER}|\\p{{Lt}}")).negated()), false),
        "isupper" => (matches(UPPER).and(matches(&format!("{LOWER}|\\p{{Lt}}")).negated()), false),
        _ => return Ok(None),
    }))
}

/// The function that a method asks for.
fn function(arguments: &Arguments<'_>) -> Result<TextFunction> {
    let strip = |side| -> Result<TextFunction> {
        let characters = match arguments.values.first() {
            None | Some(Literal::Missing) => None,
            _ => Some(arguments.text(0)?.to_owned()),
        };
        Ok(TextFunction::Strip { side, characters })
    };
    let pad = |side, fill_at| -> Result<TextFunction> {
        Ok(TextFunction::Pad { side, width: arguments.length(0)?, fill: fill(arguments, fill_at)? })
    };
    Ok(match arguments.method {
        "len" => TextFunction::Length,
        "count" => TextFunction::Count(arguments.text(0)?.to_owned()),
        "find" => TextFunction::Find(arguments.text(0)?.to_owned()),
        "lower" => TextFunction::Lowercase,
        "upper" => TextFunction::Uppercase,
        "capitalize" => TextFunction::Capitalize,
        "strip" => strip(Side::Both)?,
        "lstrip" => strip(Side::Start)?,
        "rstrip" => strip(Side::End)?,
        "removeprefix" => TextFunction::RemovePrefix(arguments.text(0)?.to_owned()),
        "removesuffix" => TextFunction::RemoveSuffix(arguments.text(0)?.to_owned()),
        "replace" => {
            let (pattern, by) = (arguments.text(0)?.to_owned(), arguments.text(1)?);
            // The engine takes a plain pattern for a text, and what replaces it as it is.
            let literal = !arguments.flag(3, false)? || is_plain(&pattern);
            let by = if literal { by.to_string() } else { by.replace('$', "$$") };
            let count = arguments.int_or(2, Some(-1))?.filter(|count| *count >= 0);
            TextFunction::Replace { pattern, by, literal, count }
        }
        "slice" => {
            let (start, stop) = (arguments.int_or(0, Some(0))?.unwrap_or(0), arguments.int_or(1, None)?);
            if arguments.int_or(2, Some(1))? != Some(1) {
                return Err(arguments.no_native_form());
            }
            TextFunction::Slice { start, stop }
        }
        "get" => TextFunction::Get(arguments.int(0)?),
        "split_get" => TextFunction::SplitGet { separator: arguments.text(0)?.to_owned(), at: arguments.int(1)? },
        "extract" => TextFunction::Extract(arguments.text(0)?.to_owned()),
        "zfill" => TextFunction::FillWithZeros(arguments.length(0)?),
        "ljust" => pad(Side::End, 1)?,
        "rjust" => pad(Side::Start, 1)?,
        "pad" => match arguments.text_or(1, "left")? {
            "left" => pad(Side::Start, 2)?,
            "right" => pad(Side::End, 2)?,
            _ => return Err(arguments.no_native_form()),
        },
        "repeat" => TextFunction::Repeat(arguments.length(0)? as usize),
        method => return Err(FrameError::NotNative(format!("`.str.{method}` has no native form"))),
    })
}

fn fill(arguments: &Arguments<'_>, at: usize) -> Result<char> {
    let text = arguments.text_or(at, " ")?;
    let mut letters = text.chars();
    match (letters.next(), letters.next()) {
        (Some(letter), None) => Ok(letter),
        _ => Err(FrameError::Type(format!("the fill character has to be one character, not {text:?}"))),
    }
}

fn is_plain(pattern: &str) -> bool {
    !pattern.contains(['.', '^', '$', '*', '+', '?', '{', '}', '[', ']', '\\', '|', '(', ')'])
}

fn escape(pattern: &str) -> String {
    let special = |letter: char| !letter.is_alphanumeric() && letter.is_ascii() && letter != ' ';
    pattern.chars().flat_map(|letter| special(letter).then_some('\\').into_iter().chain([letter])).collect()
}
