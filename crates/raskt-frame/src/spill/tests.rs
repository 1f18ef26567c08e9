use super::*;
use proptest::prelude::*;

/// Through bytes and back, here and by somebody who knows nothing of them.
fn through(frame: &DataFrame) -> DataFrame {
    let there = FrameTable::from_ipc(&stream(frame)).unwrap().frame;
    let here = unshared(frame).unwrap();
    assert_eq!(bits(&here), bits(&there));
    here
}

fn stream(frame: &DataFrame) -> Buffer {
    write::together(&FrameTable::from(frame.clone()).to_ipc().unwrap())
}

/// The bits of all columns, types and names included: equality of columns takes any NaN for any other.
fn bits(frame: &DataFrame) -> String {
    let mut text = format!("{:?} {}", frame.schema(), frame.height());
    for column in frame.columns() {
        let column = column.as_materialized_series();
        let column = match column.dtype() {
            DataType::Float64 => {
                let bits = column.f64().unwrap().iter().map(|value| value.map(f64::to_bits));
                Series::new(column.name().clone(), bits.collect::<Vec<_>>())
            }
            DataType::Float32 => {
                let bits = column.f32().unwrap().iter().map(|value| value.map(f32::to_bits));
                Series::new(column.name().clone(), bits.collect::<Vec<_>>())
            }
            // Their numbers and their words: how many words there are is everybody's, also of tests beside this one.
            DataType::Categorical(..) => {
                text += &format!("\n{:?}", column.to_physical_repr().iter().collect::<Vec<_>>());
                column.cast(&DataType::String).unwrap()
            }
            _ => column.clone(),
        };
        text += &format!("\n{:?}", column.iter().collect::<Vec<_>>());
    }
    text
}

fn check(frame: &DataFrame) {
    let found = through(frame);
    assert_eq!(bits(&found), bits(frame));
    // What came back goes again.
    assert_eq!(bits(&through(&found)), bits(frame));
}

fn zoned(name: &str) -> Series {
    let zone = TimeZone::opt_try_new(Some("Europe/Oslo")).unwrap();
    let dtype = DataType::Datetime(TimeUnit::Nanoseconds, zone);
    Series::new(name.into(), [Some(0_i64), None, Some(1_700_000_000_000_000_000)]).cast(&dtype).unwrap()
}

/// A column of three rows of each type.
fn all_types() -> DataFrame {
    let text = Series::new("text".into(), [Some("short"), None, Some("much longer than a view has room for")]);
    let numbers = Series::new("numbers".into(), [Some(1_i64), None, Some(-3)]);
    let cast = |name: &str, from: &Series, dtype: DataType| from.cast(&dtype).unwrap().with_name(name.into());
    let lists = Series::new("lists".into(), [numbers.slice(0, 2), numbers.slice(2, 0), numbers.clone()]);
    let texts = Series::new("texts".into(), [text.clone(), text.slice(1, 1), text.slice(0, 0)]);
    let mut columns: Vec<Column> = vec![
        Series::new("bools".into(), [Some(true), None, Some(false)]).into(),
        Series::new("floats".into(), [Some(f64::from_bits(0x7ff8_0000_dead_beef)), None, Some(-0.0)]).into(),
        Series::new("halves".into(), [1.5_f32, f32::from_bits(0x7fc0_1234), -0.0]).into(),
        cast("days", &numbers, DataType::Date).into(),
        cast("times", &numbers.abs(), DataType::Time).into(),
        cast("durations", &numbers, DataType::Duration(TimeUnit::Microseconds)).into(),
        cast("decimals", &numbers, DataType::Decimal(20, 2)).into(),
        cast("bytes", &text, DataType::Binary).into(),
        cast("categories", &text, DataType::from_categories(Categories::global())).into(),
        cast("small", &numbers, DataType::Int8).into(),
        zoned("zoned").into(),
        Series::new_null("nothing".into(), 3).into(),
        Column::new_scalar("scalar".into(), Scalar::from(7_i32), 3),
        texts.into(),
        lists.into(),
    ];
    let fields = DataFrame::new(3, vec![text.clone().into(), numbers.clone().into()]).unwrap();
    columns.push(fields.into_struct("fields".into()).into_series().into());
    columns.extend([text.into(), numbers.into()]);
    DataFrame::new(3, columns).unwrap()
}

