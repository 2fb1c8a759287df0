//! What theory says of a ramp before it is run: per level and endpoint, by the operational laws or by queueing.

use super::laws::{ClosedBounds, Demand, Visit, wait_mgc, wait_thinned};
use super::targets;
use crate::engine::plan::{Arrivals, Load, ModelSpec, Plan};
use crate::engine::prediction::{Predicted, UsersNeeded};

/// Predictions for one plan against one model.
#[derive(Clone, Debug)]
pub struct Theory {
    names: Vec<String>,
    visits: Vec<Visit>,
    load: Load,
    /// What freezes now and then has no steady state that these laws speak of.
    freezes: bool,
}

impl Theory {
    /// For `plan` against the target of `spec`; none if a task's path is not one of the target's.
    pub fn new(plan: &Plan, spec: &ModelSpec) -> Option<Self> {
        let total: f64 = plan.tasks.iter().map(|task| f64::from(task.weight)).sum();
        let demands =
            plan.tasks.iter().map(|task| targets::demand(spec, &task.path).ok().flatten());
        let visits = plan.tasks.iter().zip(demands).map(|(task, demand)| {
            Some(Visit { share: f64::from(task.weight) / total, demand: demand? })
        });
        Some(Self {
            names: plan.tasks.iter().map(|task| task.name.clone()).collect(),
            visits: visits.collect::<Option<_>>()?,
            load: plan.load.clone(),
            freezes: targets::freeze(spec).is_some(),
        })
    }

    /// The number of users at which the operational bounds cross; none for open loads and without a limit.
    pub fn crossing_users(&self) -> Option<f64> {
        self.bounds()?.crossing_users()
    }

    /// The arrivals per second at which the first resource is full; none where nothing is limited.
    pub fn ceiling(&self) -> Option<f64> {
        let limits = self.visits.iter().filter_map(|Visit { share, demand }| {
            Some(demand.servers? as f64 / (demand.service_s * share))
        });
        limits.min_by(f64::total_cmp)
    }

    /// Throughput and mean response time of `endpoint` at the plan's load; none where no law speaks.
    pub fn predict(&self, endpoint: &str) -> Option<Predicted> {
        if self.freezes {
            return None;
        }
        let position = self.names.iter().position(|name| name == endpoint)?;
        match &self.load {
            Load::Closed { users, .. } => self.closed(position, users.peak()),
            Load::Open { rate, arrivals, .. } => self.open(position, rate.peak(), *arrivals),
        }
    }

    fn bounds(&self) -> Option<ClosedBounds> {
        let Load::Closed { think, .. } = &self.load else { return None };
        if self.freezes {
            return None;
        }
        Some(ClosedBounds::new(&self.visits, think.mean_pause()?.as_secs_f64()))
    }

    /// The asymptotic bounds: below the knee everyone takes its own time; beyond it the limited resource sets the
    /// rate, and its endpoint takes all the waiting that M = X(R + Z) leaves over.
    fn closed(&self, position: usize, users: f64) -> Option<Predicted> {
        let bounds = self.bounds()?;
        let visit = &self.visits[position];
        let waiting_s = bounds.response_s(users) - bounds.demand_s;
        let own_wait_s =
            if bounds.bottleneck == Some(position) { waiting_s / visit.share } else { 0.0 };
        Some(Predicted {
            throughput: bounds.throughput(users) * visit.share,
            mean_ms: (visit.demand.service_s + own_wait_s) * 1e3,
            at_least: false,
        })
    }

    /// Random arrivals wait by M/G/c, evenly spaced ones by how much drawing their task has thinned them. Beyond
    /// saturation there is no steady state, and no prediction.
    fn open(&self, position: usize, rate: f64, arrivals: Arrivals) -> Option<Predicted> {
        let Visit { share, demand } = &self.visits[position];
        let Demand { service_s, servers, service_cv2 } = demand;
        let offered = rate * share;
        let cv2 = service_cv2.unwrap_or(1.0);
        let wait_s = match (servers, arrivals) {
            (None, _) => 0.0,
            (Some(servers), Arrivals::Poisson) => wait_mgc(*servers, offered, *service_s, cv2)?,
            (Some(servers), Arrivals::Uniform) => {
                wait_thinned(*servers, offered, *service_s, *share, cv2)?
            }
        };
        Some(Predicted {
            throughput: offered,
            mean_ms: (service_s + wait_s) * 1e3,
            at_least: false,
        })
    }
}

/// How many users at once the open load of `plan` stands for; none for users, who are what they are.
pub fn users_needed(plan: &Plan) -> Option<UsersNeeded> {
    let Load::Open { rate, arrivals, max_in_flight, .. } = &plan.load else { return None };
    let spec = plan.model.as_ref();
    let theory = spec.and_then(|spec| Theory::new(plan, spec));
    let visits = theory.as_ref().map_or(&[][..], |theory| &theory.visits);
    let means: Option<Vec<f64>> = theory.as_ref().and_then(|theory| {
        let mean = |(i, visit): (usize, &Visit)| {
            Some(theory.open(i, rate.peak(), *arrivals)?.mean_ms * visit.share)
        };
        visits.iter().enumerate().map(mean).collect()
    });
    let ceilings = visits.iter().filter_map(|Visit { share, demand }| {
        Some(demand.servers? as f64 / (share * demand.service_s))
    });
    Some(UsersNeeded {
        rate: rate.peak(),
        mean_ms: means.map(|means| means.iter().sum()),
        ceiling: ceilings.min_by(f64::total_cmp),
        freeze_s: spec.and_then(targets::freeze).map(|freeze| freeze.length().as_secs_f64()),
        limit: *max_in_flight,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::plan::Think;
    use crate::engine::profile::Profile;
    use crate::engine::testing::{closed, task};
    use crate::engine::time::Ns;

    fn lesson(users: f64, pause: Ns) -> Theory {
        let mut plan = closed(1, 30);
        plan.tasks = vec![task("/items", 3), task("/report", 1)];
        plan.load = Load::Closed {
            users: Profile::constant(users, plan.duration),
            think: Think::Constant { pause },
        };
        let spec = ModelSpec { target: "api".to_owned(), knobs: std::collections::BTreeMap::new() };
        Theory::new(&plan, &spec).unwrap()
    }

    #[test]
    fn the_first_lesson_by_the_operational_laws() {
        let half = Ns::from_millis(500);
        for (users, rate, mean) in
            [(20.0, 9.25, 100.0), (40.0, 18.5, 100.0), (60.0, 20.0, 937.6), (80.0, 20.0, 1937.6)]
        {
            let report = lesson(users, half).predict("/report").unwrap();
            assert!((report.throughput - rate).abs() < 0.01, "{users} users: {report:?}");
            assert!((report.mean_ms - mean).abs() < 0.5, "{users} users: {report:?}");
        }
        let hurried = lesson(10.0, Ns::ZERO).predict("/report").unwrap();
        assert!((hurried.mean_ms - 437.6).abs() < 0.5, "{hurried:?}");
    }

    #[test]
    fn other_endpoints_keep_their_own_time_and_share_the_slowed_rate() {
        let items = lesson(80.0, Ns::from_millis(500)).predict("/items").unwrap();
        assert!((items.mean_ms - 20.8).abs() < 1e-9);
        assert!((items.throughput - 60.0).abs() < 1e-9);
    }
}
