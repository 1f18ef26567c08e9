//! Angles.

use super::philox::Draws;
use std::f64::consts::{PI, TAU};

/// D. J. Best and N. I. Fisher, *Efficient simulation of the von Mises distribution* (1979); uniform where the angles
/// hardly gather, normal where they lie all but together.
pub(super) fn von_mises(mu: f64, kappa: f64, draws: &mut Draws) -> f64 {
    if kappa < 1e-8 {
        return PI * (2.0 * draws.uniform() - 1.0);
    }
    if kappa > 1e6 {
        let angle = mu + (1.0 / kappa).sqrt() * draws.normal();
        return if angle < -PI {
            angle + TAU
        } else if angle > PI {
            angle - TAU
        } else {
            angle
        };
    }
    let s = if kappa < 1e-5 {
        1.0 / kappa + kappa
    } else {
        let r = 1.0 + (1.0 + 4.0 * kappa * kappa).sqrt();
        let rho = (r - (2.0 * r).sqrt()) / (2.0 * kappa);
        (1.0 + rho * rho) / (2.0 * rho)
    };
    let w = loop {
        let z = (PI * draws.uniform()).cos();
        let w = (1.0 + s * z) / (s + z);
        let y = kappa * (s - w);
        let v = draws.uniform();
        if y * (2.0 - y) - v >= 0.0 || (y / v).ln() + 1.0 - y >= 0.0 {
            break w;
        }
    };
    let angle = if draws.uniform() < 0.5 { mu - w.acos() } else { mu + w.acos() };
    ((angle.abs() + PI) % TAU - PI) * if angle < 0.0 { -1.0 } else { 1.0 }
}
