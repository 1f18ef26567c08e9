use super::{AxisChunks, Chunks};
use crate::{ArrayError, Result, error::shape_text};
use raskt_value::DType;

/// Bytes of a block where nobody says otherwise: it fits the caches of a few cores, and its work outweighs its task.
pub const DEFAULT_BLOCK_BYTES: usize = 16 << 20;

/// What a user says about the blocks along one axis.
#[derive(Clone, Debug, PartialEq)]
pub enum ChunkSpec {
    /// `"auto"`: so that a block has about as many bytes as the limit says.
    Auto,
    /// `None`: as it is; a new array has one block there.
    Keep,
    /// `-1`: one block.
    Whole,
    /// Blocks of so many elements.
    Size(usize),
    /// `"8MB"`: so that a block has about so many bytes.
    Bytes(usize),
    /// The lengths of the blocks.
    Lengths(Vec<usize>),
    /// NaN: lengths that only show when the blocks are computed; for the result of a function of blocks.
    Unknown,
}

/// What a user gives for `chunks=`.
#[derive(Clone, Debug, PartialEq)]
pub enum ChunksArg {
    /// The same for every axis.
    Each(ChunkSpec),
    /// One for each axis.
    Axes(Vec<ChunkSpec>),
    /// One for some axes; the others stay as they are.
    Some(Vec<(isize, ChunkSpec)>),
}

/// The chunk grid of an array of `shape` and `dtype` that `arg` asks for.
///
/// `limit` is the number of bytes of a block where `arg` leaves it open; `previous` are the chunks that stay where
/// `arg` says so.
pub fn normalize_chunks(
    arg: &ChunksArg,
    shape: &[usize],
    dtype: DType,
    limit: Option<usize>,
    previous: Option<&Chunks>,
) -> Result<Chunks> {
    let specs = specs_by_axis(arg, shape)?;
    let bytes = specs.iter().filter_map(|spec| if let ChunkSpec::Bytes(bytes) = spec { Some(*bytes) } else { None });
    let limit = bytes.min().or(limit).unwrap_or(DEFAULT_BLOCK_BYTES);
    let mut axes: Vec<Option<AxisChunks>> = vec![];
    for (axis, (spec, &length)) in specs.iter().zip(shape).enumerate() {
        let own = previous.map(|chunks| &chunks.axes()[axis]);
        if let Some(own) = own.filter(|own| !own.is_known()) {
            axes.push(Some(unknown(spec, own)?));
            continue;
        }
        axes.push(match spec {
            ChunkSpec::Auto | ChunkSpec::Bytes(_) => None,
            ChunkSpec::Keep => Some(own.cloned().unwrap_or_else(|| AxisChunks::single(length))),
            ChunkSpec::Whole => Some(AxisChunks::single(length)),
            ChunkSpec::Size(0) if length > 0 => {
                return Err(ArrayError::Chunks(format!(
                    "chunks of 0 elements can't cover axis {axis} of length {length}"
                )));
            }
            ChunkSpec::Size(size) => Some(AxisChunks::regular(length, *size)),
            ChunkSpec::Lengths(lengths) if sum_of(lengths) == Some(length) => Some(AxisChunks::uneven(lengths)),
            ChunkSpec::Lengths(_) => return Err(not_the_sum(&specs, shape)),
            ChunkSpec::Unknown => {
                return Err(ArrayError::Chunks("the lengths of blocks must be numbers, not NaN".into()));
            }
        });
    }
    fill_open_axes(&mut axes, shape, limit / dtype.size());
    let chunks = Chunks::new(axes.into_iter().flatten());
    check_count(&chunks)?;
    Ok(chunks)
}

/// The length of an axis of blocks of such lengths, if any axis is that long.
fn sum_of(lengths: &[usize]) -> Option<usize> {
    lengths.iter().try_fold(0_usize, |sum, length| sum.checked_add(*length))
}

/// An error if there are more blocks than can be told apart.
fn check_count(chunks: &Chunks) -> Result<()> {
    let too_many = |count: &dyn std::fmt::Display| {
        let text = format!("{count} blocks are more than there can be ({} along an axis): make them larger", u32::MAX);
        Err(ArrayError::Chunks(text))
    };
    let mut all = 1_u64;
    for count in chunks.axes().iter().map(AxisChunks::count) {
        if count > u32::MAX as usize {
            return too_many(&count);
        }
        let Some(more) = all.checked_mul(count as u64) else { return too_many(&"over 2**64") };
        all = more;
    }
    Ok(())
}

/// An axis whose lengths aren't known, as it is, if nothing else is asked for.
fn unknown(spec: &ChunkSpec, own: &AxisChunks) -> Result<AxisChunks> {
    match spec {
        ChunkSpec::Keep | ChunkSpec::Unknown => Ok(own.clone()),
        ChunkSpec::Whole if own.blocks() == 1 => Ok(own.clone()),
        _ => Err(ArrayError::Unknown { what: "rechunk".into() }),
    }
}

fn specs_by_axis(arg: &ChunksArg, shape: &[usize]) -> Result<Vec<ChunkSpec>> {
    match arg {
        ChunksArg::Each(spec) => Ok(vec![spec.clone(); shape.len()]),
        ChunksArg::Axes(specs) if specs.len() == shape.len() => Ok(specs.clone()),
        ChunksArg::Axes(specs) => lengths_of_one_axis(specs, shape).ok_or_else(|| {
            let shown = specs_text(specs);
            let shape = shape_text(&shape.iter().map(|&length| Some(length)).collect::<Vec<_>>());
            ArrayError::Chunks(format!(
                "chunks and shape must be of the same length: got chunks={shown}, shape={shape}"
            ))
        }),
        ChunksArg::Some(pairs) => {
            let mut specs = vec![ChunkSpec::Keep; shape.len()];
            for (axis, spec) in pairs {
                specs[crate::layout::axis_of(*axis, shape.len())?] = spec.clone();
            }
            Ok(specs)
        }
    }
}

