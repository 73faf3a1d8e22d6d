import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Records what threads do with an object, as JSON lines that linpoint reads; docs/java.md says more.
 *
 * <pre>
 * var recorder = new Recorder();
 * // in each thread, with a number of its own:
 * recorder.call(thread, "offer", () -&gt; queue.offer(7), 7);
 * // when all threads are done:
 * recorder.write("run.jsonl", "java:class=ConcurrentLinkedQueue");
 * </pre>
 *
 * <p>Each call takes a number just before and just after, from one counter, so what is recorded as one after the
 * other was. {@code java Recorder.java queue run.jsonl} records an example; copy the class, without its main, into
 * your own tests.
 */
public final class Recorder {
    private final AtomicLong clock = new AtomicLong();
    private final ConcurrentLinkedQueue<String> lines = new ConcurrentLinkedQueue<>();

    /** Calls a method and records it: who called, what, with which arguments. */
    public <T> T call(int process, String name, Callable<T> method, Object... args) {
        T result = null;
        Object seen;
        long start = clock.getAndIncrement();
        try {
            result = method.call();
            seen = result;
        } catch (Exception thrown) {
            seen = thrown.getClass().getName();
        }
        long end = clock.getAndIncrement();
        lines.add("{\"process\":" + process + ",\"op\":" + json(name) + ",\"args\":" + json(Arrays.asList(args))
                + ",\"value\":" + json(seen) + ",\"start\":" + start + ",\"end\":" + end + "}");
        return result;
    }

    /** Writes everything that was recorded so far. */
    public void write(String path, String model) throws IOException {
        try (var out = new PrintWriter(path, "UTF-8")) {
            out.println("{\"linpoint\":1,\"model\":" + json(model) + "}");
            lines.forEach(out::println);
        }
    }

    /** Numbers, truth values, null and lists are themselves; anything else is what it prints. */
    private static String json(Object value) {
        if (value == null || value instanceof Integer || value instanceof Long || value instanceof Boolean) {
            return String.valueOf(value);
        }
        if (value instanceof List<?> list) {
            var items = new ArrayList<String>();
            list.forEach(item -> items.add(json(item)));
            return "[" + String.join(",", items) + "]";
        }
        var text = new StringBuilder("\"");
        for (char c : String.valueOf(value).toCharArray()) {
            if (c == '"' || c == '\\') {
                text.append('\\').append(c);
            } else if (c < ' ') {
                text.append(String.format("\\u%04x", (int) c));
            } else {
                text.append(c);
            }
        }
        return text.append('"').toString();
    }

    /** A queue that now and then says that it has taken an element, and has not. */
    private static final class Forgetful extends ConcurrentLinkedQueue<Integer> {
        @Override
        public boolean offer(Integer element) {
            return element % 5 == 4 || super.offer(element);
        }
    }

    /** Example: three threads, and one of the objects "queue", "map" and "forgetful". */
    public static void main(String[] args) throws Exception {
        var recorder = new Recorder();
        var queue = args[0].equals("forgetful") ? new Forgetful() : new ConcurrentLinkedQueue<Integer>();
        var map = new ConcurrentHashMap<Integer, Integer>();
        var ready = new CountDownLatch(3);
        var threads = new ArrayList<Thread>();
        for (int number = 0; number < 3; number++) {
            int process = number;
            threads.add(new Thread(() -> {
                var random = new Random(process);
                ready.countDown();
                try {
                    ready.await();
                } catch (InterruptedException interrupted) {
                    return;
                }
                for (int i = 0; i < 100; i++) {
                    int value = 3 * i + process;
                    int key = random.nextInt(4);
                    if (!args[0].equals("map")) {
                        recorder.call(process, "offer", () -> queue.offer(value), value);
                        recorder.call(process, "poll", queue::poll);
                    } else if (random.nextBoolean()) {
                        recorder.call(process, "put", () -> map.put(key, value), key, value);
                    } else {
                        recorder.call(process, "remove", () -> map.remove(key), key);
                    }
                }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        String type = args[0].equals("map") ? "ConcurrentHashMap" : "ConcurrentLinkedQueue";
        recorder.write(args[1], "java:class=" + type);
    }
}
