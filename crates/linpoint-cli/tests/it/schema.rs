//! `docs/verdict.schema.json` describes what `check --as json` prints.
//!
//! The validator knows the keywords that the schema uses, and panics at others. It is stricter than the
//! schema: fields that the schema does not list are errors, since everything that is printed has to be described.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{BAD, OK, dir, examples, exits, linpoint, many_orders};

struct Schema(Value);

impl Schema {
    fn of_verdicts() -> Schema {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/verdict.schema.json");
        Schema(serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap())
    }

    /// Why a value does not match, with the path to what does not.
    fn check(&self, value: &Value) -> Result<(), String> {
        self.matches(&self.0, value).map_err(|why| format!("${why}\n{value:#}"))
    }

    fn matches(&self, schema: &Value, value: &Value) -> Result<(), String> {
        for (keyword, expected) in schema.as_object().unwrap() {
            self.keyword(schema, keyword, expected, value)?;
        }
        Ok(())
    }

    fn keyword(
        &self,
        schema: &Value,
        keyword: &str,
        expected: &Value,
        value: &Value,
    ) -> Result<(), String> {
        let failed = || Err(format!(": {keyword} {expected}, but it is {value}"));
        let holds = match keyword {
            "$schema" | "$defs" | "title" | "description" => true,
            "$ref" => {
                let name = expected.as_str().unwrap().strip_prefix("#/$defs/").unwrap();
                return self.matches(&self.0["$defs"][name], value);
            }
            "const" => value == expected,
            "enum" => expected.as_array().unwrap().contains(value),
            "type" => match expected {
                Value::Array(types) => types.iter().any(|name| has_type(value, name)),
                name => has_type(value, name),
            },
            "minimum" => value.as_f64().is_none_or(|n| n >= expected.as_f64().unwrap()),
            "minItems" => {
                value.as_array().is_none_or(|a| a.len() as u64 >= expected.as_u64().unwrap())
            }
            "maxItems" => {
                value.as_array().is_none_or(|a| a.len() as u64 <= expected.as_u64().unwrap())
            }
            "required" => expected.as_array().unwrap().iter().all(|name| {
                value.as_object().is_none_or(|object| object.contains_key(name.as_str().unwrap()))
            }),
            "items" => {
                for (i, item) in value.as_array().into_iter().flatten().enumerate() {
                    self.matches(expected, item).map_err(|why| format!("[{i}]{why}"))?;
                }
                true
            }
            "properties" => {
                for (name, field) in value.as_object().into_iter().flatten() {
                    match expected.get(name) {
                        Some(of_field) => {
                            self.matches(of_field, field).map_err(|why| format!(".{name}{why}"))?;
                        }
                        None if schema["type"] == "object" => {
                            return Err(format!(".{name}: the schema does not describe it"));
                        }
                        None => {}
                    }
                }
                true
            }
            "oneOf" => {
                let all = expected.as_array().unwrap();
                let tried: Vec<_> = all.iter().map(|one| self.matches(one, value)).collect();
                match tried.iter().filter(|one| one.is_ok()).count() {
                    1 => true,
                    0 => return Err(format!(": no alternative matches: {tried:?}")),
                    n => return Err(format!(": {n} alternatives match")),
                }
            }
            _ => panic!("the validator does not know the keyword {keyword}"),
        };
        if holds { Ok(()) } else { failed() }
    }
}

fn has_type(value: &Value, name: &Value) -> bool {
    match name.as_str().unwrap() {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("there is no type {other}"),
    }
}

/// The lines that `check --as json` prints, each of which must match the schema.
fn valid(dir: &Path, args: &[&str], code: i32) -> Vec<Value> {
    let (out, _) = exits(&linpoint(dir, &[&["check", "--as", "json"], args].concat()), code);
    let lines: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let schema = Schema::of_verdicts();
    for line in &lines {
        schema.check(line).unwrap_or_else(|why| panic!("{why}"));
    }
    lines
}

