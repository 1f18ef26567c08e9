//! Functions of strings as the engine writes them.

use super::casing::{Casing, cased};
use super::numbers::parsed;
use crate::error::Result;
use crate::tree::{Side, TextFunction};
use polars::prelude::*;

/// What Python takes for white space: more than the engine does.
const WHITE_SPACE: &str = "\t\n\u{b}\u{c}\r\u{1c}\u{1d}\u{1e}\u{1f} \u{85}\u{a0}\u{1680}\u{2000}\u{2001}\u{2002}\u{2003}\u{2004}\u{2005}\u{2006}\u{2007}\u{2008}\u{2009}\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}";

pub(super) fn text(function: &TextFunction, x: Expr) -> Result<Expr> {
    Ok(match function {
        TextFunction::Length => x.str().len_chars().cast(DataType::Int64),
        TextFunction::NotEmpty => x.str().len_bytes().gt(lit(0)),
        TextFunction::Count(pattern) => x.str().count_matches(lit(pattern.as_str()), false).cast(DataType::Int64),
        // Nothing is found at the start of everything.
        TextFunction::Find(text) if text.is_empty() => when(x.is_not_null()).then(lit(0_i64)).otherwise(lit(NULL)),
        TextFunction::Find(text) => {
            let found = x.clone().str().find_literal(lit(text.as_str()));
            // The engine counts bytes: the characters before are those of the bytes before.
            let before = x.clone().str().split(lit(text.as_str())).list().first().str().len_chars();
            when(found.is_not_null())
                .then(before.cast(DataType::Int64))
                .when(x.is_not_null())
                .then(lit(-1_i64))
                .otherwise(lit(NULL))
        }
        TextFunction::Contains { pattern, literal: true } => x.str().contains_literal(lit(pattern.as_str())),
        TextFunction::Contains { pattern, literal: false } => x.str().contains(lit(pattern.as_str()), true),
        TextFunction::StartsWith(text) => x.str().starts_with(lit(text.as_str())),
        TextFunction::EndsWith(text) => x.str().ends_with(lit(text.as_str())),
        TextFunction::Lowercase => cased(x, Casing::Lower),
        TextFunction::Uppercase => cased(x, Casing::Upper),
        TextFunction::Capitalize => cased(x, Casing::Capitalized),
        TextFunction::Strip { side, characters } => {
            let characters = lit(characters.as_deref().unwrap_or(WHITE_SPACE));
            match side {
                Side::Both => x.str().strip_chars(characters),
                Side::Start => x.str().strip_chars_start(characters),
                Side::End => x.str().strip_chars_end(characters),
            }
        }
        TextFunction::RemovePrefix(text) => x.str().strip_prefix(lit(text.as_str())),
        TextFunction::RemoveSuffix(text) => x.str().strip_suffix(lit(text.as_str())),
        TextFunction::Replace { pattern, by, literal, count } => {
            let (pattern, by) = (lit(pattern.as_str()), lit(by.as_str()));
            match count {
                Some(count) => x.str().replace_n(pattern, by, *literal, *count),
                None => x.str().replace_all(pattern, by, *literal),
            }
        }
        TextFunction::Slice { start, stop } => slice(x, *start, *stop),
        TextFunction::Get(at) => {
            let found = x.str().slice(lit(*at), lit(1));
            when(found.clone().str().len_bytes().gt(lit(0))).then(found).otherwise(lit(NULL))
        }
        TextFunction::SplitGet { separator, at } => x.str().split(lit(separator.as_str())).list().get(lit(*at), true),
        TextFunction::Extract(pattern) => x.str().extract(lit(pattern.as_str()), 1),
        TextFunction::FillWithZeros(width) => {
            let signed = x.clone().str().contains(lit("^[+-]"), true);
            let sign = x.clone().str().slice(lit(0), lit(1));
            let rest = x.clone().str().slice(lit(1), lit(NULL)).str().pad_start(lit(width.saturating_sub(1)), '0');
            let plain = x.str().pad_start(lit(*width), '0');
            when(signed).then(concat_str([sign, rest], "", false)).otherwise(plain)
        }
        TextFunction::Pad { side: Side::End, width, fill } => x.str().pad_end(lit(*width), *fill),
        TextFunction::Pad { width, fill, .. } => x.str().pad_start(lit(*width), *fill),
        TextFunction::Repeat(times) => repeated(x, *times),
        TextFunction::ParseNumber(dtype) => parsed(x, *dtype),
        TextFunction::ParseDatetime { unit, zone, format, strict } => {
            let zone = TimeZone::opt_try_new(zone.as_deref())?;
            let format = format.as_deref().map(PlSmallStr::from_str);
            let options = StrptimeOptions { format, strict: *strict, exact: true, cache: true };
            x.str().to_datetime(Some((*unit).into()), zone, options, lit("raise"))
        }
    })
}

/// Each string so many times.
fn repeated(x: Expr, times: usize) -> Expr {
    let repeat = move |values: Column| {
        let texts = values.as_materialized_series().str()?;
        let too_long = |text: &str| text.len().checked_mul(times).is_none_or(|bytes| bytes >= u32::MAX as usize);
        if texts.iter().flatten().any(too_long) {
            polars_bail!(ComputeError: "a string {times} times is longer than 4 GB");
        }
        let found: StringChunked = texts.apply_values(|text| text.repeat(times).into());
        Ok(found.into_column())
    };
    x.map_with_fmt_str(repeat, |_: &Schema, field: &Field| Ok(field.clone()), format!("repeat {times}"))
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
