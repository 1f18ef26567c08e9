//! What libraries are called, and their functions.

use std::ffi::CStr;

/// Libraries whose functions have the same names.
pub(crate) struct Family {
    /// What users call it.
    pub name: &'static str,
    /// Parts of a file's name that say that it is one.
    files: &'static [&'static str],
    /// What is set counts for the thread that sets it, and not for the process.
    pub is_by_thread: bool,
    /// The function that sets the number of threads, and the one that gives it: the first that a library has.
    pub threads: &'static [(&'static CStr, &'static CStr)],
    /// The functions that give a text about it.
    pub texts: &'static [&'static CStr],
    /// What stands before and behind the names of its functions for matrices, and whether these take lengths of 64 bits.
    pub products: &'static [(&'static str, &'static str, bool)],
}

impl Family {
    /// The families that a file may be of, by its name: which one says what functions it has.
    pub fn of(file: &str) -> impl Iterator<Item = &'static Self> {
        FAMILIES.iter().filter(move |family| family.files.iter().any(|part| file.contains(part)))
    }
}

const OPENMP: Family = Family {
    name: "OpenMP",
    files: &["libgomp", "libomp", "libiomp"],
    is_by_thread: true,
    threads: &[(c"omp_set_num_threads", c"omp_get_max_threads")],
    texts: &[],
    products: &[],
};

const FAMILIES: &[Family] = &[
    Family {
        name: "MKL",
        // The others are links, by which it may have been loaded.
        files: &["mkl_rt", "libblas", "libcblas"],
        is_by_thread: false,
        threads: &[(c"MKL_Set_Num_Threads", c"MKL_Get_Max_Threads")],
        texts: &[],
        // Those without a number take what `MKL_INTERFACE_LAYER` says.
        products: &[("cblas_", "_64", true)],
    },
    Family {
        name: "OpenBLAS",
        files: &["openblas", "libblas", "libcblas"],
        is_by_thread: false,
        threads: &[
            (c"scipy_openblas_set_num_threads64_", c"scipy_openblas_get_num_threads64_"),
            (c"scipy_openblas_set_num_threads", c"scipy_openblas_get_num_threads"),
            (c"openblas_set_num_threads64_", c"openblas_get_num_threads64_"),
            (c"openblas_set_num_threads", c"openblas_get_num_threads"),
        ],
        texts: &[
            c"scipy_openblas_get_config64_",
            c"scipy_openblas_get_config",
            c"openblas_get_config64_",
            c"openblas_get_config",
        ],
        products: &[
            ("scipy_cblas_", "64_", true),
            ("scipy_cblas_", "", false),
            ("cblas_", "64_", true),
            // Of 64 bits if the library says so of itself.
            ("cblas_", "", false),
        ],
    },
    Family {
        name: "BLIS",
        files: &["blis", "libblas", "libcblas"],
        is_by_thread: false,
        threads: &[(c"bli_thread_set_num_threads", c"bli_thread_get_num_threads")],
        texts: &[],
        // How many bits its lengths have isn't said.
        products: &[],
    },
    OPENMP,
];

/// What the text of a library of 64 bits has in it, where its functions have the names of those of 32.
pub(crate) const WIDE: &str = "USE64BITINT";

/// What the text of a library has in it whose threads are those of OpenMP. To say how many these are, while somebody computes with it, has it
/// free what he computes in, and says so to one thread alone.
pub(crate) const OF_OPENMP: &str = "USE_OPENMP";

/// Libraries that the machine may have, by the names by which the loader finds them, the best first.
pub(crate) const OF_MACHINES: &[&CStr] = &[c"libmkl_rt.so.2", c"libopenblas.so.0"];
