//! Types as they are written down: those that are made of others come before these, so that nothing that is read calls itself
//! for each of them without a bound.

use super::dtype::by_name;
use super::{ColumnDtype, TimeUnit};
use raskt_value::{DType, Kind};
use serde::{Deserialize, Serialize};

/// A type and those that it is made of, one after the other.
#[derive(Serialize, Deserialize)]
pub(super) struct WrittenDtype(Vec<Item>);

/// A type without those that it is made of.
#[derive(Serialize, Deserialize)]
enum Item {
    Null,
    #[serde(with = "by_name")]
    Number(DType),
    Decimal {
        precision: usize,
        scale: usize,
    },
    Text,
    Binary,
    Enumeration(Vec<String>),
    Category {
        name: String,
        namespace: String,
        bytes: u8,
    },
    Date,
    Datetime(TimeUnit, Option<String>),
    Duration(TimeUnit),
    TimeOfDay,
    List,
    Array(usize),
    Struct(Vec<String>),
}

/// Types that are made of others are made of so many, one in another, at most.
const DEPTH: usize = 64;

/// The most digits that files say of fixed-point numbers; 38 of them fit into the numbers themselves.
pub(crate) const DIGITS: usize = 76;

impl From<ColumnDtype> for WrittenDtype {
    fn from(dtype: ColumnDtype) -> Self {
        let (mut items, mut left) = (vec![], vec![dtype]);
        while let Some(next) = left.pop() {
            items.push(match next {
                ColumnDtype::Null => Item::Null,
                ColumnDtype::Number(dtype) => Item::Number(dtype),
                ColumnDtype::Decimal { precision, scale } => Item::Decimal { precision, scale },
                ColumnDtype::Text => Item::Text,
                ColumnDtype::Binary => Item::Binary,
                ColumnDtype::Enumeration(names) => Item::Enumeration(names),
                ColumnDtype::Category { name, namespace, bytes } => Item::Category { name, namespace, bytes },
                ColumnDtype::Date => Item::Date,
                ColumnDtype::Datetime(unit, zone) => Item::Datetime(unit, zone),
                ColumnDtype::Duration(unit) => Item::Duration(unit),
                ColumnDtype::TimeOfDay => Item::TimeOfDay,
                ColumnDtype::List(inner) => {
                    left.push(*inner);
                    Item::List
                }
                ColumnDtype::Array(inner, length) => {
                    left.push(*inner);
                    Item::Array(length)
                }
                ColumnDtype::Struct(fields) => {
                    let (names, dtypes): (Vec<_>, Vec<_>) = fields.into_iter().unzip();
                    left.extend(dtypes.into_iter().rev());
                    Item::Struct(names)
                }
            });
        }
        Self(items)
    }
}

impl TryFrom<WrittenDtype> for ColumnDtype {
    type Error = String;

    fn try_from(written: WrittenDtype) -> Result<Self, String> {
        let mut items = written.0.into_iter();
        let dtype = read(&mut items, DEPTH)?;
        if items.next().is_none() { Ok(dtype) } else { Err("a type is followed by others".into()) }
    }
}

fn read(items: &mut impl Iterator<Item = Item>, depth: usize) -> Result<ColumnDtype, String> {
    let item = items.next().ok_or("a type lacks those that it is made of")?;
    let depth = depth.checked_sub(1).ok_or("a type is made of too many, one in another")?;
    Ok(match item {
        Item::Null => ColumnDtype::Null,
        Item::Number(dtype) if dtype.kind() == Kind::Complex => return Err(format!("no column is of {dtype}")),
        Item::Number(dtype) => ColumnDtype::Number(dtype),
        Item::Decimal { precision, scale } if precision <= DIGITS && scale <= DIGITS => {
            ColumnDtype::Decimal { precision, scale }
        }
        Item::Decimal { precision, scale } => return Err(format!("{scale} of {precision} digits after the point")),
        Item::Text => ColumnDtype::Text,
        Item::Binary => ColumnDtype::Binary,
        Item::Enumeration(names) => ColumnDtype::Enumeration(names),
        Item::Category { name, namespace, bytes } if matches!(bytes, 1 | 2 | 4) => {
            ColumnDtype::Category { name, namespace, bytes }
        }
        Item::Category { bytes, .. } => return Err(format!("codes of {bytes} bytes")),
        Item::Date => ColumnDtype::Date,
        Item::Datetime(unit, zone) => ColumnDtype::Datetime(unit, zone),
        Item::Duration(unit) => ColumnDtype::Duration(unit),
        Item::TimeOfDay => ColumnDtype::TimeOfDay,
        Item::List => ColumnDtype::List(Box::new(read(items, depth)?)),
        Item::Array(length) => ColumnDtype::Array(Box::new(read(items, depth)?), length),
        Item::Struct(names) => {
            let field = |name| Ok((name, read(items, depth)?));
            ColumnDtype::Struct(names.into_iter().map(field).collect::<Result<_, String>>()?)
        }
    })
}
