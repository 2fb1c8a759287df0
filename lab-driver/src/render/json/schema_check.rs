//! Holds a value against a JSON schema, as far as our own schemas go; any other keyword is an error, never a pass.

use serde_json::{Map, Value};

/// Keywords that describe and restrict nothing. Number formats are checked by the types themselves.
const DESCRIBING: [&str; 7] =
    ["$schema", "$defs", "title", "description", "default", "format", "writeOnly"];

/// Whether `value` fits `schema`; if not, where and why.
pub(super) fn fits(value: &Value, schema: &Value) -> Result<(), String> {
    Check { root: schema }.value(value, schema, "")
}

struct Check<'a> {
    root: &'a Value,
}

impl Check<'_> {
    fn value(&self, value: &Value, schema: &Value, at: &str) -> Result<(), String> {
        let keywords = match schema {
            Value::Bool(true) => return Ok(()),
            Value::Object(keywords) => keywords,
            _ => return Err(format!("{at}: nothing may be here")),
        };
        for (keyword, rule) in keywords {
            self.keyword(value, keyword, rule, keywords, at)?;
        }
        Ok(())
    }

    fn keyword(
        &self,
        value: &Value,
        keyword: &str,
        rule: &Value,
        schema: &Map<String, Value>,
        at: &str,
    ) -> Result<(), String> {
        // Limits of numbers, arrays and objects say nothing about anything else.
        let number = |holds: fn(&f64, &f64) -> bool| {
            value.as_f64().zip(rule.as_f64()).is_none_or(|(found, limit)| holds(&found, &limit))
        };
        let length = |holds: fn(&u64, &u64) -> bool| {
            let items = value.as_array().map(|items| items.len() as u64);
            items.zip(rule.as_u64()).is_none_or(|(found, limit)| holds(&found, &limit))
        };
        let holds = match keyword {
            "$ref" => return self.value(value, self.referenced(rule), at),
            "type" => alternatives(rule).iter().any(|name| is_of_type(value, name)),
            "const" => value == rule,
            "enum" => alternatives(rule).contains(value),
            "minimum" => number(f64::ge),
            "maximum" => number(f64::le),
            "minItems" => length(u64::ge),
            "maxItems" => length(u64::le),
            "anyOf" => self.fitting(value, rule, at) > 0,
            "oneOf" => self.fitting(value, rule, at) == 1,
            "required" => value.as_object().is_none_or(|members| {
                alternatives(rule).iter().all(|name| members.contains_key(text(name)))
            }),
            "properties" | "additionalProperties" => return self.members(value, schema, at),
            "items" | "prefixItems" => return self.items(value, schema, at),
            other => DESCRIBING.contains(&other),
        };
        if holds { Ok(()) } else { Err(format!("{at}: {keyword} {rule} does not hold")) }
    }

    fn members(&self, value: &Value, schema: &Map<String, Value>, at: &str) -> Result<(), String> {
        let any = Value::Bool(true);
        let others = schema.get("additionalProperties").unwrap_or(&any);
        let known = schema.get("properties").unwrap_or(&Value::Null);
        value.as_object().into_iter().flatten().try_for_each(|(name, member)| {
            self.value(member, known.get(name).unwrap_or(others), &format!("{at}/{name}"))
        })
    }

    fn items(&self, value: &Value, schema: &Map<String, Value>, at: &str) -> Result<(), String> {
        let any = Value::Bool(true);
        let others = schema.get("items").unwrap_or(&any);
        let first = schema.get("prefixItems").unwrap_or(&Value::Null);
        value.as_array().into_iter().flatten().enumerate().try_for_each(|(i, item)| {
            self.value(item, first.get(i).unwrap_or(others), &format!("{at}/{i}"))
        })
    }

    fn fitting(&self, value: &Value, rule: &Value, at: &str) -> usize {
        alternatives(rule).iter().filter(|one| self.value(value, one, at).is_ok()).count()
    }

    fn referenced(&self, rule: &Value) -> &Value {
        self.root.pointer(text(rule).trim_start_matches('#')).unwrap_or(&Value::Null)
    }
}

fn alternatives(rule: &Value) -> &[Value] {
    rule.as_array().map_or(std::slice::from_ref(rule), Vec::as_slice)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn is_of_type(value: &Value, name: &Value) -> bool {
    match text(name) {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        _ => false,
    }
}
