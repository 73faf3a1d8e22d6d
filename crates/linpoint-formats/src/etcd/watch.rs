//! What etcd guarantees about watches: events are ordered, unique and atomic, none is lost between two that were
//! delivered, a watch that is resumed begins where it asked to, and progress notifications tell the truth.
//!
//! Compared with what certainly happened: writes whose answers name their revisions, and what any watch delivered.
//! What a request without an answer may have written, and no watch has seen, is missed nowhere.
//!
//! See <https://etcd.io/docs/v3.6/learning/api_guarantees/#watch-apis>.

use std::collections::{BTreeMap, BTreeSet};

use super::rows::{Event, Response, WatchRequest};
use super::{Watched, value};
use crate::raw::{Broken, RawHistory};
use crate::{Source, Value};

/// A sentence per kind and watch is enough.
const MOST: usize = 20;

/// Changes by revision and key; the value is nil for a deletion.
type Changes = BTreeMap<(i64, String), Change>;

struct Change {
    value: Value,
    /// Who says so.
    by: String,
    /// The operation that says so.
    op: Option<u32>,
}

/// The guarantees that do not hold.
pub(super) fn broken(source: &Source, history: &RawHistory, watches: &[Watched]) -> Vec<Broken> {
    let changes = changes(history, watches);
    let mut all = Vec::new();
    for watched in watches {
        let check = Check { source, watched, changes: &changes, all: Vec::new() };
        all.extend(check.run());
        if all.len() >= MOST {
            break;
        }
    }
    all.truncate(MOST);
    all
}

/// Everything that certainly happened.
fn changes(history: &RawHistory, watches: &[Watched]) -> Changes {
    let mut changes = Changes::new();
    for watched in watches {
        for event in events(watched) {
            let by = format!("the watch of {}", watched.client);
            let key = (event.revision, event.key.clone());
            let value = if is_put(event) { value(&event.value) } else { Value::Nil };
            changes.entry(key).or_insert(Change { value, by, op: None });
        }
    }
    for (at, op) in (0..).zip(history.ops.iter()) {
        let who = || op.extras.process.and_then(|process| history.processes.get(&process));
        let who = || who().map_or_else(|| "a request".to_owned(), Value::bare);
        if op.name == "event" {
            if let [Value::Str(key), _, Value::Int(revision)] = op.args
                && let Some(change) = changes.get_mut(&(*revision, key.to_string()))
            {
                change.op.get_or_insert(at);
            }
            continue;
        }
        for (revision, key, value) in written(op.name, op.args, op.result) {
            let change = Change { value, by: who(), op: Some(at) };
            changes.insert((revision, key), change);
        }
    }
    changes
}

/// What a transaction wrote, if its answer says so: revision, key, value.
fn written(name: &str, args: &[Value], result: Option<&Value>) -> Vec<(i64, String, Value)> {
    let list = |value: &Value| match value {
        Value::List(items) => items.to_vec(),
        _ => Vec::new(),
    };
    let (("txn", [_, success, failure]), Some(Value::List(result))) = ((name, args), result) else {
        return Vec::new();
    };
    let [Value::Bool(succeeded), results, Value::Int(revision)] = &result[..] else {
        return Vec::new();
    };
    let steps = list(if *succeeded { success } else { failure });
    let steps =
        steps.iter().zip(list(results)).filter_map(|(step, result)| match &list(step)[..] {
            [Value::Str(put), Value::Str(key), value, _] if &**put == "put" => {
                Some((*revision, key.to_string(), value.clone()))
            }
            [Value::Str(delete), Value::Str(key)] if &**delete == "delete" => {
                let deleted = list(&result).get(2).and_then(Value::as_int);
                (deleted == Some(1)).then(|| (*revision, key.to_string(), Value::Nil))
            }
            _ => None,
        });
    steps.collect()
}

fn is_put(event: &Event) -> bool {
    event.r#type == "put-operation"
}

fn events(watched: &Watched) -> impl Iterator<Item = &Event> {
    let responses = watched.watch.responses.iter().flatten();
    responses.flat_map(|response| response.events.iter().flatten())
}

fn matches(request: &WatchRequest, key: &str) -> bool {
    match request.with_prefix {
        true => key.starts_with(&request.key),
        false => key == request.key,
    }
}

fn shown(key: &str, value: &Value) -> String {
    match value {
        Value::Nil => format!("delete {key:?}"),
        value => format!("put {key:?} = {value}"),
    }
}

/// One watch.
struct Check<'a> {
    source: &'a Source,
    watched: &'a Watched,
    changes: &'a Changes,
    all: Vec<Broken>,
}

