use super::{Expression, Operand, digest_of};
use crate::domain::DomainClass::*;
use crate::error::{FrameError, Result};
use crate::literal::Literal;
use polars::prelude::*;

impl Expression {
    /// `series.str.method(*arguments)`, with the arguments in pandas' order and their defaults left out.
    pub(crate) fn text(&self, scope: &Schema, method: &str, arguments: &[Literal]) -> Result<Self> {
        if !matches!(self.domain.class(), Text | Category) {
            let dtype = self.domain.pandas_dtype();
            return Err(FrameError::Type(format!("`.str.{method}` needs strings, and the column is of {dtype}")));
        }
        let x = match self.domain.class() {
            Category => self.expr.clone().cast(DataType::String),
            _ => self.expr.clone(),
        };
        let arguments = Arguments { method, values: arguments };
        let what = format!("str.{method} {:?}", arguments.values);
        if let Some((expr, if_missing)) = predicate(x.clone(), &arguments)? {
            return self.truth(scope, &what, expr, if_missing);
        }
        let expr = match method {
            "len" => x.str().len_chars().cast(DataType::Int64),
            "count" => x.str().count_matches(lit(arguments.text(0)?), false).cast(DataType::Int64),
            "find" => {
                let found = x.clone().str().find_literal(lit(arguments.text(0)?));
                // The engine counts bytes: the characters before are those of the bytes before.
                let before = x.clone().str().split(lit(arguments.text(0)?)).list().first().str().len_chars();
                when(found.is_not_null())
                    .then(before.cast(DataType::Int64))
                    .when(x.is_not_null())
                    .then(lit(-1_i64))
                    .otherwise(lit(NULL))
            }
            _ => transform(x, &arguments)?,
        };
        let missing = self.domain.missing || matches!(method, "get" | "split_get" | "extract");
        Ok(Self::computed(scope, &what, &[&self.operand()], expr)?.missing(missing))
    }

    /// The strings joined with those of another column.
    pub(crate) fn text_with(&self, scope: &Schema, other: &Expression, separator: &str) -> Result<Self> {
        if self.domain.class() != Text || other.domain.class() != Text {
            return Err(FrameError::Type("`.str.cat` needs two columns of strings".into()));
        }
        let expr = concat_str([self.expr.clone(), other.expr.clone()], separator, false);
        let found = Self::computed(scope, "str.cat", &[&self.operand(), &other.operand()], expr)?;
        let digest = digest_of(&["str.cat", separator], &[self.digest, other.digest]);
        Ok(Self { digest, ..found })
    }

