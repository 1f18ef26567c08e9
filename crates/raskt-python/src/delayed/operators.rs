//! The binary operators of delayed objects.
#![expect(unsafe_op_in_unsafe_fn, reason = "code that pyo3 generates, which a macro of ours makes look like our own")]

use super::Delayed;
use pyo3::prelude::*;

macro_rules! operators {
    ($($method:ident $reflected:ident $name:literal;)*) => {
        #[pymethods]
        impl Delayed {
            $(
                fn $method(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Self> {
                    self.operator(py, $name, &[other])
                }
                fn $reflected(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Self> {
                    self.reflected(py, $name, other)
                }
            )*
        }
    };
}

operators! {
    __add__ __radd__ "add";
    __sub__ __rsub__ "sub";
    __mul__ __rmul__ "mul";
    __truediv__ __rtruediv__ "truediv";
    __floordiv__ __rfloordiv__ "floordiv";
    __mod__ __rmod__ "mod";
    __matmul__ __rmatmul__ "matmul";
    __and__ __rand__ "and_";
    __or__ __ror__ "or_";
    __xor__ __rxor__ "xor";
    __lshift__ __rlshift__ "lshift";
    __rshift__ __rrshift__ "rshift";
}
