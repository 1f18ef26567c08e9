//! Depth-first order.

/// The numbers that `roots` need, themselves included, each after all that it reads; or a cycle, if there is one.
///
/// It is the order of a walk in depth: what belongs to the first root comes first, and everything comes as late as it can,
/// shortly before its first reader. So few results are held at a time when tasks run in this order. `reads` gives what a
/// number reads; numbers are below `count`.
pub(super) fn depth_first<'a>(
    count: usize,
    roots: impl IntoIterator<Item = u32>,
    reads: impl Fn(u32) -> &'a [u32],
) -> Result<Vec<u32>, Vec<u32>> {
    let mut marks = vec![Mark::New; count];
    let mut order = vec![];
    // The way from the root: each with how many of its reads were looked at.
    let mut way: Vec<(u32, usize)> = vec![];
    for root in roots {
        if marks[root as usize] == Mark::New {
            marks[root as usize] = Mark::OnTheWay;
            way.push((root, 0));
        }
        while let Some((number, looked_at)) = way.last_mut() {
            let Some(&read) = reads(*number).get(*looked_at) else {
                marks[*number as usize] = Mark::Done;
                order.push(*number);
                way.pop();
                continue;
            };
            *looked_at += 1;
            match marks[read as usize] {
                Mark::New => {
                    marks[read as usize] = Mark::OnTheWay;
                    way.push((read, 0));
                }
                Mark::OnTheWay => return Err(cycle(&way, read)),
                Mark::Done => {}
            }
        }
    }
    Ok(order)
}

/// The same, where of several reads the one with the longest way to its sources is walked first.
///
/// What takes longest to come is what the others would have to wait for in memory.
pub(super) fn deepest_first<'a>(
    count: usize,
    roots: impl IntoIterator<Item = u32> + Clone,
    reads: impl Fn(u32) -> &'a [u32],
) -> Result<Vec<u32>, Vec<u32>> {
    let order = depth_first(count, roots.clone(), &reads)?;
    let levels = levels(count, &order, &reads);
    // The reads of all numbers, one after the other, and where those of each begin.
    let (mut sorted, mut starts): (Vec<u32>, Vec<usize>) = (vec![], vec![0]);
    for number in 0..count as u32 {
        let start = sorted.len();
        sorted.extend(reads(number));
        sorted[start..].sort_by_key(|&read| std::cmp::Reverse(levels[read as usize]));
        starts.push(sorted.len());
    }
    depth_first(count, roots, |number| &sorted[starts[number as usize]..starts[number as usize + 1]])
}

/// For each number the length of the longest way to what reads nothing. `order` has inputs first.
fn levels<'a>(count: usize, order: &[u32], reads: impl Fn(u32) -> &'a [u32]) -> Vec<u32> {
    let mut levels = vec![0; count];
    for &number in order {
        let below = reads(number).iter().map(|&read| levels[read as usize] + 1);
        levels[number as usize] = below.max().unwrap_or(0);
    }
    levels
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    New,
    OnTheWay,
    Done,
}

fn cycle(way: &[(u32, usize)], read: u32) -> Vec<u32> {
    let numbers = way.iter().map(|&(number, _)| number);
    numbers.skip_while(|&number| number != read).chain([read]).collect()
}