trait Abs {
    fn abs(&self) -> Self;
}

impl Abs for Series {
    fn abs(&self) -> Self {
        self.i64().unwrap().apply(|value| value.map(i64::abs)).into_series()
    }
}

#[test]
fn every_type_comes_back_bit_by_bit() {
    let frame = all_types();
    check(&frame);
    check(&frame.slice(1, 1));
    check(&frame.slice(1, 2));
    check(&frame.slice(2, 0));
    let mut twice = frame.clone();
    twice.vstack_mut(&frame.slice(1, 2)).unwrap();
    check(&twice);
}

/// Files say of some fixed-point numbers that they have more digits than fit.
#[test]
fn fixed_point_numbers_of_many_digits_are_written() {
    let wide = DataType::Decimal(50, 2);
    let chunk = Series::new("a".into(), [1_i128, -250]).chunks()[0].clone();
    // SAFETY: the engine stores such numbers in 128 bits, whatever is said of them.
    let column = unsafe { Series::from_chunks_and_dtype_unchecked("a".into(), vec![chunk], &wide) };
    let frame = DataFrame::new(2, vec![column.into()]).unwrap();
    assert_eq!(FrameTable::from_ipc(&stream(&frame)).unwrap().frame.columns()[0].dtype(), &wide);
}

#[test]
fn tables_without_columns_or_rows_keep_their_shape() {
    check(&DataFrame::empty());
    check(&DataFrame::empty_with_height(5));
    assert_eq!(through(&DataFrame::empty_with_height(5)).height(), 5);
}

#[test]
fn what_is_known_of_the_order_stays() {
    let mut column = Series::new("a".into(), [1_i64, 2, 3]);
    column.set_sorted_flag(IsSorted::Ascending);
    let found = through(&DataFrame::new(3, vec![column.into()]).unwrap());
    assert_eq!(found.columns()[0].as_materialized_series().is_sorted_flag(), IsSorted::Ascending);
}

#[test]
fn a_copy_shares_no_memory() {
    let frame = DataFrame::new(1000, vec![Series::new("a".into(), (0..1000_i64).collect::<Vec<_>>()).into()]).unwrap();
    let slice = frame.slice(500, 10);
    let address = |frame: &DataFrame| frame.columns()[0].i64().unwrap().cont_slice().unwrap().as_ptr() as usize;
    assert_eq!(address(&slice), address(&frame) + 500 * 8);
    assert_ne!(address(&unshared(&slice).unwrap()), address(&slice));
}

#[test]
fn texts_are_counted_with_their_views() {
    let short = DataFrame::new(1000, vec![Series::new("a".into(), vec!["ab"; 1000]).into()]).unwrap();
    assert!((16_000..17_000).contains(&bytes(&short)), "{}", bytes(&short));
    let long = "x".repeat(100);
    let long = DataFrame::new(1000, vec![Series::new("a".into(), vec![long.as_str(); 1000]).into()]).unwrap();
    assert!(bytes(&long) >= 16_000);
    assert!(bytes(&long.slice(0, 10)) <= 10 * 116);
}

#[test]
fn a_slice_of_many_texts_is_written_without_the_others() {
    let texts: Vec<String> = (0..10_000).map(|at| format!("a text of some length, number {at}")).collect();
    let frame = DataFrame::new(10_000, vec![Series::new("a".into(), texts).into()]).unwrap();
    let part = frame.slice(500, 10);
    assert!(stream(&part).len() < 4096);
    check(&part);
}

