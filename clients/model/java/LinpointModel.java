import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A model for linpoint in Java: one file, no dependencies. Copy it next to your model.
 *
 * <p>Values and states are what JSON has: null, Boolean, Long, String, List and Map with texts as keys. Two states are equal if
 * their JSON is. Run the model with: linpoint check --model-command 'java Bank.java' run.jsonl
 */
public abstract class LinpointModel {
    /** A result of an operation and the state after it. */
    public record Outcome(Object result, Object state) {}

    /** The state before the first operation. The options that were given are in {@link #options}. */
    public abstract Object init();

    /** All outcomes; none if the operation has to wait. The state is a copy and may be changed. */
    public abstract List<Outcome> step(Object state, String op, List<Object> args, Long process);

    /** The state as text, for explanations. */
    public String describe(Object state) {
        return write(state);
    }

    /** What the model says about itself: "version", "about", "shape", "reads", "keys", "one_key", "process", "ops". */
    public final Map<String, Object> about = new LinkedHashMap<>();

    /** What can be set, with defaults. */
    public final Map<String, Object> options = new TreeMap<>();

    /** Answers linpoint's questions until it has no more. */
    public final void serve(String name) throws Exception {
        var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        var out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        for (String line; (line = in.readLine()) != null; ) {
            var question = map(new Parser(line).value());
            Map<String, Object> answer;
            try {
                answer = answer(name, question);
            } catch (RuntimeException error) {
                answer = new LinkedHashMap<>(); // linpoint reports it
                answer.put("error", error.toString());
            }
            answer.put("id", question.get("id"));
            out.print(write(answer) + "\n");
            out.flush();
        }
    }

    private Map<String, Object> answer(String name, Map<String, Object> question) {
        var answer = new LinkedHashMap<String, Object>();
        if (question.containsKey("steps")) {
            var all = new ArrayList<Object>();
            for (var step : list(question.get("steps"))) {
                all.add(run(map(step)));
            }
            answer.put("outcomes", all);
        } else if (question.containsKey("init")) {
            answer.put("state", init());
        } else if (question.containsKey("describe")) {
            answer.put("text", describe(question.get("describe")));
        } else {
            options.putAll(map(map(question.get("hello")).get("options")));
            answer.putAll(about);
            answer.put("name", name);
            answer.put("options", options);
        }
        return answer;
    }

    /** Performs operations one after the other and gives all outcomes of each. */
    private List<Object> run(Map<String, Object> question) {
        var state = write(question.get("state"));
        var answers = new ArrayList<Object>();
        for (var each : list(question.get("ops"))) {
            var op = list(each);
            var process = op.size() > 2 ? (Long) op.get(2) : null;
            var copy = new Parser(state).value();
            var pairs = new ArrayList<Object>();
            for (var outcome : step(copy, (String) op.get(0), list(op.get(1)), process)) {
                // As text, since the model may go on changing it.
                var after = write(outcome.state());
                if (pairs.isEmpty()) {
                    state = after;
                }
                pairs.add(List.of(new Written(write(outcome.result())), new Written(after)));
            }
            answers.add(pairs);
        }
        return answers;
    }

    @SuppressWarnings("unchecked")
    public static Map<String, Object> map(Object value) {
        return (Map<String, Object>) value;
    }

    @SuppressWarnings("unchecked")
    public static List<Object> list(Object value) {
        return (List<Object>) value;
    }

    /** JSON that has been written. */
    private record Written(String text) {}

    private static String write(Object value) {
        var text = new StringBuilder();
        write(value, text);
        return text.toString();
    }

    private static void write(Object value, StringBuilder text) {
        if (value instanceof Written written) {
            text.append(written.text());
        } else if (value instanceof String string) {
            writeString(string, text);
        } else if (value instanceof Map<?, ?> entries) {
            var separator = "{";
            for (var entry : new TreeMap<>(entries).entrySet()) {
                text.append(separator);
                writeString(String.valueOf(entry.getKey()), text);
                text.append(':');
                write(entry.getValue(), text);
                separator = ",";
            }
            text.append(entries.isEmpty() ? "{}" : "}");
        } else if (value instanceof Collection<?> items) {
            var separator = "[";
            for (var item : items) {
                text.append(separator);
                write(item, text);
                separator = ",";
            }
            text.append(items.isEmpty() ? "[]" : "]");
        } else {
            text.append(value);
        }
    }

    private static void writeString(String string, StringBuilder text) {
        text.append('"');
        for (var c : string.toCharArray()) {
            if (c == '"' || c == '\\') {
                text.append('\\').append(c);
            } else if (c < ' ') {
                text.append(String.format("\\u%04x", (int) c));
            } else {
                text.append(c);
            }
        }
        text.append('"');
    }

    /** Reads JSON as linpoint writes it. */
    private static final class Parser {
        private final String text;
        private int at;

        Parser(String text) {
            this.text = text;
        }

        Object value() {
            switch (next()) {
                case '{': {
                    var entries = new LinkedHashMap<String, Object>();
                    while (!accept('}')) {
                        accept(',');
                        next();
                        var key = string();
                        accept(':');
                        entries.put(key, value());
                    }
                    return entries;
                }
                case '[': {
                    var items = new ArrayList<Object>();
                    while (!accept(']')) {
                        accept(',');
                        items.add(value());
                    }
                    return items;
                }
                case '"':
                    return string();
                default:
                    return word();
            }
        }

        private char next() {
            while (text.charAt(at) == ' ') {
                at++;
            }
            return text.charAt(at++);
        }

        private boolean accept(char c) {
            var found = next() == c;
            at -= found ? 0 : 1;
            return found;
        }

        private Object word() {
            var begin = at - 1;
            while (at < text.length() && ",]} ".indexOf(text.charAt(at)) < 0) {
                at++;
            }
            var word = text.substring(begin, at);
            switch (word) {
                case "null":
                    return null;
                case "true":
                    return true;
                case "false":
                    return false;
                default:
                    return Long.valueOf(word);
            }
        }

        private String string() {
            var string = new StringBuilder();
            for (char c; (c = text.charAt(at++)) != '"'; ) {
                if (c == '\\') {
                    c = text.charAt(at++);
                    switch (c) {
                        case 'n' -> c = '\n';
                        case 't' -> c = '\t';
                        case 'r' -> c = '\r';
                        case 'b' -> c = '\b';
                        case 'f' -> c = '\f';
                        case 'u' -> {
                            c = (char) Integer.parseInt(text.substring(at, at + 4), 16);
                            at += 4;
                        }
                        default -> { }
                    }
                }
                string.append(c);
            }
            return string.toString();
        }
    }
}