/// `chunks=(4, 4, 2)` of an array with one axis lists the lengths of its blocks.
fn lengths_of_one_axis(specs: &[ChunkSpec], shape: &[usize]) -> Option<Vec<ChunkSpec>> {
    let sizes = specs.iter().map(|spec| if let ChunkSpec::Size(size) = spec { Some(*size) } else { None });
    let lengths: Option<Vec<usize>> = sizes.collect();
    (shape.len() == 1 && specs.len() > 1).then_some(vec![ChunkSpec::Lengths(lengths?)])
}

/// Gives the axes that are left open one length of block, as large as `elements` in a block allow; an axis that is
/// shorter leaves its share to the others.
fn fill_open_axes(axes: &mut [Option<AxisChunks>], shape: &[usize], elements: usize) {
    loop {
        let taken: usize = axes.iter().flatten().map(|axis| axis.longest().unwrap_or(1).max(1)).product();
        let open: Vec<usize> = (0..axes.len()).filter(|&axis| axes[axis].is_none()).collect();
        if open.is_empty() {
            return;
        }
        let share = (elements.max(1) as f64 / taken as f64).max(1.0).powf(1.0 / open.len() as f64);
        // A hair above, since roots of whole powers come out a hair below.
        let side = ((share * (1.0 + 1e-12)) as usize).max(1);
        let short: Vec<usize> = open.iter().copied().filter(|&axis| shape[axis] <= side).collect();
        for &axis in if short.is_empty() { &open } else { &short } {
            axes[axis] = Some(AxisChunks::regular(shape[axis], side));
        }
    }
}

fn not_the_sum(specs: &[ChunkSpec], shape: &[usize]) -> ArrayError {
    let shape = shape_text(&shape.iter().map(|&length| Some(length)).collect::<Vec<_>>());
    ArrayError::Chunks(format!("chunks do not add up to shape: got chunks={}, shape={shape}", specs_text(specs)))
}

fn specs_text(specs: &[ChunkSpec]) -> String {
    let texts = specs.iter().map(|spec| match spec {
        ChunkSpec::Auto => "'auto'".to_string(),
        ChunkSpec::Keep => "None".to_string(),
        ChunkSpec::Whole => "-1".to_string(),
        ChunkSpec::Unknown => "nan".to_string(),
        ChunkSpec::Size(size) => size.to_string(),
        ChunkSpec::Bytes(bytes) => format!("'{bytes}B'"),
        ChunkSpec::Lengths(lengths) => shape_text(&lengths.iter().map(|&length| Some(length)).collect::<Vec<_>>()),
    });
    let texts: Vec<_> = texts.collect();
    if texts.len() == 1 { format!("({},)", texts[0]) } else { format!("({})", texts.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(arg: ChunksArg, shape: &[usize], limit: usize, expected: &str) {
        let chunks = normalize_chunks(&arg, shape, DType::F64, Some(limit), None);
        let text = chunks.map_or_else(|error| error.to_string(), |chunks| format!("{chunks:?}"));
        assert_eq!(text, expected);
    }

    #[test]
    fn chunks_are_as_they_are_asked_for() {
        use ChunkSpec::*;
        check(ChunksArg::Each(Size(3)), &[7, 2], 1, "((3, 3, 1), (2,))");
        check(ChunksArg::Axes(vec![Whole, Size(1)]), &[7, 2], 1, "((7,), (1, 1))");
        check(ChunksArg::Axes(vec![Size(3), Size(4)]), &[7], 1, "((3, 4),)");
        check(ChunksArg::Axes(vec![Lengths(vec![1, 0, 3])]), &[4], 1, "((1, 0, 3),)");
        check(ChunksArg::Some(vec![(-1, Size(2))]), &[3, 4], 1, "((3,), (2, 2))");
        check(
            ChunksArg::Each(Auto),
            &[100, 100],
            800,
            "((10, 10, 10, 10, 10, 10, ..., 10, 10, 10, 10), (10, 10, 10, 10, 10, 10, ..., 10, 10, 10, 10))"
                .replace("..., 10, 10, 10, 10", "10, 10, 10, 10")
                .as_str(),
        );
        check(ChunksArg::Each(Auto), &[2, 1000], 800, "((2,), (50, 50, 50, 50, 50, 50, ..., 50, 50, 50, 50, 50, 50))");
        check(ChunksArg::Each(Bytes(80)), &[20], 1, "((10, 10),)");
        check(ChunksArg::Each(Auto), &[0, 3], 800, "((0,), (3,))");
        check(ChunksArg::Each(Size(3)), &[], 800, "()");
    }

    #[test]
    fn chunks_that_do_not_fit_are_refused() {
        use ChunkSpec::*;
        check(
            ChunksArg::Axes(vec![Lengths(vec![2, 2])]),
            &[5],
            1,
            "chunks do not add up to shape: got chunks=((2,2),), shape=(5,)",
        );
        check(
            ChunksArg::Axes(vec![Size(2), Whole, Auto]),
            &[5],
            1,
            "chunks and shape must be of the same length: got chunks=(2, -1, 'auto'), shape=(5,)",
        );
        check(ChunksArg::Each(Size(0)), &[5], 1, "chunks of 0 elements can't cover axis 0 of length 5");
        check(ChunksArg::Some(vec![(2, Whole)]), &[5], 1, "axis 2 is out of bounds for array of dimension 1");
    }
}
