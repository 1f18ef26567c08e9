use super::*;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn random_numbers_do_not_depend_on_how_they_are_cut(
        start in 0..2000_u64,
        length in 1..1500_usize,
        step in 1..4_i64,
    ) {
        for distribution in [
            Distribution::Uniform { low: -1.0, high: 2.0 },
            Distribution::Normal { loc: 1.0, scale: 2.0 },
            Distribution::Gamma { shape: 0.5, scale: 1.0 },
            Distribution::Exponential { scale: 1.0 },
            Distribution::Zipf { a: 2.0 },
            Distribution::VonMises { mu: 0.5, kappa: 2.0 },
            Distribution::Hypergeometric { ngood: 30, nbad: 20, nsample: 25 },
        ] {
            let index = Affine::c_order(&[11_000]);
            let whole = elements::<f64>(&random(distribution, index.clone(), DType::F64, &Region::whole(&[11_000])));
            let region = Region::new(&[length], &[start]);
            let part = elements::<f64>(&random(distribution, index.sliced(0, 7, step), DType::F64, &region));
            for (at, found) in part.iter().enumerate() {
                prop_assert_eq!(*found, whole[7 + (start as usize + at) * step as usize]);
            }
        }
    }

    #[test]
    fn random_numbers_do_not_depend_on_the_order_of_axes(
        shape in proptest::array::uniform3(1..150_usize),
        order in Just(vec![0, 1, 2]).prop_shuffle(),
        backwards in proptest::array::uniform3(any::<bool>()),
        origin in proptest::array::uniform3(0..40_u64),
        is_wide in any::<bool>(),
        is_normal in any::<bool>(),
    ) {
        let distribution = match is_normal {
            true => Distribution::Normal { loc: 1.0, scale: 2.0 },
            false => Distribution::Integers { low: -9, span: 1_000_000 },
        };
        let lengths: Vec<u64> = shape.iter().zip(origin).map(|(&length, origin)| length as u64 + origin).collect();
        let whole: usize = lengths.iter().product::<u64>() as usize;
        prop_assume!(whole < 400_000);
        let dtype = if is_wide { DType::F64 } else { DType::I32 };
        let values = |chunk: &Chunk| match is_wide {
            true => elements::<f64>(chunk),
            false => elements::<i32>(chunk).into_iter().map(f64::from).collect(),
        };
        let natural = Affine::c_order(&lengths);
        let flat = Affine::c_order(&[whole as u64]);
        let all = values(&random(distribution, flat, dtype, &Region::whole(&[whole])));
        let mut index = natural;
        for axis in (0..3).filter(|&axis| backwards[axis]) {
            index = index.sliced(axis, lengths[axis] as i64 - 1, -1);
        }
        let index = index.permuted(&order);
        let region = Region::new(&shape, &origin).permuted(&order);
        let found = values(&random(distribution, index.clone(), dtype, &region));
        for (at, value) in found.iter().enumerate() {
            let (rows, columns) = (region.shape[1], region.shape[2]);
            let coordinate = [at / columns / rows, at / columns % rows, at % columns].map(|at| at as u64);
            let global: Vec<u64> = coordinate.iter().zip(&region.origin).map(|(at, origin)| at + origin).collect();
            prop_assert_eq!(*value, all[index.at(&global) as usize]);
        }
    }
}

fn random(distribution: Distribution, index: Affine, dtype: DType, region: &Region) -> Chunk {
    let mut builder = ProgramBuilder::new();
    let generator = Generator::Random(Random { seed: 1, stream: 2, distribution });
    let source = builder.source(Source { generator, dtype, index });
    evaluate(&builder.finish(&[source]), region, &[], &CancelToken::default()).unwrap()
}

