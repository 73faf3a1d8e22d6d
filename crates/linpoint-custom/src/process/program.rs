//! A program that is asked questions: a line of JSON in, a line of JSON out.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use serde_json::Value as Json;

/// Longest line that a program may write.
const LONGEST_LINE: u64 = 1 << 28;
/// Bytes of its error output that are kept.
const ERROR_OUTPUT: usize = 2000;
/// Longest part of an answer in a message.
const SHOWN: usize = 200;

/// A program that runs. It is killed when it fails, or is not needed any more.
pub(super) struct Program {
    command: String,
    child: Child,
    questions: Sender<String>,
    answers: Receiver<Result<String, String>>,
    errors: Arc<Mutex<Vec<u8>>>,
    patience: Duration,
    number: u64,
}

impl Program {
    /// Starts it.
    pub(super) fn start(command: &str, patience: Duration) -> Result<Program, String> {
        let words = words(command)?;
        let Some((name, args)) = words.split_first() else {
            return Err("the command of the model is empty".to_owned());
        };
        let spawned = Command::new(name)
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let mut child =
            spawned.map_err(|error| format!("the model {command:?} cannot be started: {error}"))?;
        let (stdin, stdout, stderr) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (questions, to_ask) = channel::<String>();
        let (answered, answers) = channel();
        let errors = Arc::new(Mutex::new(Vec::new()));
        // A program that does not read must not stop the one that waits for it; hence a thread for each pipe.
        if let Some(mut stdin) = stdin {
            thread::spawn(move || {
                // If it cannot be written, there will be no answer either.
                while let Ok(question) = to_ask.recv()
                    && stdin.write_all(question.as_bytes()).and_then(|()| stdin.flush()).is_ok()
                {
                }
            });
        }
        if let Some(stdout) = stdout {
            thread::spawn(move || read_lines(stdout, &answered));
        }
        if let Some(stderr) = stderr {
            let errors = Arc::clone(&errors);
            thread::spawn(move || keep_last(stderr, &errors));
        }
        let command = command.to_owned();
        Ok(Program { command, child, questions, answers, errors, patience, number: 0 })
    }

    /// Asks a question, which is the inside of an object, and waits for the answer.
    pub(super) fn ask(&mut self, question: &str) -> Result<serde_json::Map<String, Json>, String> {
        self.number += 1;
        let number = self.number;
        // If the program is gone, there will be no answer.
        let _ = self.questions.send(format!("{{\"id\":{number},{question}}}\n"));
        let line = match self.answers.recv_timeout(self.patience) {
            Ok(Ok(line)) => line,
            Ok(Err(error)) => return Err(self.failed(&format!("cannot be read: {error}"))),
            Err(RecvTimeoutError::Timeout) => {
                let seconds = self.patience.as_secs_f64();
                return Err(self.failed(&format!("has not answered within {seconds} s")));
            }
            Err(RecvTimeoutError::Disconnected) => return Err(self.died()),
        };
        let bad = |what: &str| format!("answered {what}: {}", shown(&line));
        let answer: Json = match serde_json::from_str(&line) {
            Ok(answer) => answer,
            Err(error) => {
                return Err(
                    self.failed(&bad(&format!("with something that is not JSON ({error})")))
                );
            }
        };
        let Json::Object(answer) = answer else {
            return Err(self.failed(&bad("with something that is not an object")));
        };
        if let Some(Json::String(message)) = answer.get("error") {
            return Err(self.failed(&format!("reports an error: {}", shown(message))));
        }
        match answer.get("id").and_then(Json::as_u64) == Some(number) {
            true => Ok(answer),
            false => {
                Err(self.failed(&bad(&format!("another question than the one with id {number}"))))
            }
        }
    }

    /// What the program did wrong. It is not asked again.
    pub(super) fn failed(&mut self, what: &str) -> String {
        // It may be gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
        format!("the model {:?} {what}{}", self.command, self.error_output())
    }

    fn died(&mut self) -> String {
        // Its output is closed; give it a moment to end.
        let ended = (0..20).find_map(|_| {
            let status = self.child.try_wait().ok().flatten();
            if status.is_none() {
                thread::sleep(Duration::from_millis(10));
            }
            status
        });
        match ended {
            Some(status) => self.failed(&format!("has ended ({status}) without an answer")),
            None => self.failed("has closed its output without an answer"),
        }
    }

    /// What it wrote to its error output.
    fn error_output(&self) -> String {
        // The thread that reads it may still be at it.
        thread::sleep(Duration::from_millis(20));
        let errors = self.errors.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&errors);
        let lines: Vec<String> =
            text.lines().rev().take(5).map(|line| format!("\n  | {}", clean(line))).collect();
        lines.into_iter().rev().collect()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read_lines(stdout: impl Read, answered: &Sender<Result<String, String>>) {
    let mut lines = BufReader::new(stdout);
    loop {
        let mut line = String::new();
        let read = lines.by_ref().take(LONGEST_LINE).read_line(&mut line);
        let answer = match read {
            Ok(0) => return,
            Ok(_) if line.len() as u64 >= LONGEST_LINE => Err("the line is too long".to_owned()),
            Ok(_) if line.trim().is_empty() => continue,
            Ok(_) => Ok(line),
            Err(error) => Err(error.to_string()),
        };
        let is_last = answer.is_err();
        if answered.send(answer).is_err() || is_last {
            return;
        }
    }
}

fn keep_last(mut stderr: impl Read, errors: &Mutex<Vec<u8>>) {
    let mut block = [0; 1024];
    while let Ok(read @ 1..) = stderr.read(&mut block) {
        let mut errors = errors.lock().unwrap_or_else(PoisonError::into_inner);
        errors.extend_from_slice(&block[..read]);
        let surplus = errors.len().saturating_sub(ERROR_OUTPUT);
        errors.drain(..surplus);
    }
}

/// The beginning of a text, with nothing in it that could move the cursor of a terminal.
pub(super) fn shown(text: &str) -> String {
    let text = text.trim_end();
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}...", clean(&text[..at])),
        None => clean(text),
    }
}

fn clean(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// The words of a command. Quotes keep spaces together; there is no shell.
fn words(command: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in command.chars() {
        match (quote, c) {
            (Some(end), c) if c == end => quote = None,
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    if quote.is_some() {
        return Err(format!("a quote is never closed: {command}"));
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn commands_are_split_at_spaces() {
        let split = words(r#" python3  'my model.py' --name="a b" "" "#).unwrap();
        assert_eq!(split, ["python3", "my model.py", "--name=a b", ""]);
        assert!(words("").unwrap().is_empty());
        assert!(words("a 'b").is_err());
    }
}
