//! Writes Violat's JSON: one document, with the members that linpoint reads.

use std::io::Write;

use crate::Value;
use crate::write::{Call, Ending, Header, Writer, Written, cannot, json, json_text, shown};

/// Writes events into a document.
pub(crate) struct Document<'w> {
    out: Box<dyn Write + 'w>,
    line: Vec<u8>,
    is_first: bool,
}

impl<'w> Document<'w> {
    pub(crate) fn new(out: Box<dyn Write + 'w>) -> Self {
        Document { out, line: Vec::new(), is_first: true }
    }

    fn event(&mut self, kind: &str, call: &Call<'_>, result: Option<&Value>) -> Written {
        if !std::mem::take(&mut self.is_first) {
            self.line.push(b',');
        }
        let line = &mut self.line;
        let (id, process) = (call.id, call.process.unwrap_or_default());
        let _ = write!(line, "\n{{\"kind\":\"{kind}\",\"sid\":{process},\"invocation\":");
        let _ = write!(line, "{{\"id\":{id},\"method\":{{\"name\":");
        json_text(call.name, line);
        line.extend(b"},\"arguments\":");
        json(&Value::List(call.args.iter().cloned().collect()), line);
        line.push(b'}');
        match result {
            None => {}
            Some(Value::Str(text)) => {
                line.extend(b",\"value\":");
                json_text(text, line);
            }
            Some(other) => {
                let what = shown(call.name, call.args);
                return cannot(format!("{what}: results are texts in violat, not {other}"));
            }
        }
        line.push(b'}');
        self.out.write_all(line)?;
        self.line.clear();
        Ok(())
    }
}

impl Writer for Document<'_> {
    fn begin(&mut self, header: &Header<'_>) -> Written {
        let model = header.model.filter(|model| model.name == "java");
        let Some((model, class)) = model.and_then(|model| Some((model, model.option("class")?)))
        else {
            let model = header.model.map_or("a history without a model", |model| &model.name);
            return cannot(format!("violat cannot express {model}: its models are Java classes"));
        };
        self.line.extend(b"{\"schema\":{");
        if let Some(id) = header.id {
            self.line.extend(b"\"id\":");
            json_text(id, &mut self.line);
            self.line.push(b',');
        }
        self.line.extend(b"\"class\":");
        json(class, &mut self.line);
        self.line.extend(b",\"arguments\":");
        json(model.option("arguments").unwrap_or(&Value::List([].into())), &mut self.line);
        self.line.extend(b"},\"events\":[");
        Ok(())
    }

    fn call(&mut self, call: &Call<'_>) -> Written {
        if call.object.is_some() {
            return cannot("violat supports one object per history");
        }
        self.event("call", call, None)
    }

    fn end(&mut self, call: &Call<'_>, ending: Ending<'_>) -> Written {
        match ending {
            Ending::Returned { result, .. } => self.event("return", call, result),
            Ending::Lost => Ok(()),
            Ending::Failed => cannot("violat cannot express failed operations"),
        }
    }

    fn finish(&mut self) -> Written {
        self.line.extend(b"]}\n");
        self.out.write_all(&self.line)?;
        Ok(self.out.flush()?)
    }
}
