//! A cluster in one command: functions, an array and a dataframe on two workers, one of which ends on the way.
//!
//!     cargo run --release -p raskt --example cluster
//!
//! The same against a cluster that is there already, by `raskt scheduler` and programs that are workers and know these functions:
//!
//!     cargo run --release -p raskt --example cluster -- worker tcp://127.0.0.1:8786 &
//!     cargo run --release -p raskt --example cluster -- client tcp://127.0.0.1:8786

use raskt::array::{Array, AxisChunks, Chunks, Operand, Reduction, Ufunc, kernel::Distribution};
use raskt::cluster::{EngineOptions, Worker};
use raskt::frame::{Aggregation, memory, polars::prelude::df};
use raskt::prelude::*;
use raskt::value::DType;

/// How often `points` random points fall into a quarter of a circle; a name stands for the same function on each worker.
const HITS: Function<(u64, u64), u64> = Function::named("hits");
const RATIO: Function<(Vec<u64>, u64), f64> = Function::named("ratio");

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn main() -> Outcome {
    let functions = functions();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["worker", address] => {
            let name = format!("worker-{}", std::process::id());
            println!("{}", Worker::join(address, &name, &functions, None, EngineOptions::default())?.wait());
            Ok(())
        }
        ["client", address] => {
            let client = Client::connect(address)?;
            calls(&client)?;
            arrays(&client)
        }
        _ => local(&functions),
    }
}

/// What the workers know.
pub fn functions() -> Functions {
    Functions::new().with(HITS, hits).with_fallible(RATIO, ratio)
}

/// All of it on a cluster of this process.
pub fn local(functions: &Functions) -> Outcome {
    let mut cluster = LocalCluster::of_workers(2, functions)?;
    let client = cluster.client()?;
    println!("{} workers at {}", client.workers().len(), cluster.address());
    calls(&client)?;
    arrays(&client)?;
    frames(&client)?;
    let before = client.map(HITS, (0..8).map(|seed| (seed, 10_000)))?;
    before.iter().for_each(Future::wait);
    cluster.stop_worker();
    // What it had is made again by the other one.
    let ratio = client.submit(RATIO, (&before, 80_000))?;
    println!("one worker is gone, and π is still about {:.2}", 4.0 * ratio.result()?);
    Ok(())
}

fn hits(seed: u64, points: u64) -> u64 {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    (0..points).filter(|_| random().powi(2) + random().powi(2) < 1.0).count() as u64
}

fn ratio(hits: Vec<u64>, points: u64) -> Result<f64, String> {
    if points == 0 { Err("there are no points".into()) } else { Ok(hits.iter().sum::<u64>() as f64 / points as f64) }
}

/// Sixteen calls at once, and one that reads their results where they are.
fn calls(client: &Client) -> Outcome {
    let hits = client.map(HITS, (0..16).map(|seed| (seed, 100_000)))?;
    let ratio = client.submit(RATIO, (&hits, 1_600_000))?;
    println!("π is about {:.3}", 4.0 * ratio.result()?);
    let failed = client.submit(RATIO, (&hits, 0))?.result().err().ok_or("nothing is divided by no points")?;
    println!("an error says what failed: {failed}");
    Ok(())
}

/// The blocks of `x` stay with the workers; what is made of them goes on there.
fn arrays(client: &Client) -> Outcome {
    let chunks = Chunks::new([AxisChunks::regular(1_000_000, 100_000)]);
    let x = Array::random(Distribution::Uniform { low: 0.0, high: 1.0 }, 7, 0, DType::F64, chunks)?;
    let x = client.persist(&x)?;
    let square = Array::map(Ufunc::from_name("multiply")?, &[Operand::from(&x), Operand::from(&x)])?;
    let mean = client.compute(&square.reduce(Reduction::Mean, &Default::default())?)?.result()?;
    println!("mean of x² over 1,000,000 numbers: {:.3}", mean.as_slice::<f64>().ok_or("one f64 was due")?[0]);
    Ok(())
}

fn frames(client: &Client) -> Outcome {
    let flights = memory(vec![df!["carrier" => ["UA", "AA", "UA"], "delay" => [3, -1, 5]]?], &[], &[], None);
    let worst = Aggregation {
        name: "worst".into(),
        column: flights.column("delay")?,
        function: "max".into(),
        options: Default::default(),
    };
    let by_carrier = flights.group(&[flights.column("carrier")?], &[worst], true, true, false)?;
    println!("{}", client.compute(&by_carrier)?.result()?);
    Ok(())
}
