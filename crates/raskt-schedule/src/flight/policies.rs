//! The settings of a scheduler and its policies as bytes.

use super::codec::{Decoder, Encoder};
use crate::flight::error::FlightError;
use crate::policy::{Placement, Policy};
use crate::settings::Settings;
use std::sync::Arc;

pub(super) fn encode(settings: &Settings, placement: &Arc<dyn Placement>, to: &mut Encoder) {
    let Settings { credit_nanoseconds, deaths, heeds_requirements, order, admission, rebalance } = settings;
    to.number(*credit_nanoseconds);
    to.number(u64::from(*deaths));
    to.flag(*heeds_requirements);
    encode_policy(order, to);
    encode_policy(admission, to);
    encode_policy(rebalance, to);
    encode_policy(placement, to);
}

/// Reads what [`encode`] wrote. A placement that `own` doesn't know is one of this crate's, or unknown.
pub(super) fn decode(
    from: &mut Decoder,
    own: impl Fn(&str, &[u64]) -> Option<Arc<dyn Placement>>,
) -> Result<(Settings, Arc<dyn Placement>), FlightError> {
    let settings = Settings {
        credit_nanoseconds: from.number()?,
        deaths: from.word()?,
        heeds_requirements: from.flag()?,
        order: decode_policy(from, Policy::named)?,
        admission: decode_policy(from, Policy::named)?,
        rebalance: decode_policy(from, Policy::named)?,
    };
    let placement = decode_policy(from, |name, numbers| own(name, numbers).or_else(|| Policy::named(name, numbers)))?;
    Ok((settings, placement))
}

fn encode_policy(policy: &impl Policy, to: &mut Encoder) {
    to.text(policy.name());
    to.list(policy.numbers().into_iter(), |to, number| to.number(number));
}

fn decode_policy<P: Policy>(from: &mut Decoder, named: impl Fn(&str, &[u64]) -> Option<P>) -> Result<P, FlightError> {
    let name = from.text()?;
    let numbers: Vec<u64> = from.list(|from| from.number())?;
    let unknown = || FlightError::UnknownPolicy { kind: P::KIND, name: name.clone(), numbers: numbers.len() };
    named(&name, &numbers).ok_or_else(unknown)
}
