//! A client that watches all keys.

use std::io;
use std::thread;
use std::time::Duration;

use linpoint_formats::etcd::rows::{Event, Response, ValueOrHash, Watch, WatchRequest};
use serde_json::{Value, json};

use super::Shared;
use super::http::{Http, decode, encode, number, revision};

/// Watches all keys through one member. A watch that breaks is resumed.
pub(super) fn watch(shared: &Shared<'_>, member: usize) -> Vec<Watch> {
    let (mut watches, mut from) = (Vec::new(), 1);
    while !shared.is_over() {
        let mut responses: Vec<Response> = Vec::new();
        let request = WatchRequest {
            key: "key/".to_owned(),
            revision: from,
            with_prefix: true,
            with_progress_notify: true,
            with_prev_kv: false,
        };
        let _ = receive(shared, member, from, &mut responses);
        let last = responses.iter().flat_map(|response| response.events.iter().flatten()).last();
        if let Some(last) = last {
            from = last.revision + 1;
        }
        watches.push(Watch { request, responses: Some(responses) });
        thread::sleep(Duration::from_millis(20));
    }
    watches
}

fn receive(
    shared: &Shared<'_>,
    member: usize,
    from: i64,
    responses: &mut Vec<Response>,
) -> io::Result<()> {
    let mut http = Http::open(shared.cluster.ports[member])?;
    let body = json!({ "create_request": {
        "key": encode("key/"), "range_end": encode("key0"), "start_revision": from.to_string(), "progress_notify": true
    }});
    http.send("/v3/watch", &body)?;
    http.head()?;
    let mut text = Vec::new();
    while !shared.is_over() {
        text.extend(http.chunk()?);
        while let Some(end) = text.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = text.drain(..=end).collect();
            let Ok(message) = serde_json::from_slice::<Value>(&line) else { continue };
            let message = &message["result"];
            let events: Vec<Event> = message["events"]
                .as_array()
                .map(|e| e.iter().map(event).collect())
                .unwrap_or_default();
            if !events.is_empty() {
                responses.push(Response {
                    events: Some(events),
                    is_progress_notify: false,
                    revision: revision(message),
                    time: shared.now(),
                    error: String::new(),
                });
            }
        }
    }
    Ok(())
}

fn event(event: &Value) -> Event {
    let is_delete = event["type"].as_str() == Some("DELETE");
    let of = &event["kv"];
    Event {
        r#type: if is_delete { "delete-operation" } else { "put-operation" }.to_owned(),
        key: decode(&of["key"]),
        value: if is_delete {
            ValueOrHash::default()
        } else {
            ValueOrHash::of(&decode(&of["value"]))
        },
        revision: number(&of["mod_revision"]),
        is_create: None,
        prev_value: None,
    }
}
