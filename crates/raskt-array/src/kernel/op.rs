//! The elementwise operations, by NumPy's names.

macro_rules! operations {
    ($(#[$doc:meta])* $type:ident { $($variant:ident = $name:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
        pub enum $type {
            $(#[doc = concat!("`numpy.", $name, "`.")] $variant,)*
        }

        impl $type {
            /// Every operation, by name.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// NumPy's name.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            /// The operation that NumPy calls `name`.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|op| op.name() == name)
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}

operations! {
    /// An elementwise operation with one operand.
    UnaryOp {
        Absolute = "absolute", Arccos = "arccos", Arccosh = "arccosh", Arcsin = "arcsin", Arcsinh = "arcsinh",
        Arctan = "arctan", Arctanh = "arctanh", Cbrt = "cbrt", Ceil = "ceil", Conjugate = "conjugate", Cos = "cos",
        Cosh = "cosh", Deg2rad = "deg2rad", Exp = "exp", Exp2 = "exp2", Expm1 = "expm1", Fabs = "fabs",
        Floor = "floor", Imag = "imag", Invert = "invert", IsFinite = "isfinite", IsInf = "isinf", IsNan = "isnan",
        Log = "log", Log10 = "log10", Log1p = "log1p", Log2 = "log2", LogicalNot = "logical_not",
        Negative = "negative", Positive = "positive", Rad2deg = "rad2deg", Real = "real",
        Reciprocal = "reciprocal", Rint = "rint", Sign = "sign", SignBit = "signbit", Sin = "sin", Sinh = "sinh",
        Spacing = "spacing", Sqrt = "sqrt", Square = "square", Tan = "tan", Tanh = "tanh", Trunc = "trunc",
    }
}

operations! {
    /// An elementwise operation with two operands.
    BinaryOp {
        Add = "add", Arctan2 = "arctan2", BitwiseAnd = "bitwise_and", BitwiseOr = "bitwise_or",
        BitwiseXor = "bitwise_xor", Copysign = "copysign", Divide = "divide", Equal = "equal",
        FloatPower = "float_power", FloorDivide = "floor_divide", Fmax = "fmax", Fmin = "fmin", Fmod = "fmod",
        Greater = "greater", GreaterEqual = "greater_equal", Heaviside = "heaviside", Hypot = "hypot",
        LeftShift = "left_shift", Less = "less", LessEqual = "less_equal", Logaddexp = "logaddexp",
        Logaddexp2 = "logaddexp2", LogicalAnd = "logical_and", LogicalOr = "logical_or", LogicalXor = "logical_xor",
        Maximum = "maximum", Minimum = "minimum", Multiply = "multiply", Nextafter = "nextafter",
        NotEqual = "not_equal", Power = "power", Remainder = "remainder", RightShift = "right_shift",
        Subtract = "subtract",
    }
}