    fn truth(&self, scope: &Schema, what: &str, expr: Expr, if_missing: bool) -> Result<Self> {
        let full = if self.domain.missing { expr.clone().fill_null(lit(if_missing)) } else { expr.clone() };
        let mut found = Self::computed(scope, what, &[&Operand::Expression(self.clone())], full)?.missing(false);
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
        u32::try_from(self.int(at)?).map_err(|_| self.unexpected(at, "a length", self.values.get(at)))
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

/// Methods that say yes or no, and what they say of a missing string.
fn predicate(x: Expr, arguments: &Arguments<'_>) -> Result<Option<(Expr, bool)>> {
    let classes = |pattern: &str| Some((x.clone().str().contains(lit(pattern), true), false));
    Ok(match arguments.method {
        "contains" => {
            let (pattern, case, regex) = (arguments.text(0)?, arguments.flag(1, true)?, arguments.flag(3, true)?);
            let literal = !regex || is_plain(pattern);
            let expr = match (case, literal) {
                (true, true) => x.str().contains_literal(lit(pattern)),
                (true, false) => x.str().contains(lit(pattern), true),
                (false, true) => x.str().contains(lit(format!("(?i){}", escape(pattern))), true),
                (false, false) => x.str().contains(lit(format!("(?i){pattern}")), true),
            };
            Some((expr, arguments.flag(2, false)?))
        }
        "match" | "fullmatch" => {
            let flags = if arguments.flag(1, true)? { "" } else { "(?i)" };
            let end = if arguments.method == "fullmatch" { "$" } else { "" };
            let pattern = format!("{flags}^(?:{}){end}", arguments.text(0)?);
            Some((x.str().contains(lit(pattern), true), arguments.flag(2, false)?))
        }
        "startswith" => Some((x.str().starts_with(lit(arguments.text(0)?)), arguments.flag(1, false)?)),
        "endswith" => Some((x.str().ends_with(lit(arguments.text(0)?)), arguments.flag(1, false)?)),
        "isalpha" => classes(r"^\p{L}+$"),
        "isdecimal" => classes(r"^\p{Nd}+$"),
        // Which letters are digits and numbers in Python's sense, no class of the engine's says.
        "isdigit" | "isnumeric" | "isalnum" => return Err(arguments.no_native_form()),
        "isspace" => classes(r"^[\s\x1c-\x1f]+$"),
        "islower" => {
            let letters = x.clone().str().contains(lit(r"\p{Lowercase}"), true);
            Some((letters.and(x.str().contains(lit(r"[\p{Uppercase}\p{Lt}]"), true).not()), false))
        }
        "isupper" => {
            let letters = x.clone().str().contains(lit(r"\p{Uppercase}"), true);
            Some((letters.and(x.str().contains(lit(r"[\p{Lowercase}\p{Lt}]"), true).not()), false))
        }
        _ => None,
    })
}

/// Methods that make strings of strings.
fn transform(x: Expr, arguments: &Arguments<'_>) -> Result<Expr> {
    let strip = |at| -> Result<Expr> {
        Ok(match arguments.values.get(at) {
            None | Some(Literal::Missing) => lit(NULL),
            _ => lit(arguments.text(at)?),
        })
    };
    Ok(match arguments.method {
        "lower" => x.str().to_lowercase(),
        "upper" => x.str().to_uppercase(),
        "capitalize" => {
            let first = x.clone().str().slice(lit(0), lit(1)).str().to_uppercase();
            let rest = x.str().slice(lit(1), lit(NULL)).str().to_lowercase();
            concat_str([first, rest], "", false)
        }
        "strip" => x.str().strip_chars(strip(0)?),
        "lstrip" => x.str().strip_chars_start(strip(0)?),
        "rstrip" => x.str().strip_chars_end(strip(0)?),
        "removeprefix" => x.str().strip_prefix(lit(arguments.text(0)?)),
        "removesuffix" => x.str().strip_suffix(lit(arguments.text(0)?)),
        "replace" => {
            let (pattern, by) = (arguments.text(0)?, arguments.text(1)?);
            let literal = !arguments.flag(3, false)?;
            let by =
                if literal { by.to_string() } else { by.replace('$', "$$").replace(r"\g<", "${").replace('>', "}") };
            match arguments.int_or(2, Some(-1))? {
                Some(count) if count >= 0 => x.str().replace_n(lit(pattern), lit(by), literal, count),
                _ => x.str().replace_all(lit(pattern), lit(by), literal),
            }
        }
        "slice" => {
            let (start, stop) = (arguments.int_or(0, Some(0))?.unwrap_or(0), arguments.int_or(1, None)?);
            if arguments.int_or(2, Some(1))? != Some(1) {
                return Err(FrameError::NotImplemented("`.str.slice` with a step has no native form yet".into()));
            }
            slice(x, start, stop)
        }
        "get" => {
            let at = arguments.int(0)?;
            let found = x.str().slice(lit(at), lit(1));
            when(found.clone().str().len_bytes().gt(lit(0))).then(found).otherwise(lit(NULL))
        }
        "split_get" => {
            let (by, at) = (arguments.text(0)?, arguments.int(1)?);
            x.str().split(lit(by)).list().get(lit(at), true)
        }
        "extract" => x.str().extract(lit(arguments.text(0)?), 1),
        "zfill" => {
            let width = arguments.length(0)?;
            let signed = x.clone().str().contains(lit("^[+-]"), true);
            let sign = x.clone().str().slice(lit(0), lit(1));
            let rest = x.clone().str().slice(lit(1), lit(NULL)).str().pad_start(lit(width.saturating_sub(1)), '0');
            let plain = x.str().pad_start(lit(width), '0');
            when(signed).then(concat_str([sign, rest], "", false)).otherwise(plain)
        }
        "ljust" => x.str().pad_end(lit(arguments.length(0)?), fill(arguments, 1)?),
        "rjust" => x.str().pad_start(lit(arguments.length(0)?), fill(arguments, 1)?),
        "pad" => match arguments.text_or(1, "left")? {
            "left" => x.str().pad_start(lit(arguments.length(0)?), fill(arguments, 2)?),
            "right" => x.str().pad_end(lit(arguments.length(0)?), fill(arguments, 2)?),
            side => {
                return Err(FrameError::NotImplemented(format!("`.str.pad` on side `{side}` has no native form yet")));
            }
        },
        "repeat" => {
            let times = arguments.length(0)? as usize;
            concat_str(vec![x; times.max(1)], "", false)
                .str()
                .slice(lit(0), if times == 0 { lit(0) } else { lit(NULL) })
        }
        method => {
            return Err(FrameError::NotNative(format!("`.str.{method}` has no native form")));
        }
    })
}

/// `text[start:stop]` as Python counts: from the end where negative.
fn slice(x: Expr, start: i64, stop: Option<i64>) -> Expr {
    let length = || x.clone().str().len_chars().cast(DataType::Int64);
    let from_start = |at: i64| match at {
        at if at < 0 => (length() + lit(at)).clip_min(lit(0_i64)),
        at => lit(at),
    };
    match (start, stop) {
        (start, None) => x.clone().str().slice(lit(start), lit(NULL)),
        (start, Some(stop)) if start >= 0 && stop >= 0 => x.clone().str().slice(lit(start), lit((stop - start).max(0))),
        (start, Some(stop)) => {
            let count = (from_start(stop) - from_start(start)).clip_min(lit(0_i64)).cast(DataType::UInt64);
            x.clone().str().slice(from_start(start), count)
        }
    }
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
