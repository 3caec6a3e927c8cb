import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads and writes JSON as plain values: null, Boolean, Long, Double, String, List and Map.
 *
 * <p>Strict: it reads what RFC 8259 allows and nothing else, no name twice in an object, and no
 * deeper than {@value #DEPTH_MOST} levels, so that no input overflows the stack.
 */
final class Json {

    /** The text isn't JSON, or isn't what is needed. */
    static final class Malformed extends Exception {
        private static final long serialVersionUID = 1L;

        Malformed(String message) {
            super(message);
        }
    }

    private static final int DEPTH_MOST = 100;

    private final String text;
    private int at;
    private int depth;

    private Json(String text) {
        this.text = text;
    }

    /** The value that the text holds. */
    static Object read(String text) throws Malformed {
        Json json = new Json(text);
        Object value = json.value();
        json.space();
        if (json.at < text.length()) {
            throw json.malformed("nothing more");
        }
        return value;
    }

    /** An object from names and values in turn, which may be null and keep their order. */
    static Map<String, Object> object(Object... namesAndValues) {
        Map<String, Object> object = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            object.put((String) namesAndValues[i], namesAndValues[i + 1]);
        }
        return object;
    }

    /** Appends the value as JSON, on one line and in ASCII. */
    static void write(Object value, StringBuilder out) {
        if (value == null || value instanceof Boolean || value instanceof Long) {
            out.append(value);
        } else if (value instanceof String string) {
            writeString(string, out);
        } else if (value instanceof List<?> list) {
            writeList(list, out);
        } else if (value instanceof Map<?, ?> map) {
            writeObject(map, out);
        } else {
            throw new AssertionError("no form for " + value.getClass());
        }
    }

    private static void writeList(List<?> list, StringBuilder out) {
        char separator = '[';
        for (Object item : list) {
            out.append(separator);
            write(item, out);
            separator = ',';
        }
        out.append(list.isEmpty() ? "[]" : "]");
    }

    private static void writeObject(Map<?, ?> map, StringBuilder out) {
        char separator = '{';
        for (Map.Entry<?, ?> field : map.entrySet()) {
            out.append(separator);
            write(field.getKey(), out);
            out.append(':');
            write(field.getValue(), out);
            separator = ',';
        }
        out.append(map.isEmpty() ? "{}" : "}");
    }

    private static void writeString(String string, StringBuilder out) {
        out.append('"');
        for (int i = 0; i < string.length(); i++) {
            char unit = string.charAt(i);
            if (unit == '"' || unit == '\\') {
                out.append('\\').append(unit);
            } else if (' ' <= unit && unit <= '~') {
                out.append(unit);
            } else {
                out.append(String.format("\\u%04x", (int) unit));
            }
        }
        out.append('"');
    }

    // -- reading

    private Object value() throws Malformed {
        space();
        return switch (peek()) {
            case '{' -> object();
            case '[' -> list();
            case '"' -> string();
            case 't' -> word("true", Boolean.TRUE);
            case 'f' -> word("false", Boolean.FALSE);
            case 'n' -> word("null", null);
            default -> number();
        };
    }

    private Map<String, Object> object() throws Malformed {
        Map<String, Object> object = new LinkedHashMap<>();
        enter();
        if (!ends('}')) {
            do {
                space();
                String name = string();
                space();
                expect(':');
                if (object.containsKey(name)) {
                    throw malformed("another name than \"" + name + "\" again");
                }
                object.put(name, value());
            } while (goesOn('}'));
        }
        depth--;
        return object;
    }

    private List<Object> list() throws Malformed {
        List<Object> list = new ArrayList<>();
        enter();
        if (!ends(']')) {
            do {
                list.add(value());
            } while (goesOn(']'));
        }
        depth--;
        return list;
    }

    private void enter() throws Malformed {
        at++;
        if (++depth > DEPTH_MOST) {
            throw malformed("at most " + DEPTH_MOST + " levels");
        }
    }

    private boolean ends(char end) {
        space();
        if (peek() != end) {
            return false;
        }
        at++;
        return true;
    }

    private boolean goesOn(char end) throws Malformed {
        if (ends(end)) {
            return false;
        }
        expect(',');
        return true;
    }

    private String string() throws Malformed {
        expect('"');
        int start = at;
        StringBuilder unescaped = null;
        while (peek() != '"') {
            if (peek() == '\\') {
                unescaped = unescaped == null ? new StringBuilder() : unescaped;
                unescaped.append(text, start, at++).append(escaped());
                start = at;
            } else if (peek() < ' ') {
                throw malformed("a string's characters and its end");
            } else {
                at++;
            }
        }
        String rest = text.substring(start, at++);
        return unescaped == null ? rest : unescaped.append(rest).toString();
    }

    private char escaped() throws Malformed {
        char escape = peek();
        at++;
        return switch (escape) {
            case '"', '\\', '/' -> escape;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> hexadecimal();
            default -> throw malformed("an escape");
        };
    }

    private char hexadecimal() throws Malformed {
        int unit = 0;
        for (int i = 0; i < 4; i++, at++) {
            int digit = peek() < 128 ? Character.digit(peek(), 16) : -1;
            if (digit < 0) {
                throw malformed("four hexadecimal digits");
            }
            unit = unit * 16 + digit;
        }
        return (char) unit;
    }

    private Object word(String word, Object meaning) throws Malformed {
        if (!text.startsWith(word, at)) {
            throw malformed(word);
        }
        at += word.length();
        return meaning;
    }

    /** A Long where that is exact, else a Double. */
    private Object number() throws Malformed {
        int start = at;
        at += peek() == '-' ? 1 : 0;
        int first = at;
        digits();
        if (text.charAt(first) == '0' && at > first + 1) {
            throw malformed("no number that begins with 0");
        }
        boolean whole = true;
        if (peek() == '.') {
            whole = false;
            at++;
            digits();
        }
        if (peek() == 'e' || peek() == 'E') {
            whole = false;
            at++;
            at += peek() == '+' || peek() == '-' ? 1 : 0;
            digits();
        }
        String number = text.substring(start, at);
        try {
            return whole ? (Object) Long.valueOf(number) : Double.valueOf(number);
        } catch (NumberFormatException beyondLong) {
            return Double.valueOf(number);
        }
    }

    private void digits() throws Malformed {
        int start = at;
        while ('0' <= peek() && peek() <= '9') {
            at++;
        }
        if (at == start) {
            throw malformed("a value");
        }
    }

    private void space() {
        while (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r') {
            at++;
        }
    }

    private void expect(char expected) throws Malformed {
        if (peek() != expected) {
            throw malformed("'" + expected + "'");
        }
        at++;
    }

    /** The next character, or NUL at the end; JSON allows no NUL anywhere. */
    private char peek() {
        return at < text.length() ? text.charAt(at) : '\0';
    }

    private Malformed malformed(String expected) {
        return new Malformed("not JSON: at column " + (at + 1) + ", expected " + expected);
    }
}