#[test]
fn every_verdict_matches_the_schema() {
    let dir = dir("schema");
    fs::write(dir.join("ok"), OK).unwrap();
    fs::write(dir.join("bad"), BAD).unwrap();
    fs::write(dir.join("broken"), "?").unwrap();
    fs::write(dir.join("hard"), many_orders(40)).unwrap();
    let mut verdicts = valid(&dir, &["ok", "bad", "broken", "missing"], 1);
    verdicts.extend(valid(&dir, &["hard", "--memory", "1", "--timeout", "60s"], 3));
    let names: Vec<&Value> = verdicts.iter().map(|line| &line["verdict"]).collect();
    assert_eq!(names, ["linearizable", "violation", "error", "error", "undecided"]);
}

#[test]
fn the_examples_match_the_schema() {
    let lines = valid(&examples(), &["."], 1);
    assert!(lines.len() >= 11, "{}", lines.len());
    let kv = lines.iter().find(|l| l["name"].as_str().unwrap().contains("lost-update")).unwrap();
    assert_eq!(kv["parts"]["all"], 3);
    let violation = &kv["violations"][0];
    assert_eq!(
        violation["part_name"],
        serde_json::json!({ "kind": "key", "name": "\"cart\"", "value": "cart" })
    );
    assert_eq!(
        violation["failing"]["data"],
        serde_json::json!({ "op": "get", "args": ["cart"], "ret": "TMR" })
    );
    assert_eq!(violation["argument"]["type"], "missing");
    let pieces = violation["sentence"].as_array().unwrap();
    let sentence: String = pieces.iter().map(|piece| piece["text"].as_str().unwrap()).collect();
    assert_eq!(violation["reason"], sentence);
    assert_eq!(pieces[0]["op"], violation["failing"]["id"]);
}

/// Every kind of bug in many models: every kind of argument that they give rise to.
#[test]
fn violations_of_all_models_match_the_schema() {
    let dir = dir("schema-models");
    let models = exits(&linpoint(&dir, &["models"]), 0).0;
    let names = models.lines().filter(|line| !line.starts_with(' ') && !line.is_empty());
    let mut files = 0;
    for name in names.map(|line| line.split(':').next().unwrap()) {
        for seed in ["1", "2"] {
            let file = format!("{name}-{seed}.jsonl");
            let args = ["gen", "-m", name, "--ops", "12", "--seed", seed, "--mutate", "-o", &file];
            files += usize::from(linpoint(&dir, &args).status.success());
        }
    }
    assert!(files > 30, "{files}");
    let lines = valid(&dir, &["."], 1);
    // Java's collections are known as text only.
    let texts = lines.iter().filter(|line| line["violations"][0]["core"][0]["data"].is_null());
    assert!(texts.clone().all(|line| line["name"].as_str().unwrap().contains("java")));
}

#[test]
fn the_validator_finds_what_is_wrong() {
    let schema = Schema::of_verdicts();
    let dir = dir("schema-wrong");
    fs::write(dir.join("bad"), BAD).unwrap();
    let good = valid(&dir, &["bad"], 1).remove(0);
    for (path, wrong) in [
        ("/verdict", Value::from("maybe")),
        ("/verdict", Value::from("linearizable")),
        ("/operations", Value::from(-1)),
        ("/violations/0/core/0/id", Value::from("0")),
        ("/violations/0/argument/type", Value::from("stale")),
        ("/violations", Value::from(Vec::<Value>::new())),
        ("/timings", serde_json::json!({})),
        ("/cost", serde_json::json!({ "steps": 1, "parts": 1, "peak_bytes": 1, "more": 1 })),
    ] {
        let mut bad = good.clone();
        *bad.pointer_mut(path).unwrap() = wrong;
        assert!(schema.check(&bad).is_err(), "{path}");
    }
}
