//! Floats as integers, as NumPy has them.

/// A float as an integer: what is after the point goes.
///
/// What the integer can't hold is undefined in C, and in NumPy what processors of x86-64 make of it. Here it is that on
/// every machine: conversions to 32 and 64 bits give the least signed integer, smaller types and `u32` are the low bits
/// of a wider one, and `u64` is made of two signed halves.
pub trait Truncate<T> {
    /// The integer.
    fn truncate(self) -> T;
}

macro_rules! truncate {
    ($($float:ty: $below_i32:expr),*) => {$(
        impl Truncate<i32> for $float {
            #[inline(always)]
            fn truncate(self) -> i32 {
                if self > $below_i32 && self < 2_147_483_648.0 { self as i32 } else { i32::MIN }
            }
        }
        impl Truncate<i64> for $float {
            #[inline(always)]
            fn truncate(self) -> i64 {
                let held = (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&self);
                if held { self as i64 } else { i64::MIN }
            }
        }
        impl Truncate<u64> for $float {
            #[inline(always)]
            fn truncate(self) -> u64 {
                const HALF: $float = 9_223_372_036_854_775_808.0;
                if self >= HALF {
                    Truncate::<i64>::truncate(self - HALF) as u64 ^ 1 << 63
                } else {
                    Truncate::<i64>::truncate(self) as u64
                }
            }
        }
        impl Truncate<u32> for $float {
            #[inline(always)]
            fn truncate(self) -> u32 {
                Truncate::<i64>::truncate(self) as u32
            }
        }
        truncate!(@small $float: i8 i16 u8 u16);
    )*};
    (@small $float:ty: $($small:ty)*) => {$(
        impl Truncate<$small> for $float {
            #[inline(always)]
            fn truncate(self) -> $small {
                Truncate::<i32>::truncate(self) as $small
            }
        }
    )*};
}
// The nearest float to -2147483649 of single precision is -2147483648 itself, which i32 holds; the one below is not held.
truncate!(f32: -2_147_483_904.0, f64: -2_147_483_649.0);

#[cfg(test)]
mod tests {
    use super::Truncate;

    fn all<T>(numbers: [f64; 8]) -> [T; 8]
    where
        f64: Truncate<T>,
        f32: Truncate<T>,
        T: PartialEq + std::fmt::Debug + Copy,
    {
        let found = numbers.map(Truncate::truncate);
        assert_eq!(numbers.map(|number| (number as f32).truncate())[..6], found[..6]);
        found
    }

    #[test]
    fn what_is_not_held_is_what_numpy_gives_on_x86_64() {
        let numbers = [f64::NAN, f64::INFINITY, -1e30, 70_000.0, -1.5, 255.5, 5e9, 300.7];
        assert_eq!(all::<i8>(numbers), [0, 0, 0, 112, -1, -1, 0, 44]);
        assert_eq!(all::<u8>(numbers), [0, 0, 0, 112, 255, 255, 0, 44]);
        assert_eq!(all::<i16>(numbers), [0, 0, 0, 4464, -1, 255, 0, 300]);
        assert_eq!(all::<i32>(numbers), [i32::MIN, i32::MIN, i32::MIN, 70_000, -1, 255, i32::MIN, 300]);
        assert_eq!(all::<i64>(numbers), [i64::MIN, i64::MIN, i64::MIN, 70_000, -1, 255, 5_000_000_000, 300]);
        assert_eq!(all::<u32>(numbers), [0, 0, 0, 70_000, u32::MAX, 255, 705_032_704, 300]);
        assert_eq!(all::<u64>(numbers), [1 << 63, 0, 1 << 63, 70_000, u64::MAX, 255, 5_000_000_000, 300]);
        assert_eq!(Truncate::<i32>::truncate(-2_147_483_648.0_f32), i32::MIN);
        assert_eq!(Truncate::<i32>::truncate(-2_147_483_648.5_f64), i32::MIN);
        assert_eq!(Truncate::<u64>::truncate(1e19), 10_000_000_000_000_000_000);
    }
}