#[test]
fn bytes_of_another_length_are_refused() {
    let frame = all_types();
    let (pieces, columns) = write::stream(&frame, None).unwrap();
    let whole = write::together(&pieces);
    let decoder = TableDecoder { columns, facts: None };
    for length in [0, 64, whole.len() / 2, whole.len() - 1] {
        let error = decoder.decode(whole.part(0, length).unwrap()).expect_err("it is too short");
        assert_eq!(error.kind, ErrorKind::Lost);
        assert!(FrameTable::from_ipc(&whole.part(0, length).unwrap()).is_err());
    }
}

/// Large buffers leave as they are, and what is read lies where it was read.
#[test]
fn no_large_buffer_is_copied_on_either_way() {
    let frame = DataFrame::new(9000, vec![Series::new("a".into(), (0..9000_i64).collect::<Vec<_>>()).into()]).unwrap();
    let address = |frame: &DataFrame| frame.columns()[0].i64().unwrap().cont_slice().unwrap().as_ptr();
    let pieces = FrameTable::from(frame.clone()).to_ipc().unwrap();
    assert!(pieces.iter().any(|piece| piece.as_ptr() == address(&frame).cast()));
    let bytes = write::together(&pieces);
    let found = FrameTable::from_ipc(&bytes).unwrap().frame;
    let at = address(&found) as usize - bytes.as_ptr() as usize;
    assert!(at < bytes.len() && at.is_multiple_of(64));
}

/// Bytes that begin anywhere are read all the same.
#[test]
fn what_lies_askew_is_copied() {
    let frame = all_types();
    let whole = stream(&frame);
    let shifted = write::together(&[Buffer::from_vec(vec![0_u8; 3]), whole.clone()]).part(3, whole.len()).unwrap();
    assert_eq!(bits(&FrameTable::from_ipc(&shifted).unwrap().frame), bits(&frame));
}

#[test]
fn what_is_known_of_values_comes_along() {
    let table = FrameTable::looked_at(all_types());
    let found = FrameTable::from_ipc(&write::together(&table.to_ipc().unwrap())).unwrap();
    assert_eq!(format!("{:?}", found.facts()), format!("{:?}", table.facts()));
    assert!(FrameTable::from_ipc(&stream(&all_types())).unwrap().facts().is_none());
    let value = Value::from(table.clone());
    let Encoded { pieces, decoder } = TableCodec.encode(&value).unwrap();
    let found = decoder.decode(write::together(&pieces)).unwrap();
    assert!(Arc::ptr_eq(FrameTable::of(&found).unwrap().facts().unwrap(), table.facts().unwrap()));
}

/// Categories are told by their words where codes may stand for others.
#[test]
fn codes_stand_for_their_words_elsewhere() {
    let categories =
        |name: &str| DataType::from_categories(Categories::new(name.into(), "".into(), CategoricalPhysical::U32));
    let words = Series::new("c".into(), [Some("a"), None, Some("b"), Some("a")]);
    let column = words.cast(&categories("spill test")).unwrap();
    let lists = Series::new("l".into(), [column.clone(), column.slice(2, 1)]);
    let fixed = FrozenCategories::new(["b", "a"]).unwrap();
    let fixed = words.slice(0, 2).cast(&DataType::from_frozen_categories(fixed)).unwrap();
    let frame = DataFrame::new(2, vec![lists.into(), fixed.into()]).unwrap();
    let (pieces, columns) = write::stream(&frame, None).unwrap();
    let bytes = write::together(&pieces);
    // As another process would have it, in which other words came first.
    let other = categories("of another process");
    other.cat_mapping().unwrap().insert_cat("b").unwrap();
    let dtypes = [DataType::List(Box::new(other)), columns[1].dtype.clone()];
    let columns: Vec<KnownColumn> =
        columns.into_iter().zip(dtypes).map(|(column, dtype)| KnownColumn { dtype, ..column }).collect();
    let found = read::table(&columns, &bytes, read::Trust::Nothing).unwrap();
    let texts = |frame: &DataFrame| {
        let words = frame.columns()[0].explode(ExplodeOptions { empty_as_null: true, keep_nulls: true }).unwrap();
        let words = [words, frame.columns()[1].clone()].map(|words| words.cast(&DataType::String).unwrap());
        words.map(|words| words.str().unwrap().iter().map(|word| word.map(str::to_owned)).collect::<Vec<_>>())
    };
    assert_eq!(texts(&found), texts(&frame));
    let codes = found.columns()[0].as_materialized_series().list().unwrap().get_inner().to_physical_repr().into_owned();
    assert_eq!(codes.u32().unwrap().iter().flatten().next(), Some(1), "`b` came first there");
}

