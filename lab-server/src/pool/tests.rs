//! Who gets the next permit, polled by hand: no runtime, no time.

use super::*;

/// In use, waiting, served.
fn state(pool: &Pool) -> (u32, u64, u64) {
    let Resource { in_use, waiting, served, .. } = pool.resource();
    (in_use, waiting, served)
}

fn pool(capacity: u32) -> Arc<Pool> {
    Pool::new("test pool", capacity.try_into().unwrap())
}

fn poll(acquire: &mut Acquire) -> Option<Permit> {
    match Pin::new(acquire).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(permit) => Some(permit),
        Poll::Pending => None,
    }
}

fn held(pool: &Arc<Pool>) -> Permit {
    poll(&mut pool.acquire()).expect("a permit is free")
}

#[test]
fn permits_go_out_in_the_order_of_the_calls_whoever_polls_first() {
    let pool = pool(2);
    let holders = [held(&pool), held(&pool)];
    let mut line: Vec<_> = (0..3).map(|_| pool.acquire()).collect();
    assert!(line.iter_mut().rev().all(|acquire| poll(acquire).is_none()));
    assert_eq!(state(&pool), (2, 3, 0));

    let [first, second] = holders;
    first.served();
    assert!(poll(&mut line[2]).is_none());
    assert!(poll(&mut line[1]).is_none());
    let third = poll(&mut line[0]).expect("first in line");
    second.served();
    assert!(poll(&mut line[2]).is_none());
    let fourth = poll(&mut line[1]).expect("second in line");
    assert_eq!(state(&pool), (2, 1, 2));

    drop((third, fourth));
    assert_eq!(state(&pool), (1, 0, 2), "the last in line holds one without having looked");
}

#[test]
fn a_newcomer_cannot_overtake_a_permit_on_its_way_to_the_line() {
    let pool = pool(1);
    let holder = held(&pool);
    let mut waiting = pool.acquire();
    holder.served();
    let mut newcomer = pool.acquire();
    assert!(poll(&mut newcomer).is_none());
    assert!(poll(&mut waiting).is_some());
}

#[test]
fn one_who_leaves_the_line_frees_nothing() {
    let pool = pool(1);
    let holder = held(&pool);
    let leaver = pool.acquire();
    let mut next = pool.acquire();
    drop(leaver);
    assert_eq!(state(&pool), (1, 1, 0));
    assert!(poll(&mut next).is_none());
    holder.served();
    assert!(poll(&mut next).is_some());
    assert_eq!(state(&pool), (0, 0, 1));
}

#[test]
fn one_who_leaves_with_a_permit_it_never_looked_at_passes_it_on() {
    let pool = pool(1);
    let holder = held(&pool);
    let leaver = pool.acquire();
    let mut next = pool.acquire();
    holder.served();
    drop(leaver);
    let permit = poll(&mut next).expect("passed on");
    assert_eq!(state(&pool), (1, 0, 1));
    drop(permit);
    drop(pool.acquire());
    assert_eq!(state(&pool), (0, 0, 1), "what was abandoned was not served");
}

#[test]
fn the_waker_of_the_last_poll_is_woken() {
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::task::Wake;

    #[derive(Default)]
    struct Woken(AtomicU32);
    impl Wake for Woken {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    let pool = pool(1);
    let holder = held(&pool);
    let mut waiting = pool.acquire();
    let wakers: [Arc<Woken>; 2] = Default::default();
    for woken in &wakers {
        let waker = Waker::from(Arc::clone(woken));
        assert!(Pin::new(&mut waiting).poll(&mut Context::from_waker(&waker)).is_pending());
    }
    holder.served();
    assert_eq!(wakers.map(|woken| woken.0.load(Ordering::Relaxed)), [0, 1]);
}

#[test]
fn a_reset_keeps_who_holds_and_who_waits() {
    let pool = pool(1);
    held(&pool).served();
    let holder = held(&pool);
    let waiting = pool.acquire();
    pool.reset();
    assert_eq!(state(&pool), (1, 1, 0));
    drop((holder, waiting));
    assert_eq!(state(&pool), (0, 0, 0));
}
