import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/**
 * Records the operations of concurrent clients for {@code linpoint check}.
 *
 * <p>One file without dependencies: copy it into your tests. Java 16 or newer.
 *
 * <pre>{@code
 * try (var log = new LinpointRecorder(Path.of("run.jsonl"), "counter")) {
 *     long value = log.record("client-1", "add_fetch", List.of(1), () -> api.incr());
 * }
 * }</pre>
 *
 * <p>A call is written before the operation begins and its end after it has ended, each with one write, so a crash loses
 * nothing that matters. What linpoint's model calls an operation, and what its results look like, {@code linpoint
 * models} says. docs/recording.md explains how to record what is true.
 */
public final class LinpointRecorder implements AutoCloseable {
    /** Throw this if the operation certainly did not happen. */
    public static class Failed extends Exception {
        public Failed(String message) {
            super(message);
        }
    }

    private final OutputStream out;
    private final boolean times;
    private final long origin = System.nanoTime();
    private long next = 0;

    /** Starts a file with the time of each event. */
    public LinpointRecorder(Path path, String model) throws IOException {
        this(path, model, true);
    }

    /** Starts a file. Without times, it has only the order of events. */
    public LinpointRecorder(Path path, String model, boolean times) throws IOException {
        this.out = Files.newOutputStream(path);
        this.times = times;
        Map<String, Object> header = new LinkedHashMap<>();
        header.put("linpoint", 1);
        if (model != null) header.put("model", model);
        if (times) header.put("unit", "ns");
        write(header);
    }

    /**
     * Performs an operation of a client and gives its result. {@link Failed}: it did not happen. Any other exception:
     * nobody knows whether it happened.
     */
    public <T> T record(Object process, String op, List<?> args, Callable<T> operation) throws Exception {
        Operation open = call(process, op, args);
        T result;
        try {
            result = operation.call();
        } catch (Failed failed) {
            open.failed();
            throw failed;
        } catch (Throwable unknown) {
            open.unknown();
            throw unknown;
        }
        open.returned(result);
        return result;
    }

    /** An operation begins. Call this before the request is sent, and a method of what it gives after. */
    public Operation call(Object process, String op, List<?> args) throws IOException {
        return callOn(null, process, op, args);
    }

    /** The same for one of several objects. */
    public synchronized Operation callOn(Object object, Object process, String op, List<?> args) throws IOException {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("call", ++next);
        line.put("process", process);
        line.put("op", op);
        line.put("args", args);
        if (object != null) line.put("object", object);
        event(line);
        return new Operation(next);
    }

    /** A fault begins: a partition, a pause. */
    public void fault(String name, String detail) throws IOException {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("fault", name);
        line.put("detail", detail);
        event(line);
    }

    /** A fault ends. */
    public void heal(String name) throws IOException {
        event(new LinkedHashMap<>(Map.of("heal", name)));
    }

    /** Something else happened: a new leader, a restart. */
    public void event(String text, String detail) throws IOException {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("event", text);
        line.put("detail", detail);
        event(line);
    }

    /** Ends the file. Operations that are still open never returned. */
    @Override
    public synchronized void close() throws IOException {
        out.close();
    }

    /** An open operation. */
    public final class Operation {
        private final long number;

        private Operation(long number) {
            this.number = number;
        }

        /** It ended with this result. */
        public void returned(Object value) throws IOException {
            Map<String, Object> line = new LinkedHashMap<>();
            line.put("return", number);
            line.put("value", value);
            event(line);
        }

        /** It certainly did not happen. */
        public void failed() throws IOException {
            event(new LinkedHashMap<>(Map.of("fail", number)));
        }

        /** Nobody knows: a timeout, a lost connection. It may happen later, or may have happened. */
        public void unknown() throws IOException {
            event(new LinkedHashMap<>(Map.of("info", number)));
        }
    }

    private synchronized void event(Map<String, Object> line) throws IOException {
        // Under the lock, so that times never go back.
        if (times) line.put("time", System.nanoTime() - origin);
        write(line);
    }

    private void write(Map<String, Object> line) throws IOException {
        StringBuilder text = new StringBuilder();
        json(line, text);
        out.write(text.append('\n').toString().getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    /** Values that linpoint reads: null, true, false, 64-bit integers, strings, lists, objects. Others become strings. */
    private static void json(Object value, StringBuilder out) {
        if (value == null || value instanceof Boolean || value instanceof Long || value instanceof Integer
                || value instanceof Short || value instanceof Byte) {
            out.append(value);
        } else if (value instanceof Map<?, ?> map) {
            String separator = "{";
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                string(String.valueOf(entry.getKey()), out.append(separator));
                json(entry.getValue(), out.append(':'));
                separator = ",";
            }
            out.append(map.isEmpty() ? "{}" : "}");
        } else if (value instanceof Iterable<?> items) {
            String separator = "";
            out.append('[');
            for (Object item : items) {
                json(item, out.append(separator));
                separator = ",";
            }
            out.append(']');
        } else {
            string(value.toString(), out);
        }
    }

    private static void string(String text, StringBuilder out) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean alone = Character.isSurrogate(c)
                    && !(Character.isHighSurrogate(c) && i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1)))
                    && !(Character.isLowSurrogate(c) && i > 0 && Character.isHighSurrogate(text.charAt(i - 1)));
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (alone) {
                out.append("\\ufffd");
            } else if (c < 0x20) {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        out.append('"');
    }
}
