//! An array, a dataframe and delayed closures, each computed on the threads of this process.
//!
//!     cargo run --release -p raskt --example three_collections

use raskt::array::{Array, AxisChunks, Chunks, Operand, Reduction, Ufunc, kernel::Distribution};
use raskt::frame::{Aggregation, memory, polars::prelude::df};
use raskt::prelude::*;
use raskt::value::DType;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    arrays()?;
    frames()?;
    closures()?;
    Ok(())
}

/// The mean of x² over a hundred million random numbers, which are never all in memory: one pass, block by block.
fn arrays() -> Result<(), Box<dyn std::error::Error>> {
    let chunks = Chunks::new([AxisChunks::regular(100_000_000, 1_000_000)]);
    let uniform = Distribution::Uniform { low: 0.0, high: 1.0 };
    let x = Array::random(uniform, 7, 0, DType::F64, chunks)?;
    let square = Array::map(Ufunc::from_name("multiply")?, &[Operand::from(&x), Operand::from(&x)])?;
    let mean = square.reduce(Reduction::Mean, &Default::default())?.compute()?;
    println!("mean of x² over 100,000,000 numbers: {:.4}", mean.as_slice::<f64>().ok_or("one f64 was due")?[0]);
    Ok(())
}

fn frames() -> Result<(), Box<dyn std::error::Error>> {
    let flights = memory(vec![df!["carrier" => ["UA", "AA", "UA"], "delay" => [3, -1, 5]]?], &[], &[], None);
    let worst = Aggregation {
        name: "worst".into(),
        column: flights.column("delay")?,
        function: "max".into(),
        options: Default::default(),
    };
    let by_carrier = flights.group(&[flights.column("carrier")?], &[worst], true, true, false)?;
    println!("{}", by_carrier.compute()?);
    let unknown = flights.column("carier").err().ok_or("no column has that name")?;
    println!("a typo is found at once: {unknown}");
    Ok(())
}

fn closures() -> Result<(), Box<dyn std::error::Error>> {
    let parts: Vec<_> = (1..=10_u64).map(|part| delayed(move || part * part)).collect();
    let total = Delayed::gather(&parts, |squares| squares.iter().copied().sum::<u64>());
    println!("the sum of ten squares: {}", total.compute()?);
    Ok(())
}
