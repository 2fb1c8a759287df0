//! A precise one-shot timer for one dispatcher: tokio's own rounds up to the next millisecond.

#[cfg(target_os = "linux")]
mod linux;
// Also built for tests, which hold both to the same promises.
#[cfg(any(not(target_os = "linux"), test))]
#[cfg_attr(target_os = "linux", expect(unreachable_pub, reason = "exported elsewhere"))]
mod thread;

#[cfg(target_os = "linux")]
pub use linux::Timer;
#[cfg(not(target_os = "linux"))]
pub use thread::Timer;

#[cfg(test)]
mod tests {
    use super::super::clock::Clock;

    const MS: u64 = 1_000_000;

    /// The same promises for either implementation.
    macro_rules! promises {
        ($name:ident, $timer:path) => {
            mod $name {
                use super::*;
                use $timer as Timer;

                fn run<T>(test: impl AsyncFnOnce(Clock, &Timer) -> T) -> T {
                    let runtime =
                        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
                    runtime.block_on(async {
                        let clock = Clock::start();
                        let timer = Timer::new(clock).unwrap();
                        test(clock, &timer).await
                    })
                }

                #[test]
                fn fires_at_the_deadline_and_not_before() {
                    run(async |clock, timer| {
                        for _ in 0..3 {
                            let deadline = clock.now() + 3 * MS;
                            timer.arm(deadline);
                            timer.fired().await.unwrap();
                            assert!(clock.now() >= deadline);
                        }
                    });
                }

                #[test]
                fn fires_at_once_for_the_past() {
                    run(async |clock, timer| {
                        timer.arm(0);
                        timer.fired().await.unwrap();
                        timer.arm(clock.now().saturating_sub(1));
                        timer.fired().await.unwrap();
                    });
                }

                #[test]
                fn another_task_moves_the_deadline_forward_and_back() {
                    run(async |clock, timer| {
                        timer.arm(3_600_000 * MS);
                        let soon = clock.now() + 2 * MS;
                        let waiting = timer.fired();
                        let moving = async { timer.arm(soon) };
                        let (fired, ()) = tokio::join!(waiting, moving);
                        fired.unwrap();
                        assert!((soon..3_600_000 * MS).contains(&clock.now()));

                        let late = clock.now() + 20 * MS;
                        timer.arm(clock.now() + MS);
                        timer.arm(late);
                        timer.fired().await.unwrap();
                        assert!(clock.now() >= late);
                    });
                }

                #[test]
                fn a_disarmed_timer_stays_silent_until_armed_again() {
                    run(async |clock, timer| {
                        timer.arm(clock.now() + MS);
                        timer.disarm();
                        let silence = std::time::Duration::from_millis(15);
                        assert!(tokio::time::timeout(silence, timer.fired()).await.is_err());
                        timer.arm(clock.now() + MS);
                        timer.fired().await.unwrap();
                    });
                }
            }
        };
    }

    #[cfg(target_os = "linux")]
    promises!(timerfd, super::super::linux::Timer);
    promises!(thread, super::super::thread::Timer);
}
