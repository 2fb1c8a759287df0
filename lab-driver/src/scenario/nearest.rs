//! "Did you mean": the known name that is nearest to a mistyped one.

/// The nearest of `known` within a third of its letters (at least one), the first of equals.
pub(crate) fn nearest<'a>(
    typed: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    // Names are short; what is not is no slip of the finger, and the distance is quadratic.
    if typed.chars().count() > 100 {
        return None;
    }
    known
        .into_iter()
        .map(|name| {
            (strsim::damerau_levenshtein(&typed.to_lowercase(), &name.to_lowercase()), name)
        })
        .filter(|(distance, name)| *distance <= (name.chars().count() / 3).max(1))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// A remedy: the nearest of `known` if one is near, and all of them.
pub(crate) fn did_you_mean(typed: &str, kind: &str, known: &[&str]) -> String {
    let all = known.join(", ");
    match (nearest(typed, known.iter().copied()), known) {
        (Some(name), [_]) => format!("did you mean {name}?"),
        (Some(name), _) => format!("did you mean {name}? The {kind} are {all}"),
        (None, []) => format!("there are no {kind}"),
        (None, [only]) => format!("write {only}"),
        (None, _) => format!("the {kind} are {all}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_recognised_and_strangers_are_not() {
        let known = ["weight", "request", "timeout"];
        let of = |typed| nearest(typed, known);
        assert_eq!(of("wieght"), Some("weight"));
        assert_eq!(of("Request"), Some("request"));
        assert_eq!(of("time_out"), Some("timeout"));
        assert_eq!(of("colour"), None);
        assert_eq!(of(&"weight".repeat(1000)), None);
    }
}
