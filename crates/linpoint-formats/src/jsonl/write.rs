//! Writes linpoint's JSON lines: events if only their order is known, operations if there are
//! times.

use std::io::Write;

use linpoint::history::Ties;

use super::VERSION;
use crate::raw::{Clock, Fault, Lasting, Moment, Reading};
use crate::write::{Call, Ending, FaultPart, Header, Writer, Written, cannot, json, json_text};

/// Writes lines as events arrive.
pub(crate) struct Lines<'w> {
    out: Box<dyn Write + 'w>,
    line: Vec<u8>,
    clock: Clock,
}

impl<'w> Lines<'w> {
    pub(crate) fn new(out: Box<dyn Write + 'w>) -> Self {
        Lines { out, line: Vec::new(), clock: Clock::Order }
    }

    fn end_line(&mut self) -> Written {
        self.line.extend(b"}\n");
        self.out.write_all(&self.line)?;
        self.line.clear();
        Ok(())
    }

    /// The members of a line that describe an operation, except its times.
    fn operation(&mut self, call: &Call<'_>) {
        let line = &mut self.line;
        match (call.client, call.process) {
            (Some(client), _) => {
                line.extend(b"\"process\":");
                json(client, line);
                line.push(b',');
            }
            (None, Some(process)) => {
                let _ = write!(line, "\"process\":{process},");
            }
            (None, None) => {}
        }
        if let Some(object) = call.object {
            line.extend(b"\"object\":");
            json(object, line);
            line.push(b',');
        }
        line.extend(b"\"op\":");
        json_text(call.name, line);
        if !call.args.is_empty() {
            line.extend(b",\"args\":[");
            for (i, arg) in call.args.iter().enumerate() {
                if i > 0 {
                    line.push(b',');
                }
                json(arg, line);
            }
            line.push(b']');
        }
        if let Some((scope, position)) = call.hint {
            let _ = write!(line, ",\"hint\":{{\"scope\":{scope},\"position\":{position}}}");
        }
    }

    fn result(&mut self, result: Option<&crate::Value>) {
        if let Some(result) = result {
            self.line.extend(b",\"value\":");
            json(result, &mut self.line);
        }
    }

    /// The clock at an event.
    fn reading(&mut self, key: &str, time: Option<Reading>) {
        if let Some(time) = time {
            let _ = write!(self.line, ",\"{key}\":{time}");
        }
    }

    fn time(&mut self, key: &str, time: u64) {
        let _ = match self.clock {
            Clock::Float => write!(self.line, ",\"{key}\":{:?}", f64::from_bits(time)),
            _ => write!(self.line, ",\"{key}\":{time}"),
        };
    }
}

impl Writer for Lines<'_> {
    fn begin(&mut self, header: &Header<'_>) -> Written {
        self.clock = header.clock;
        let _ = write!(self.line, "{{\"linpoint\":{VERSION}");
        if let Some(model) = header.model {
            self.line.extend(b",\"model\":");
            json_text(&model.name, &mut self.line);
            for (key, value) in &model.options {
                self.line.push(b',');
                json_text(key, &mut self.line);
                self.line.push(b':');
                json(value, &mut self.line);
            }
        }
        if let Some(note) = header.note {
            self.line.extend(b",\"note\":");
            json_text(note, &mut self.line);
        }
        if header.clock != Clock::Order && header.ties == Ties::Ordered {
            self.line.extend(b",\"ties\":\"ordered\"");
        }
        if let Some(unit) = header.unit {
            let _ = write!(self.line, ",\"unit\":\"{}\"", unit.name());
            if header.since_1970 {
                self.line.extend(b",\"epoch\":\"unix\"");
            }
        }
        self.end_line()
    }

    fn call(&mut self, call: &Call<'_>) -> Written {
        if self.clock != Clock::Order {
            return Ok(());
        }
        let _ = write!(self.line, "{{\"call\":{},", call.id);
        self.operation(call);
        self.reading("time", call.clock.0);
        self.end_line()
    }

    fn end(&mut self, call: &Call<'_>, ending: Ending<'_>) -> Written {
        if self.clock == Clock::Order {
            let (mark, result) = match ending {
                Ending::Returned { result, .. } => ("return", result),
                Ending::Lost => ("info", None),
                Ending::Failed => ("fail", None),
            };
            let _ = write!(self.line, "{{\"{mark}\":{}", call.id);
            self.result(result);
            self.reading("time", call.clock.1);
            return self.end_line();
        }
        self.line.push(b'{');
        self.operation(call);
        match ending {
            Ending::Returned { at, result } => {
                self.result(result);
                self.time("start", call.start);
                self.time("end", at);
            }
            Ending::Lost => self.time("start", call.start),
            Ending::Failed => return cannot("an operation with times cannot have failed"),
        }
        self.end_line()
    }

    fn fault(&mut self, fault: &Fault, part: FaultPart) -> Written {
        let is_moment = fault.end == Lasting::Moment;
        let mark = match (part, is_moment) {
            (FaultPart::End, _) => "heal",
            (_, true) => "event",
            _ => "fault",
        };
        let _ = write!(self.line, "{{\"{mark}\":");
        json_text(&fault.name, &mut self.line);
        match &fault.process {
            Some(process) => {
                self.line.extend(b",\"process\":");
                json(process, &mut self.line);
            }
            None => {
                self.line.extend(b",\"lane\":");
                json_text(&fault.lane, &mut self.line);
            }
        }
        if part != FaultPart::End {
            if let Some(detail) = &fault.detail {
                self.line.extend(b",\"detail\":");
                json_text(detail, &mut self.line);
            }
            if let Some(color) = fault.color {
                let _ = write!(self.line, ",\"color\":\"{color}\"");
            }
        }
        let end = match fault.end {
            Lasting::Until(Moment { time, .. }) => time,
            _ => None,
        };
        match part {
            FaultPart::Whole => {
                self.reading("start", fault.begin.time);
                self.reading("end", end);
            }
            FaultPart::Begin => self.reading("time", fault.begin.time),
            FaultPart::End => self.reading("time", end),
        }
        self.end_line()
    }

    fn finish(&mut self) -> Written {
        Ok(self.out.flush()?)
    }
}