fn cases() -> u32 {
    std::env::var("RASKT_BYTES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(1000)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), ..ProptestConfig::default() })]

    /// Cut, changed and made up: there is an error or a table, and never a panic.
    #[test]
    fn bytes_that_are_no_table_are_refused(
        is_cut in any::<bool>(), cut in any::<prop::sample::Index>(), early in any::<bool>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..5),
    ) {
        thread_local!(static BYTES: Vec<u8> = message::slice_of(&stream(&all_types())).to_vec());
        let mut bytes = BYTES.with(Clone::clone);
        // What describes the table comes first.
        let within = if early { bytes.len() / 2 } else { bytes.len() };
        changes.iter().for_each(|(at, byte)| bytes[at.index(within)] = *byte);
        if is_cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        if let Ok(table) = FrameTable::from_ipc(&write::together(&[Buffer::from_vec(bytes)])) {
            prop_assert!(table.frame.height() <= 1 << 48);
            // Whatever it is, it can be looked at.
            prop_assert!(!bits(&table.frame.head(Some(3))).is_empty());
        }
    }
}

fn column(rows: usize) -> impl Strategy<Value = Series> {
    let missing = |rows| prop::collection::vec(any::<bool>(), rows);
    let with = |name: &str| PlSmallStr::from_str(name);
    prop_oneof![
        (prop::collection::vec(any::<u64>(), rows), missing(rows)).prop_map(move |(values, missing)| {
            let values = values.iter().zip(missing).map(|(bits, missing)| (!missing).then(|| f64::from_bits(*bits)));
            Series::new(with("f"), values.collect::<Vec<_>>())
        }),
        (prop::collection::vec(".{0,20}", rows), missing(rows)).prop_map(move |(values, missing)| {
            let values = values.iter().zip(missing).map(|(text, missing)| (!missing).then_some(text.as_str()));
            Series::new(with("t"), values.collect::<Vec<_>>())
        }),
        prop::collection::vec(any::<Option<bool>>(), rows).prop_map(move |values| Series::new(with("b"), values)),
        prop::collection::vec(prop::collection::vec(any::<Option<i16>>(), 0..4), rows).prop_map(move |values| {
            let lists: Vec<Series> = values.into_iter().map(|values| Series::new(with(""), values)).collect();
            match lists.is_empty() {
                true => Series::new_empty(with("l"), &DataType::List(Box::new(DataType::Int16))),
                false => Series::new(with("l"), lists),
            }
        }),
    ]
}

proptest! {
    #[test]
    fn any_table_comes_back(
        frame in (0..40_usize).prop_flat_map(|rows| {
            prop::collection::vec(column(rows), 0..5).prop_map(move |columns| {
                let named = columns.into_iter().enumerate().map(|(at, column)| {
                    column.with_name(PlSmallStr::from_string(at.to_string())).into()
                });
                DataFrame::new(rows, named.collect()).unwrap()
            })
        }),
        cut in any::<(prop::sample::Index, prop::sample::Index)>(),
    ) {
        check(&frame);
        let start = cut.0.index(frame.height() + 1);
        check(&frame.slice(start as i64, cut.1.index(frame.height() - start + 1)));
    }
}
