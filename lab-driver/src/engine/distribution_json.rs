//! A distribution in JSON: totals, and the values exactly (delta-coded) or as an HDR histogram (V2, base64).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::serialization::{Deserializer as HdrReader, Serializer as _, V2Serializer};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::distribution::{Distribution, Totals, Values};

/// The form on disk.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DistributionJson {
    /// How many values.
    n: u64,
    /// Their sum, µs.
    sum_us: u64,
    /// The smallest, µs.
    min_us: u64,
    /// The largest, µs.
    max_us: u64,
    /// Requests that waited without an answer: their values are lower bounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    censored: Option<Censored>,
    /// Values in ascending order as [difference to the one before in µs, how often].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    exact: Option<Vec<(u32, u64)>>,
    /// An HDR histogram of µs, V2 encoding, base64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    hdr: Option<String>,
}

/// Lower bounds among the values.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Censored {
    /// How many.
    n: u64,
    /// The smallest, µs.
    from_us: u64,
}

impl From<Distribution> for DistributionJson {
    fn from(distribution: Distribution) -> Self {
        let Totals { n, sum, min, max, censored, censored_from } = distribution.totals;
        let (exact, hdr) = match distribution.values {
            Values::Exact(runs) => {
                let mut before = 0;
                let deltas = runs.into_iter().map(|(value, count)| {
                    let delta = value - before;
                    before = value;
                    (delta, count)
                });
                (Some(deltas.collect()), None)
            }
            Values::Histogram(histogram) => {
                let mut bytes = Vec::new();
                V2Serializer::new()
                    .serialize(&histogram, &mut bytes)
                    .expect("counts of a run fit the format");
                (None, Some(STANDARD.encode(bytes)))
            }
        };
        Self {
            n,
            sum_us: sum,
            min_us: min,
            max_us: max,
            censored: (censored > 0).then_some(Censored { n: censored, from_us: censored_from }),
            exact,
            hdr,
        }
    }
}

impl TryFrom<DistributionJson> for Distribution {
    type Error = String;

    fn try_from(json: DistributionJson) -> Result<Self, String> {
        let values = match (json.exact, json.hdr) {
            (Some(deltas), None) => Values::Exact(undelta(deltas)?),
            (None, Some(text)) => Values::Histogram(Box::new(read_histogram(&text)?)),
            _ => return Err("a distribution has either `exact` or `hdr` values".to_owned()),
        };
        let count = match &values {
            Values::Exact(runs) => {
                runs.iter().try_fold(0u64, |sum, (_, count)| sum.checked_add(*count))
            }
            Values::Histogram(histogram) => Some(histogram.len()),
        };
        if count != Some(json.n) {
            return Err(format!(
                "the distribution says n = {} but holds another number of values",
                json.n
            ));
        }
        if json.min_us > json.max_us {
            return Err("the distribution's minimum lies above its maximum".to_owned());
        }
        let (censored, censored_from) = json.censored.map_or((0, 0), |c| (c.n, c.from_us));
        let totals = Totals {
            n: json.n,
            sum: json.sum_us,
            min: json.min_us,
            max: json.max_us,
            censored,
            censored_from,
        };
        Ok(Self { totals, values })
    }
}

fn undelta(deltas: Vec<(u32, u64)>) -> Result<Vec<(u32, u64)>, String> {
    let mut value = 0u32;
    deltas
        .into_iter()
        .map(|(delta, count)| {
            value = value.checked_add(delta).ok_or("a value of the distribution exceeds 2³² µs")?;
            Ok((value, count))
        })
        .collect()
}

fn read_histogram(text: &str) -> Result<hdrhistogram::Histogram<u64>, String> {
    let bytes = STANDARD.decode(text).map_err(|error| format!("`hdr` is not base64: {error}"))?;
    let read: hdrhistogram::Histogram<u64> = HdrReader::new()
        .deserialize(&mut bytes.as_slice())
        .map_err(|error| format!("`hdr` is not an HDR histogram: {error}"))?;
    // Re-recorded with our own bounds: merging relies on all histograms having the same.
    let mut ours = super::distribution::new_histogram();
    ours.add(&read).map_err(|error| format!("`hdr` does not fit 1 µs to 1 h: {error}"))?;
    Ok(ours)
}

#[cfg(test)]
mod tests {
    use super::super::distribution::EXACT_LIMIT;
    use super::super::recording::Recording;
    use super::*;
    use proptest::prelude::*;

    fn there_and_back(distribution: &Distribution) -> Distribution {
        let text = serde_json::to_string(distribution).unwrap();
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn histograms_come_back_with_their_percentiles() {
        let mut recording = Recording::default();
        (0..=EXACT_LIMIT as u64).for_each(|i| recording.record(i % 77_777));
        let distribution = recording.finish();
        let back = there_and_back(&distribution);
        assert_eq!(back.percentile(99.0), distribution.percentile(99.0));
        assert_eq!(back.totals, distribution.totals);
    }

    #[test]
    fn a_count_that_does_not_match_is_refused() {
        let text = r#"{"n":5,"sum_us":3,"min_us":1,"max_us":2,"exact":[[1,1],[1,1]]}"#;
        let error = serde_json::from_str::<Distribution>(text).unwrap_err().to_string();
        assert!(error.contains("n = 5"), "{error}");
        assert!(
            serde_json::from_str::<Distribution>(r#"{"n":0,"sum_us":0,"min_us":0,"max_us":0}"#)
                .is_err()
        );
    }

    proptest! {
        #[test]
        fn exact_values_come_back_whole(values in prop::collection::vec((any::<u32>(), any::<bool>()), 0..100)) {
            let mut recording = Recording::default();
            for (us, censored) in values {
                if censored { recording.record_censored(us.into()) } else { recording.record(us.into()) }
            }
            let distribution = recording.finish();
            prop_assert_eq!(there_and_back(&distribution), distribution);
        }

        #[test]
        fn hostile_text_never_panics(deltas in prop::collection::vec((any::<u32>(), any::<u64>()), 0..9), hdr in ".{0,60}") {
            let _ = serde_json::from_value::<Distribution>(serde_json::json!(
                {"n": 1, "sum_us": 1, "min_us": 1, "max_us": 1, "exact": deltas}));
            let _ = serde_json::from_value::<Distribution>(serde_json::json!(
                {"n": 1, "sum_us": 1, "min_us": 1, "max_us": 1, "hdr": STANDARD.encode(hdr)}));
        }
    }
}