impl Check<'_> {
    fn run(mut self) -> Vec<Broken> {
        self.order();
        self.bookmarks();
        self.contents();
        self.nothing_lost();
        self.all
    }

    fn say(&mut self, what: &str, keys: &[(i64, String)]) {
        let (file, line) = self.source.place(self.watched.line);
        let place = file.unwrap_or(self.source.name());
        let client = &self.watched.client;
        let sentence = format!("the watch of {client} ({place}:{line}) is {what}");
        let ops = keys.iter().filter_map(|key| self.changes.get(key)?.op).collect();
        self.all.push(Broken { sentence, ops });
    }

    /// Revisions rise, nothing is delivered twice, and a revision is not split.
    fn order(&mut self) {
        let watched = self.watched;
        let mut delivered: BTreeSet<(i64, &str)> = BTreeSet::new();
        let mut last: Option<&Event> = None;
        for response in watched.watch.responses.iter().flatten() {
            let first = response.events.iter().flatten().next();
            if let (Some(first), Some(before)) = (first, last)
                && first.revision == before.revision
            {
                let (revision, key, other) = (first.revision, &first.key, &before.key);
                let what = format!(
                    "not atomic: events of revision {revision} came in two batches, {other:?} in one and {key:?} in \
                     the next"
                );
                self.say(&what, &[place(first), place(before)]);
                return;
            }
            for event in response.events.iter().flatten() {
                let (revision, key) = (event.revision, &event.key);
                if !delivered.insert((revision, key)) {
                    let what = format!(
                        "not unique: the event of {key:?} at revision {revision} was delivered twice"
                    );
                    self.say(&what, &[place(event)]);
                    return;
                }
                if let Some(before) = last.filter(|before| before.revision > revision) {
                    let (newer, other) = (before.revision, &before.key);
                    let what = format!(
                        "not ordered: the event of {key:?} at revision {revision} came after that of {other:?} at \
                         revision {newer}"
                    );
                    self.say(&what, &[place(event), place(before)]);
                    return;
                }
                last = Some(event);
            }
        }
    }

    /// After a notification of progress, nothing comes that it covers.
    fn bookmarks(&mut self) {
        let watched = self.watched;
        let (mut noted, mut last) = (0, 0);
        for Response { events, is_progress_notify, revision, .. } in
            watched.watch.responses.iter().flatten()
        {
            for event in events.iter().flatten() {
                if event.revision <= noted {
                    let (revision, key) = (event.revision, &event.key);
                    let what = format!(
                        "not bookmarkable: the event of {key:?} at revision {revision} came after a notification \
                         that everything up to revision {noted} had been delivered"
                    );
                    self.say(&what, &[place(event)]);
                    return;
                }
                last = event.revision;
            }
            if *is_progress_notify && *revision < noted.max(last) {
                let before = noted.max(last);
                let what = format!(
                    "not bookmarkable: a notification of progress was about revision {revision}, after revision \
                     {before}"
                );
                self.say(&what, &[]);
                return;
            }
            if *is_progress_notify {
                noted = *revision;
            }
        }
    }

    /// Events are those that were asked for, and what happened.
    fn contents(&mut self) {
        let watched = self.watched;
        let request = &watched.watch.request;
        for event in events(watched) {
            let (revision, key) = (event.revision, &event.key);
            if !matches(request, key) {
                let what = format!("about {:?}, but delivered an event of {key:?}", request.key);
                self.say(&what, &[place(event)]);
                return;
            }
            if revision < request.revision {
                let from = request.revision;
                let what = format!(
                    "asked to begin at revision {from}, but delivered an event of {key:?} at revision {revision}"
                );
                self.say(&what, &[place(event)]);
                return;
            }
            let mine = if is_put(event) { value(&event.value) } else { Value::Nil };
            if let Some(change) = self.changes.get(&place(event))
                && change.value != mine
            {
                let (mine, theirs, by) = (shown(key, &mine), shown(key, &change.value), &change.by);
                let what = format!(
                    "wrong: its event of revision {revision} is {mine}, but according to {by} it was {theirs}"
                );
                self.say(&what, &[place(event)]);
                return;
            }
            if let Some(what) = self.before(event) {
                self.say(&what, &[place(event)]);
                return;
            }
        }
    }

    /// What an event says about the state before it, as far as that is known.
    fn before(&self, event: &Event) -> Option<String> {
        let (revision, key) = (event.revision, &event.key);
        let previous = event.prev_value.as_ref()?;
        let found = (previous.mod_revision, key.clone());
        let seen = value(&previous.value);
        let change = self.changes.get(&found)?;
        (previous.mod_revision >= revision || change.value != seen || seen == Value::Nil).then(|| {
            let (at, theirs) = (previous.mod_revision, shown(key, &change.value));
            format!(
                "wrong: its event of {key:?} at revision {revision} has {seen} of revision {at} as the value before, \
                 but that was {theirs}"
            )
        })
    }

    /// Nothing is missing between the first revision that is due and the last one that was delivered.
    fn nothing_lost(&mut self) {
        let watched = self.watched;
        let request = &watched.watch.request;
        let responses = || watched.watch.responses.iter().flatten();
        let first = match (request.revision, responses().next()) {
            (from @ 1.., _) => from,
            (_, Some(response)) if response.is_progress_notify => {
                response.revision.saturating_add(1)
            }
            (_, Some(Response { events: Some(events), .. })) => match events.first() {
                Some(event) => event.revision,
                None => return,
            },
            _ => return,
        };
        let noted = responses().filter(|response| response.is_progress_notify);
        let noted = noted.map(|response| response.revision).max();
        let Some(last) = events(watched).map(|event| event.revision).chain(noted).max() else {
            return;
        };
        if first > last {
            return;
        }
        let delivered: BTreeSet<(i64, String)> = events(watched).map(place).collect();
        let range = (first, String::new())..(last.saturating_add(1), String::new());
        let lost = self
            .changes
            .range(range)
            .find(|(place, _)| matches(request, &place.1) && !delivered.contains(*place));
        let Some((place, change)) = lost else { return };
        let (revision, key) = place;
        let (what, by) = (shown(key, &change.value), &change.by);
        let is_first = request.revision > 0 && delivered.range(..place).next().is_none();
        let guarantee = match is_first {
            true => format!("not resumable: it asked for all events from revision {first} on"),
            false => format!("not reliable: it delivered events up to revision {last}"),
        };
        let what = format!(
            "{guarantee}, but not the one of revision {revision}: {what}, according to {by}"
        );
        let place = place.clone();
        self.say(&what, &[place]);
    }
}