#[test]
fn sources_know_where_they_are() {
    let make = |generator: Generator, dtype: DType, index: Affine, region: &Region| {
        let mut builder = ProgramBuilder::new();
        let source = builder.source(Source { generator, dtype, index });
        evaluate(&builder.finish(&[source]), region, &[], &CancelToken::default()).unwrap()
    };
    let eye = make(Generator::Eye, DType::F64, Affine::diagonal(1), &Region::new(&[2, 3], &[1, 1]));
    assert_eq!(elements::<f64>(&eye), [0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
    let lower = make(Generator::Triangle, DType::I32, Affine::diagonal(0), &Region::new(&[2, 3], &[1, 1]));
    assert_eq!(elements::<i32>(&lower), [1, 0, 0, 1, 1, 0]);
    let (start, step) = (Scalar::Float(0.1), Scalar::Float(0.3));
    let line = Generator::Linear { start, step, end: Some((4, Scalar::Float(9.0))) };
    let found = make(line, DType::F64, Affine::c_order(&[5]), &Region::new(&[3], &[2]));
    assert_eq!(elements::<f64>(&found), [0.1 + 0.3 * 2.0, 0.1 + 0.3 * 3.0, 9.0]);
    let count = Generator::Linear { start: Scalar::Int(250), step: Scalar::Int(3), end: None };
    let found = make(count, DType::U8, Affine::c_order(&[4]), &Region::whole(&[4]));
    assert_eq!(elements::<u8>(&found), [250, 253, 0, 3]);
    let ones = make(Generator::Full(Scalar::Int(1)), DType::Bool, Affine::c_order(&[3]), &Region::whole(&[3]));
    assert_eq!(elements::<bool>(&ones), [true; 3]);
}

#[test]
fn distributions_have_their_means_and_variances() {
    use Distribution::*;
    let count = 200_000;
    let float = [
        (Uniform { low: -1.0, high: 3.0 }, 1.0, 16.0 / 12.0),
        (Normal { loc: 2.0, scale: 3.0 }, 2.0, 9.0),
        (Exponential { scale: 2.0 }, 2.0, 4.0),
        (Lognormal { mean: 0.0, sigma: 0.5 }, (0.125_f64).exp(), (0.25_f64.exp() - 1.0) * 0.25_f64.exp()),
        (Laplace { loc: 1.0, scale: 2.0 }, 1.0, 8.0),
        (Logistic { loc: 1.0, scale: 2.0 }, 1.0, 4.0 * std::f64::consts::PI.powi(2) / 3.0),
        (Gumbel { loc: 0.0, scale: 1.0 }, 0.577_215_664_9, std::f64::consts::PI.powi(2) / 6.0),
        (Rayleigh { scale: 1.0 }, (std::f64::consts::PI / 2.0).sqrt(), 2.0 - std::f64::consts::PI / 2.0),
        (Weibull { a: 2.0 }, 0.886_226_925, 0.214_601_836),
        (Pareto { a: 5.0 }, 0.25, 5.0 / 48.0),
        (Power { a: 3.0 }, 0.75, 3.0 / 80.0),
        (Triangular { left: 0.0, mode: 1.0, right: 3.0 }, 4.0 / 3.0, 7.0 / 18.0),
        (Gamma { shape: 0.5, scale: 2.0 }, 1.0, 2.0),
        (Gamma { shape: 7.5, scale: 1.0 }, 7.5, 7.5),
        (Beta { a: 0.5, b: 0.7 }, 0.5 / 1.2, 0.35 / (1.44 * 2.2)),
        (Beta { a: 2.0, b: 3.0 }, 0.4, 0.04),
        (Chisquare { df: 3.0 }, 3.0, 6.0),
        (StandardT { df: 8.0 }, 0.0, 8.0 / 6.0),
        (F { dfnum: 5.0, dfden: 12.0 }, 1.2, 1.08),
        (Poisson { lam: 3.0 }, 3.0, 3.0),
        (Poisson { lam: 300.0 }, 300.0, 300.0),
        (Binomial { n: 20, p: 0.1 }, 2.0, 1.8),
        (Binomial { n: 1000, p: 0.7 }, 700.0, 210.0),
        (NegativeBinomial { n: 4.0, p: 0.4 }, 6.0, 15.0),
        (Geometric { p: 0.25 }, 4.0, 12.0),
        (Bernoulli { p: 0.3 }, 0.3, 0.21),
        (Integers { low: -5, span: 11 }, 0.0, 10.0),
        (Wald { mean: 1.0, scale: 2.0 }, 1.0, 0.5),
        (Wald { mean: 30.0, scale: 9000.0 }, 30.0, 3.0),
        (NoncentralChisquare { df: 3.0, nonc: 2.0 }, 5.0, 14.0),
        (NoncentralChisquare { df: 0.5, nonc: 2.0 }, 2.5, 9.0),
        (NoncentralF { dfnum: 6.0, dfden: 20.0, nonc: 0.0 }, 20.0 / 18.0, 2.0 * 400.0 * 24.0 / (6.0 * 324.0 * 16.0)),
        (Logseries { p: 0.5 }, std::f64::consts::LOG2_E, 0.804_021_1),
        (Hypergeometric { ngood: 10, nbad: 10, nsample: 5 }, 2.5, 2.5 * 0.5 * 15.0 / 19.0),
        (Hypergeometric { ngood: 100, nbad: 50, nsample: 40 }, 80.0 / 3.0, 80.0 / 9.0 * 110.0 / 149.0),
        (Hypergeometric { ngood: 50, nbad: 100, nsample: 120 }, 40.0, 80.0 / 3.0 * 30.0 / 149.0),
        (VonMises { mu: 0.0, kappa: 4.0 }, 0.0, 0.288_4),
        (VonMises { mu: 0.0, kappa: 0.0 }, 0.0, std::f64::consts::PI.powi(2) / 3.0),
    ];
    for (distribution, mean, variance) in float {
        let found = random(distribution, Affine::c_order(&[count]), DType::F64, &Region::whole(&[count as usize]));
        let found = elements::<f64>(&found);
        let average = found.iter().sum::<f64>() / count as f64;
        let spread = found.iter().map(|x| (x - average) * (x - average)).sum::<f64>() / count as f64;
        let error = 5.0 * (variance / count as f64).sqrt();
        assert!((average - mean).abs() < error, "{distribution:?}: mean {average}, not {mean}");
        assert!((spread - variance).abs() < 0.06 * variance, "{distribution:?}: variance {spread}, not {variance}");
    }
}

/// Its moments are too wild to be measured: the shares of the smallest numbers, 1/k² of all.
#[test]
fn zipf_has_its_shares() {
    let count = 100_000;
    let distribution = Distribution::Zipf { a: 2.0 };
    let found = random(distribution, Affine::c_order(&[count]), DType::F64, &Region::whole(&[count as usize]));
    let found = elements::<f64>(&found);
    for k in 1..6 {
        let k = f64::from(k);
        let share = found.iter().filter(|&&x| x == k).count() as f64 / count as f64;
        let expected = 6.0 / (std::f64::consts::PI * k).powi(2);
        assert!((share - expected).abs() < 0.008, "{k}: {share}, not {expected}");
    }
}

#[test]
fn a_distribution_that_there_is_not_is_refused() {
    let mut builder = ProgramBuilder::new();
    let distribution = Distribution::Poisson { lam: f64::NAN };
    let generator = Generator::Random(Random { seed: 1, stream: 2, distribution });
    let source = builder.source(Source { generator, dtype: DType::F64, index: Affine::c_order(&[3]) });
    assert!(run(&builder.finish(&[source]), &[3], &[]).is_err());
}
