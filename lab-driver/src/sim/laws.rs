//! The laws of queueing theory, in closed form.
//!
//! Sources: Little 1961 (L = λW); Denning and Buzen 1978, doi 10.1145/356733.356735 (utilization law, demand law,
//! interactive response time law M = X(R + Z)); Lazowska et al. 1984, chapter 5 (asymptotic bounds);
//! Erlang 1917 (delay formula); Lee and Longton 1959 and Allen and Cunneen (M/G/c from M/M/c by the coefficients
//! of variation); Cosmetatos 1975 (M/D/c).

/// What one visit to an endpoint demands.
#[derive(Clone, Debug, PartialEq)]
pub struct Demand {
    /// Mean service time, seconds.
    pub service_s: f64,
    /// How many requests the resource serves at once; none if it has no limit.
    pub servers: Option<u64>,
    /// Squared coefficient of variation of the service time, where it matters: at a limited resource.
    pub service_cv2: Option<f64>,
}

/// One class of work in a mix.
#[derive(Clone, Debug, PartialEq)]
pub struct Visit {
    /// Share of the iterations, 0…1.
    pub share: f64,
    /// What each demands.
    pub demand: Demand,
}

/// A closed system by the operational laws: asymptotic bounds of a mix of visits and a think time.
#[derive(Clone, Debug, PartialEq)]
pub struct ClosedBounds {
    /// D: total mean service demand of an iteration, seconds.
    pub demand_s: f64,
    /// Dmax: the largest demand on a resource divided by its servers, seconds; 0 when nothing is limited.
    pub bottleneck_s: f64,
    /// Z: think time, seconds.
    pub think_s: f64,
    /// The visit with the largest demand.
    pub bottleneck: Option<usize>,
}

impl ClosedBounds {
    /// For `visits` whose shares sum to 1.
    pub fn new(visits: &[Visit], think_s: f64) -> Self {
        let demand_s = visits.iter().map(|visit| visit.share * visit.demand.service_s).sum();
        let limited = visits.iter().enumerate().filter_map(|(i, visit)| {
            let servers = visit.demand.servers? as f64;
            Some((i, visit.share * visit.demand.service_s / servers))
        });
        let bottleneck = limited.max_by(|a, b| a.1.total_cmp(&b.1));
        Self {
            demand_s,
            bottleneck_s: bottleneck.map_or(0.0, |(_, demand)| demand),
            think_s,
            bottleneck: bottleneck.map(|(i, _)| i),
        }
    }

    /// Upper bound of the throughput with `users` users, iterations per second: min(1/Dmax, N/(D + Z)).
    pub fn throughput(&self, users: f64) -> f64 {
        let unlimited = users / (self.demand_s + self.think_s);
        if self.bottleneck_s > 0.0 { unlimited.min(1.0 / self.bottleneck_s) } else { unlimited }
    }

    /// Lower bound of the mean response time of an iteration, seconds: max(D, N·Dmax − Z).
    pub fn response_s(&self, users: f64) -> f64 {
        self.demand_s.max(users * self.bottleneck_s - self.think_s)
    }

    /// N* = (D + Z)/Dmax: the number of users at which the two bounds cross; none when nothing is limited.
    pub fn crossing_users(&self) -> Option<f64> {
        (self.bottleneck_s > 0.0).then(|| (self.demand_s + self.think_s) / self.bottleneck_s)
    }
}

/// Erlang's delay formula: the probability that an arrival has to wait at `servers` servers
/// offered `load` = λS (in Erlang). 1 when the load is not below the servers.
pub fn erlang_c(servers: u64, load: f64) -> f64 {
    let c = servers as f64;
    if load >= c {
        return 1.0;
    }
    // Erlang B by recursion: stable for any number of servers, where factorials overflow.
    let blocked = (1..=servers).fold(1.0, |b, k| load * b / (k as f64 + load * b));
    blocked / (1.0 - load / c * (1.0 - blocked))
}