fn place(event: &Event) -> (i64, String) {
    (event.revision, event.key.clone())
}

#[cfg(test)]
mod tests {
    use crate::{Source, registry};

    /// The sentences about a watch that began at revision 2 and delivered this, beside four writes of `a` and `b`.
    fn sentence(responses: &str) -> String {
        let mut text = String::new();
        for (at, key) in [(2, "a"), (3, "b"), (4, "a"), (5, "a")] {
            let (call, end) = (10 * at, 10 * at + 5);
            text += &format!(
                r#"{{"ClientId":1,"Input":{{"Type":"txn","Txn":{{"OperationsOnSuccess":[{{"Type":"put-operation","Put":{{"Key":"{key}","Value":{{"Value":"{at}"}}}}}}]}}}},"Call":{call},"Output":{{"Txn":{{"Results":[{{}}]}},"Revision":{at}}},"Return":{end}}}"#
            );
            text.push('\n');
        }
        let watch = format!(
            r#"{{"Request":{{"Key":"a","WithPrefix":true,"Revision":2}},"Responses":[{responses}]}}"#
        );
        let dir = std::env::temp_dir().join(format!(
            "linpoint-watch-{}-{}",
            std::process::id(),
            fastrand::u64(..)
        ));
        std::fs::create_dir_all(dir.join("client-1")).unwrap();
        std::fs::write(dir.join("client-1/operations.json"), text).unwrap();
        std::fs::write(dir.join("client-1/watch.json"), watch).unwrap();
        let source = Source::open(&dir).unwrap();
        let history = registry::read(&source, None).map_err(|e| e.to_string());
        std::fs::remove_dir_all(&dir).unwrap();
        let report = history.unwrap().check(&crate::Settings::default()).unwrap();
        let violation = report.verdict.violation();
        violation.map(|v| v.reason.to_string()).unwrap_or_default()
    }

    fn event(revision: i64, value: i64) -> String {
        format!(
            r#"{{"Type":"put-operation","Key":"a","Value":{{"Value":"{value}"}},"Revision":{revision}}}"#
        )
    }

    fn batches(batches: &[&[i64]]) -> String {
        let batch = |revisions: &&[i64]| {
            let events: Vec<String> = revisions.iter().map(|r| event(*r, *r)).collect();
            format!(r#"{{"Events":[{}],"Time":90}}"#, events.join(","))
        };
        batches.iter().map(batch).collect::<Vec<_>>().join(",")
    }

    #[test]
    fn guarantees_of_watches() {
        assert_eq!(sentence(&batches(&[&[2], &[4, 5]])), "");
        assert_eq!(sentence(&batches(&[&[2, 4]])), "");
        for (responses, part) in [
            (batches(&[&[4], &[2]]), "not ordered: the event of \"a\" at revision 2 came after"),
            (batches(&[&[2, 4, 4]]), "not unique: the event of \"a\" at revision 4"),
            (batches(&[&[2], &[2, 4]]), "not atomic: events of revision 2 came in two batches"),
            (
                batches(&[&[2], &[5]]),
                "not reliable: it delivered events up to revision 5, but not the one of revision 4: put \"a\" = \"4\", according to client-1",
            ),
            (
                batches(&[&[4]]),
                "not resumable: it asked for all events from revision 2 on, but not the one of revision 2",
            ),
            (r#"{"IsProgressNotify":true,"Revision":4,"Time":9}"#.to_owned(), "not resumable"),
            (
                format!(
                    r#"{},{{"IsProgressNotify":true,"Revision":2,"Time":91}},{{"IsProgressNotify":true,"Revision":1,"Time":92}}"#,
                    batches(&[&[2]])
                ),
                "not bookmarkable: a notification of progress was about revision 1, after revision 2",
            ),
            (format!("{{\"Events\":[{}],\"Time\":90}}", event(2, 7)), "revision 2"),
        ] {
            let found = sentence(&responses);
            let is_there = found.contains(part) && !found.is_empty();
            assert!(is_there, "{found:?} of {responses}");
        }
        let found = sentence(&batches(&[&[2], &[5]]));
        assert!(found.starts_with("the watch of client-1 (client-1/watch.json:1) is"), "{found}");
    }
}
