//! What the operating system lets one process open: file descriptors and ephemeral ports.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// The process may not open as many files as the run needs.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LimitError {
    /// The hard limit is in the way; only an administrator can raise it.
    #[error(
        "this run needs {needed} file descriptors and the hard limit RLIMIT_NOFILE is {hard}: \
         lower the number of users or the in-flight limit, or raise the limit \
         (`ulimit -Hn {needed}` as root, or LimitNOFILE of the service)"
    )]
    Hard {
        /// Descriptors that the run needs.
        needed: u64,
        /// The hard limit.
        hard: u64,
    },
    /// The system refused to raise the soft limit within the hard one.
    #[error(
        "this run needs {needed} file descriptors and the soft limit RLIMIT_NOFILE is {soft}, \
         which the system refused to raise: run `ulimit -n {needed}` in this shell first"
    )]
    Refused {
        /// Descriptors that the run needs.
        needed: u64,
        /// The soft limit.
        soft: u64,
    },
}

/// Makes sure that this process may hold `needed` file descriptors open, raising its soft limit
/// where that is too low. Returns the soft limit now in force; `u64::MAX` is unlimited.
///
/// # Errors
/// When the hard limit is below `needed` or the system refuses.
pub fn ensure_fds(needed: u64) -> Result<u64, LimitError> {
    let limit = getrlimit(Resource::Nofile);
    let soft = limit.current.unwrap_or(u64::MAX);
    let Some(raised) = raised(soft, limit.maximum, needed)? else {
        return Ok(soft);
    };
    setrlimit(Resource::Nofile, Rlimit { current: Some(raised), maximum: limit.maximum })
        .map_err(|_| LimitError::Refused { needed, soft })?;
    Ok(raised)
}

/// How many files this process may have open at most, after [`ensure_fds`] has raised its soft limit as far as
/// it goes; `u64::MAX` is unlimited.
pub fn most_fds() -> u64 {
    getrlimit(Resource::Nofile).maximum.unwrap_or(u64::MAX)
}

/// How many ports this host hands out for outgoing connections; each open connection to one
/// address of a target takes one. `None` where the system does not tell.
pub fn ephemeral_ports() -> Option<u32> {
    let range = std::fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range").ok()?;
    count_ports(&range)
}

/// The soft limit to set, or `None` when the present one is enough. Not the hard limit itself:
/// macOS reports an unlimited one and then refuses to set it.
fn raised(soft: u64, hard: Option<u64>, needed: u64) -> Result<Option<u64>, LimitError> {
    match hard {
        _ if soft >= needed => Ok(None),
        Some(hard) if hard < needed => Err(LimitError::Hard { needed, hard }),
        _ => Ok(Some(needed)),
    }
}

fn count_ports(range: &str) -> Option<u32> {
    let (low, high) = range.trim().split_once(char::is_whitespace)?;
    let (low, high): (u16, u16) = (low.parse().ok()?, high.trim().parse().ok()?);
    Some(u32::from(high.checked_sub(low)?) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raises_no_further_than_needed() {
        assert_eq!(raised(1024, Some(4096), 1000), Ok(None));
        assert_eq!(raised(1024, Some(4096), 2000), Ok(Some(2000)));
        assert_eq!(raised(1024, None, 2000), Ok(Some(2000)));
    }

    #[test]
    fn names_the_limit_the_need_and_the_remedy() {
        let error = raised(1024, Some(4096), 5000).unwrap_err();
        assert_eq!(error, LimitError::Hard { needed: 5000, hard: 4096 });
        let message = error.to_string();
        for part in ["5000", "4096", "RLIMIT_NOFILE", "ulimit"] {
            assert!(message.contains(part), "{part} is missing in: {message}");
        }
    }

    #[test]
    fn the_limit_in_force_covers_what_was_asked() {
        let soft = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
        assert_eq!(ensure_fds(16), Ok(soft));
        let hard = getrlimit(Resource::Nofile).maximum;
        if let Some(hard) = hard.filter(|&hard| hard > soft) {
            assert_eq!(ensure_fds(soft + 1), Ok(soft + 1));
            assert_eq!(getrlimit(Resource::Nofile).current, Some(soft + 1));
            assert!(ensure_fds(hard + 1).is_err());
        }
    }

    #[test]
    fn counts_ports() {
        assert_eq!(count_ports("32768\t60999\n"), Some(28_232));
        assert_eq!(count_ports("60999 32768"), None);
        assert_eq!(count_ports("nonsense"), None);
    }
}
