//! loole: a thread sends a message through a channel without room, and then receives it itself.

fn main() {
    for round in 1.. {
        let (sender, receiver) = loole::bounded(0);
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| receiver.recv());
            // A `try_send` succeeds if a receiver waits. It has handed the message over then.
            while sender.try_send(round).is_err() {
                std::thread::yield_now();
            }
            if receiver.try_recv() == Ok(round) {
                println!("round {round}: try_send had returned, and its message was still there");
                std::process::exit(0);
            }
            waits.join().unwrap().unwrap();
        });
    }
}
