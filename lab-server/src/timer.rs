//! A sleep that ends tens of microseconds after its deadline, not a millisecond.
//!
//! Tokio's own timer counts whole milliseconds and rounds up, which makes 5 ms of work last 6.2 ms.
//! Here the deadlines of a thread stand in one ordered queue, and one alarm is set for the earliest.

mod queue;
#[cfg(any(test, not(target_os = "linux")))]
#[cfg_attr(target_os = "linux", allow(dead_code, reason = "on Linux only its tests use it"))]
mod thread;
#[cfg(target_os = "linux")]
mod timerfd;

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

#[cfg(not(target_os = "linux"))]
use thread::{Entry, add};
#[cfg(target_os = "linux")]
use timerfd::{Entry, add};

use crate::clock::monotonic_ns;

/// Completes once `duration` has passed since this call, never earlier.
///
/// Must be polled inside a tokio runtime with I/O enabled; a thread may have only one runtime at a
/// time. Dropping the future removes its deadline at once.
pub fn sleep(duration: Duration) -> Sleep {
    let nanoseconds = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
    sleep_until(monotonic_ns().saturating_add(nanoseconds))
}

/// As [`sleep`], until an instant of `CLOCK_MONOTONIC` in nanoseconds.
pub(crate) fn sleep_until(deadline: u64) -> Sleep {
    Sleep { deadline, entry: None }
}

/// The future of [`sleep`].
#[must_use = "a future does nothing unless awaited"]
pub struct Sleep {
    deadline: u64,
    /// The place in a queue, once polled before the deadline.
    entry: Option<Entry>,
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        // The clock decides, not the wake-up: a wake-up may be somebody else's.
        if monotonic_ns() >= self.deadline {
            self.entry = None;
            return Poll::Ready(());
        }
        let waits = self.entry.as_ref().is_some_and(|entry| entry.refresh(context.waker()));
        if !waits {
            self.entry = Some(add(self.deadline, context.waker().clone()));
        }
        Poll::Pending
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    fn block_on<F: Future>(future: F) -> F::Output {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build();
        runtime.unwrap().block_on(future)
    }

    #[test]
    fn a_sleep_never_ends_early() {
        block_on(async {
            for microseconds in [0, 1, 37, 200, 999, 1_000, 1_001, 2_500] {
                let asked = Duration::from_micros(microseconds);
                let start = Instant::now();
                sleep(asked).await;
                assert!(start.elapsed() >= asked, "{asked:?} ended after {:?}", start.elapsed());
            }
        });
    }

    #[test]
    fn sleeps_end_in_the_order_of_their_deadlines_not_of_their_calls() {
        let (send, receive) = std::sync::mpsc::channel();
        block_on(async {
            let tasks: Vec<_> = [30, 10, 20, 40]
                .map(|milliseconds| {
                    let send = send.clone();
                    tokio::spawn(async move {
                        sleep(Duration::from_millis(milliseconds)).await;
                        send.send(milliseconds).unwrap();
                    })
                })
                .into();
            for task in tasks {
                task.await.unwrap();
            }
        });
        drop(send);
        assert_eq!(receive.iter().collect::<Vec<_>>(), [10, 20, 30, 40]);
    }

    #[test]
    fn a_second_runtime_on_the_same_thread_gets_its_own_alarm() {
        for _ in 0..2 {
            block_on(sleep(Duration::from_millis(1)));
        }
    }

    #[test]
    fn a_dropped_sleep_leaves_no_entry_and_its_neighbours_still_wake() {
        block_on(async {
            let kept = tokio::spawn(sleep(Duration::from_millis(5)));
            for _ in 0..1_000 {
                let mut dropped = Box::pin(sleep(Duration::from_hours(1)));
                assert!(poll_once(dropped.as_mut()).await.is_pending());
            }
            #[cfg(target_os = "linux")]
            assert!(timerfd::waiting_here() <= 1);
            kept.await.unwrap();
        });
    }

    async fn poll_once<F: Future>(mut future: Pin<&mut F>) -> Poll<F::Output> {
        std::future::poll_fn(|context| Poll::Ready(future.as_mut().poll(context))).await
    }
}