/// Mean wait in an M/M/c queue, seconds; none when it has no steady state.
pub fn wait_mmc(servers: u64, rate: f64, service_s: f64) -> Option<f64> {
    let load = rate * service_s;
    let spare = servers as f64 - load;
    (spare > 0.0).then(|| erlang_c(servers, load) * service_s / spare)
}

/// Mean wait in an M/D/c queue, seconds, by Cosmetatos' approximation (within 1 % of the exact value for the
/// loads of the labs; exact for one server); none when it has no steady state.
pub fn wait_mdc(servers: u64, rate: f64, service_s: f64) -> Option<f64> {
    let c = servers as f64;
    let rho = rate * service_s / c;
    let correction = (1.0 - rho) * (c - 1.0) * ((4.0 + 5.0 * c).sqrt() - 2.0) / (16.0 * rho * c);
    wait_mmc(servers, rate, service_s).map(|wait| wait / 2.0 * (1.0 + correction))
}

/// Mean wait in an M/G/c queue, seconds, between the two above by the squared coefficient of variation
/// `cv2` of the service time; none when it has no steady state.
pub fn wait_mgc(servers: u64, rate: f64, service_s: f64, cv2: f64) -> Option<f64> {
    let (random, constant) =
        (wait_mmc(servers, rate, service_s)?, wait_mdc(servers, rate, service_s)?);
    Some(constant + (random - constant) * cv2)
}

/// Mean wait of arrivals that are evenly spaced before only `share` of them, drawn at random, come here; seconds.
///
/// Drawing thins the even spacing to gaps with a squared coefficient of variation of 1 − `share`; from there by
/// Allen and Cunneen, W ≈ W(M/M/c)·(ca² + cs²)/2. All of them (share 1) at constant work do not wait at all.
/// None when there is no steady state.
pub fn wait_thinned(servers: u64, rate: f64, service_s: f64, share: f64, cv2: f64) -> Option<f64> {
    let random = wait_mmc(servers, rate, service_s)?;
    Some(random * ((1.0 - share) + cv2) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lesson(report_pool: u64, think_s: f64) -> ClosedBounds {
        let knobs = super::super::targets::api::Knobs { report_pool, ..Default::default() };
        let visit = |path, share| Visit { share, demand: knobs.demand(path).unwrap() };
        ClosedBounds::new(&[visit("/items", 0.75), visit("/report", 0.25)], think_s)
    }

    #[test]
    fn bounds_of_the_first_lesson() {
        let bounds = lesson(2, 0.5);
        assert!((bounds.demand_s - 0.0406).abs() < 1e-4);
        assert!((bounds.bottleneck_s - 0.0125).abs() < 1e-12);
        assert!((bounds.crossing_users().unwrap() - 43.2).abs() < 0.1);
        assert!((lesson(4, 0.5).crossing_users().unwrap() - 86.5).abs() < 0.1);
        assert!((bounds.throughput(20.0) * 0.25 - 9.25).abs() < 0.01);
        assert!((bounds.throughput(80.0) * 0.25 - 20.0).abs() < 1e-9);
    }

    #[test]
    fn erlang_c_of_the_eight_slots() {
        // λ 300/350/380/390 per second at 8 slots of 20 ms.
        let expected =
            [(300.0, 0.357, 3.6), (350.0, 0.635, 12.7), (380.0, 0.844, 42.2), (390.0, 0.921, 92.1)];
        for (rate, waits, ms) in expected {
            assert!((erlang_c(8, rate * 0.02) - waits).abs() < 0.001, "C at {rate}");
            let wait = wait_mmc(8, rate, 0.02).unwrap() * 1e3;
            assert!((wait - ms).abs() < 0.06, "{wait} at {rate}");
        }
        assert_eq!(wait_mmc(8, 400.0, 0.02), None);
    }

    #[test]
    fn one_server_is_pollaczek_khinchine() {
        let (rate, service) = (8.0, 0.1);
        let exact = 0.8 * service / (2.0 * (1.0 - 0.8));
        assert!((wait_mdc(1, rate, service).unwrap() - exact).abs() < 1e-12);
    }
}
