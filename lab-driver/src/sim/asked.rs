//! Which id a request asks for, where its path says so: `?id=7`, or `?id={id}` with a drawn parameter.

use crate::engine::plan::{Parameter, Task, Values};

/// Where the id of a task's requests comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum AskedId {
    /// Always this one.
    Fixed(u64),
    /// The drawn value of a parameter.
    Drawn {
        /// Its position in the plan.
        parameter: usize,
        /// The values; what is no number is no id.
        values: Values,
    },
}

impl AskedId {
    /// Of `task`; none if its path names no id.
    pub fn of(task: &Task, parameters: &[Parameter]) -> Option<Self> {
        let (_, query) = task.path.split_once('?')?;
        let text = query.split('&').find_map(|pair| pair.strip_prefix("id="))?;
        let Some(name) = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')) else {
            return text.parse().ok().map(Self::Fixed);
        };
        let parameter = parameters.iter().position(|parameter| parameter.name == name)?;
        Some(Self::Drawn { parameter, values: parameters[parameter].values.clone() })
    }

    /// The id of a request with these `draws`, as an executor answers them.
    pub fn id(&self, draws: &[u32]) -> Option<u64> {
        match self {
            Self::Fixed(id) => Some(*id),
            Self::Drawn { parameter, values } => {
                let draw = *draws.get(*parameter)?;
                match values {
                    Values::Integers { from, .. } => Some(from + u64::from(draw)),
                    Values::Texts(texts) => texts.get(draw as usize)?.parse().ok(),
                    Values::Rows { .. } => None,
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::engine::plan::Choice;
    use super::super::super::engine::testing::task;
    use super::*;

    #[test]
    fn ids_are_found_in_paths() {
        let values = Values::Integers { from: 1, to: 10_000 };
        let parameters =
            [Parameter { name: "id".to_owned(), values: values.clone(), choice: Choice::Even }];
        let of = |path: &str| AskedId::of(&task(path, 1), &parameters);
        assert_eq!(of("/api/products"), None);
        assert_eq!(of("/api/products?page=2&id=7"), Some(AskedId::Fixed(7)));
        assert_eq!(of("/api/products?id=x"), None);
        let drawn = of("/api/products?id={id}").unwrap();
        assert_eq!(drawn, AskedId::Drawn { parameter: 0, values });
        assert_eq!((drawn.id(&[0]), drawn.id(&[41]), drawn.id(&[])), (Some(1), Some(42), None));
    }
}
