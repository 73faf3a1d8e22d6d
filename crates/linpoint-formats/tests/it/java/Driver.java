import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Runs sequential programs on the classes of java.util.concurrent, for tests/jvm.rs. A line of the input is
 * either "new", a class and the arguments of its constructor, or a method and its arguments, separated by
 * tabs. For each line there is a line of output: "v" for a method without a result, else "=" and the result.
 */
public class Driver {
    private static final Map<String, Method> METHODS = new HashMap<>();

    public static void main(String[] args) throws Exception {
        var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        var out = new BufferedWriter(new OutputStreamWriter(System.out, StandardCharsets.UTF_8));
        out.write(Runtime.version().feature() + "\n");
        Object object = null;
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split("\t");
            if (words[0].equals("new")) {
                object = construct(words);
                out.write("v\n");
            } else {
                out.write(call(object, words) + "\n");
            }
        }
        out.flush();
    }

    private static Object construct(String[] words) throws Exception {
        Class<?> type = Class.forName("java.util.concurrent." + words[1]);
        if (words.length == 2) {
            return type.getConstructor().newInstance();
        }
        return type.getConstructor(int.class).newInstance(Integer.parseInt(words[2]));
    }

    private static String call(Object object, String[] words) throws Exception {
        Class<?>[] types = new Class<?>[words.length - 1];
        Object[] args = new Object[words.length - 1];
        var signature = new StringBuilder(object.getClass().getName()).append(' ').append(words[0]);
        for (int i = 0; i < args.length; i++) {
            types[i] = type(words[i + 1].charAt(0));
            args[i] = argument(words[i + 1]);
            signature.append(' ').append(types[i].getName());
        }
        Method method = METHODS.get(signature.toString());
        if (method == null) {
            method = object.getClass().getMethod(words[0], types);
            METHODS.put(signature.toString(), method);
        }
        try {
            Object result = method.invoke(object, args);
            return method.getReturnType() == void.class ? "v" : "=" + print(result);
        } catch (InvocationTargetException thrown) {
            return "=" + thrown.getCause().getClass().getName();
        } catch (ClassCastException thrown) {
            // A view compares only when it is printed.
            return "=" + thrown.getClass().getName();
        }
    }

    private static Class<?> type(char tag) {
        return switch (tag) {
            case 'b' -> boolean.class;
            case 'c' -> Collection.class;
            case 'm' -> Map.class;
            default -> Object.class;
        };
    }

    private static Object argument(String word) {
        String rest = word.substring(1);
        if (rest.equals("!")) {
            return null;
        }
        return switch (word.charAt(0)) {
            case 'b' -> rest.equals("true");
            case 'i' -> Integer.valueOf(rest);
            case 'c' -> {
                var list = new ArrayList<Object>();
                for (String item : rest.split(",")) {
                    if (!item.isEmpty()) {
                        list.add(argument(item));
                    }
                }
                yield list;
            }
            case 'm' -> {
                var map = new LinkedHashMap<Object, Object>();
                for (String entry : rest.split(",")) {
                    if (!entry.isEmpty()) {
                        String[] sides = entry.split(":");
                        map.put(argument(sides[0]), argument(sides[1]));
                    }
                }
                yield map;
            }
            default -> rest;
        };
    }

    private static String print(Object result) {
        if (result instanceof Object[] array) {
            var list = new ArrayList<String>();
            for (Object item : array) {
                list.add(String.valueOf(item));
            }
            return "[" + String.join(",", list) + "]";
        }
        if (result instanceof Enumeration<?> all) {
            var list = new ArrayList<String>();
            while (all.hasMoreElements()) {
                list.add(String.valueOf(all.nextElement()));
            }
            return "[" + String.join(",", list) + "]";
        }
        return String.valueOf(result);
    }
}
