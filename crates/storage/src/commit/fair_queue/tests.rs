//! Tests of the order in which the queue serves tenants.

use proptest::prelude::*;

use super::*;

const fn user(number: i64) -> Tenant {
    Some(UserId::new(number))
}

const MILLISECOND: Duration = Duration::from_millis(1);

/// Runs groups as a writer does until `count` units of work have run; returns them in order.
fn serve(
    queue: &mut FairQueue<(i64, u32)>,
    count: usize,
    cost: impl Fn(i64) -> Duration,
) -> Vec<(i64, u32)> {
    let mut served = Vec::new();
    while served.len() < count {
        let (mut took, mut left) = (Duration::ZERO, Vec::new());
        let group = queue.take_group();
        if group.is_empty() {
            break;
        }
        for taken in group {
            if took >= GROUP_TIME {
                left.push(taken);
                continue;
            }
            took += cost(taken.job.0);
            queue.charge(taken.charge, cost(taken.job.0));
            served.push(taken.job);
        }
        queue.put_back(left);
    }
    served
}

#[test]
fn light_tenant_waits_for_at_most_one_long_unit() {
    let mut queue = FairQueue::new(4_096);
    let cost = |who| if who == 1 { MILLISECOND * 1_000 } else { MILLISECOND };
    (0..100).for_each(|at| queue.push(user(1), (1, at)).unwrap());
    serve(&mut queue, 1, cost);
    for at in 0..10 {
        queue.push(user(2), (2, at)).unwrap();
        let served = serve(&mut queue, 2, cost);
        let before = served.iter().take_while(|job| job.0 == 1).count();
        assert!(before <= 1, "at most one long unit runs first: {served:?}");
    }
    queue.push(user(2), (2, 10)).unwrap();
    serve(&mut queue, 1, cost);
    queue.push(user(2), (2, 11)).unwrap();
    let groups = [queue.take_group(), queue.take_group()];
    assert!(
        groups.iter().any(|group| group.len() == 1),
        "a long unit of work is alone in its group"
    );
}

#[test]
fn user_may_fill_half_of_the_queue() {
    let mut queue = FairQueue::new(10);
    let pushed = (0..10).filter(|at| queue.push(user(1), (1, *at)).is_ok()).count();
    assert_eq!(pushed, 5);
    (0..5).for_each(|at| queue.push(None, (0, at)).unwrap());
    assert_eq!(queue.push(user(2), (2, 0)), Err((2, 0)), "the queue is full");
    assert_eq!(queue.take_group().len(), 10);
    (0..10).for_each(|at| queue.push(None, (0, at)).unwrap());
    assert_eq!(queue.take_group().len(), 10, "the program has no limit");
    assert!(queue.take_group().is_empty());
}

#[test]
fn idle_tenants_are_dropped() {
    let mut queue = FairQueue::new(4);
    for who in 0..10_000 {
        queue.push(user(who), (who, 0)).unwrap();
        serve(&mut queue, 2, |_| MILLISECOND);
    }
    assert!(queue.tenants.len() <= MAX_IDLE + 2, "{}", queue.tenants.len());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Two tenants that always have queued work get the same time.
    #[test]
    fn busy_tenants_get_equal_time(one in 1_u32..400, other in 1_u32..400) {
        let mut queue = FairQueue::new(10_000);
        for at in 0..2_000 {
            queue.push(user(1), (1, at)).unwrap();
            queue.push(user(2), (2, at)).unwrap();
        }
        let cost = |who| MILLISECOND * if who == 1 { one } else { other };
        let served = serve(&mut queue, 2_000, cost);
        let took = |who| -> Duration {
            served.iter().filter(|job| job.0 == who).map(|job| cost(job.0)).sum()
        };
        let bound = (GROUP_TIME + cost(1) + cost(2)) * 2;
        let difference = took(1).abs_diff(took(2));
        prop_assert!(difference <= bound, "{:?} {:?}", took(1), took(2));
    }

    /// Each unit of work is served once, in the order of its tenant, also after a part of a
    /// group was put back.
    #[test]
    fn each_unit_is_served_once_in_order(
        steps in prop::collection::vec((0_i64..4, 1_u32..300, any::<bool>()), 1..200),
    ) {
        let mut queue = FairQueue::new(1_000);
        let (mut pushed, mut served) = (Vec::new(), Vec::new());
        for (at, (who, took, puts_back)) in (0..).zip(steps) {
            queue.push(user(who), (who, at)).unwrap();
            pushed.push((who, at));
            if at % 3 == 0 {
                let mut group = queue.take_group();
                let rest = group.split_off(group.len() / if puts_back { 2 } else { 1 });
                for Scheduled { job, charge } in group {
                    queue.charge(charge, MILLISECOND * took);
                    served.push(job);
                }
                queue.put_back(rest);
            }
        }
        served.extend(serve(&mut queue, 1_000, |_| MILLISECOND));
        for who in 0..4 {
            let of = |all: &[(i64, u32)]| -> Vec<(i64, u32)> {
                all.iter().filter(|job| job.0 == who).copied().collect()
            };
            prop_assert_eq!(of(&pushed), of(&served));
        }
        prop_assert_eq!(pushed.len(), served.len());
    }
}
