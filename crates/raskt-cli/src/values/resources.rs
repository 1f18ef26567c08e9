//! Resources that a worker offers: `GPU=1 MEM=2.5`.

use raskt_graph::Resources;
use std::fmt;
use std::str::FromStr;

/// Amounts by name, in thousandths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ResourceList(pub Resources);

/// The most of one.
const MOST: f64 = 1e12;
/// In an amount of one there are so many parts.
const PARTS: f64 = 1000.0;

impl FromStr for ResourceList {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = |part: &str| format!("`{part}` is no resource: give names with amounts, like `GPU=1 MEM=2.5`");
        let parts = text.split([' ', ',']).filter(|part| !part.is_empty());
        let mut resources = Resources::new();
        for part in parts {
            let (name, amount) = part.split_once('=').ok_or_else(|| wrong(part))?;
            let amount = amount.parse::<f64>().ok().filter(|amount| (0.0..=MOST).contains(amount));
            let amount = amount.filter(|_| !name.is_empty()).ok_or_else(|| wrong(part))?;
            if resources.insert(name.into(), (amount * PARTS).round() as u64).is_some() {
                return Err(format!("`{name}` is named twice"));
            }
        }
        Ok(Self(resources))
    }
}

impl fmt::Display for ResourceList {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let each: Vec<_> = self.0.iter().map(|(name, amount)| format!("{name}={}", *amount as f64 / PARTS)).collect();
        formatter.write_str(&each.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resources_are_read_and_written() {
        let list: ResourceList = "GPU=1 MEM=2.5,disk=0".parse().unwrap();
        assert_eq!(list.0.get("MEM"), Some(&2500));
        assert_eq!(list.to_string().parse(), Ok(list));
        for bad in ["GPU", "GPU=", "=1", "GPU=-1", "GPU=x", "GPU=1 GPU=2", "GPU=inf"] {
            assert!(bad.parse::<ResourceList>().is_err(), "{bad}");
        }
    }
}
