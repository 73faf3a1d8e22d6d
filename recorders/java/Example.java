import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Four threads increment a counter. usage: Example FILE correct|broken [plain] */
public final class Example {
    private final boolean broken;
    private long value = 0;
    private int calls = 0;

    private Example(boolean broken) {
        this.broken = broken;
    }

    /** The service. The broken one forgets every fifth addition. */
    private synchronized long incr() throws Exception {
        calls++;
        if (calls % 7 == 0) throw new LinpointRecorder.Failed("refused: nothing was added");
        if (calls % 11 == 0) {
            value++;
            throw new java.util.concurrent.TimeoutException("the answer was lost");
        }
        if (broken && calls % 5 == 0) return value + 1;
        return ++value;
    }

    public static void main(String[] args) throws Exception {
        boolean plain = args.length > 2 && args[2].equals("plain");
        Example counter = new Example(args[1].equals("broken"));
        try (var log = new LinpointRecorder(Path.of(args[0]), "counter", !plain)) {
            if (!plain) log.fault("slow network", "every eleventh answer is lost");
            List<Thread> clients = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                String name = "client-" + i;
                clients.add(new Thread(() -> {
                    for (int n = 0; n < 50; n++) {
                        try {
                            log.record(name, "add_fetch", List.of(1), counter::incr);
                        } catch (Exception expected) {
                            // Recorded as failed or unknown.
                        }
                    }
                }));
            }
            for (Thread client : clients) client.start();
            for (Thread client : clients) client.join();
            if (!plain) log.heal("slow network");
        }
    }
}
