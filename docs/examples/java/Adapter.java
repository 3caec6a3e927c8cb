import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.function.Function;

/**
 * Lets {@code tenure check --exec} call a Java scheduler: scripts of calls come in on standard
 * input, their results go out on standard output, as docs/reference/adapter-protocol.md says.
 *
 * <p>For a scheduler of your own, write another {@link Target}.
 */
public final class Adapter {

    /** A scheduler, and what it can do. */
    private interface Target {
        /** What the scheduler is, and what it lacks. */
        Map<String, Object> hello();

        /** Throws the scheduler away and makes a new one. */
        void reset();

        /** What came of the call, as plain values; throws what the scheduler throws. */
        Object answer(Call call) throws Json.Malformed;
    }

    private static final long EXACT_MOST = (1L << 53) - 1;

    private Adapter() {}

    /** Answers line by line until the input ends. */
    public static void main(String[] arguments) {
        Target target = switch (String.join(" ", arguments)) {
            case "right" -> new Right();
            case "naive" -> new Naive();
            default -> null;
        };
        if (target == null) {
            System.err.println("usage: java -cp out Adapter right|naive");
            System.exit(2);
        }
        try {
            serve(target);
        } catch (Json.Malformed | IOException error) {
            System.err.println("Adapter: " + error.getMessage());
            System.exit(1);
        }
    }

    private static void serve(Target target) throws Json.Malformed, IOException {
        // Coders, not charsets: these report what isn't UTF-8 where the others would replace it.
        var decoder = StandardCharsets.UTF_8.newDecoder();
        var encoder = StandardCharsets.UTF_8.newEncoder();
        var in = new BufferedReader(new InputStreamReader(System.in, decoder));
        var out = new BufferedWriter(new OutputStreamWriter(System.out, encoder));
        StringBuilder answer = new StringBuilder();
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            answer.setLength(0);
            Json.write(results(target, Json.read(line)), answer);
            out.append(answer.append('\n'));
            out.flush();
        }
    }

    private static List<Object> results(Target target, Object script) throws Json.Malformed {
        if (!(script instanceof List<?> calls)) {
            throw new Json.Malformed("a line must be an array of operations");
        }
        List<Object> results = new ArrayList<>(calls.size());
        for (Object fields : calls) {
            results.add(result(target, new Call(fields)));
        }
        return results;
    }

    /**
     * Only what a scheduler throws on purpose is a rejection. Whatever else comes up is a mistake,
     * and ends the adapter, so that the check doesn't take it for one.
     */
    private static Object result(Target target, Call call) throws Json.Malformed {
        try {
            return Json.object("answer", answer(target, call));
        } catch (IllegalArgumentException | IllegalStateException | NoSuchElementException error) {
            return Json.object("error", error.getClass().getSimpleName());
        }
    }

    private static Object answer(Target target, Call call) throws Json.Malformed {
        switch (call.op()) {
            case "hello":
                return target.hello();
            case "reset":
                target.reset();
                return null;
            default:
                return target.answer(call);
        }
    }

    // -- the two schedulers

    private static final class Right implements Target {
        private Scheduler scheduler = new Scheduler();

        @Override
        public Map<String, Object> hello() {
            return Json.object(
                    "protocol", 1L, "name", "Scheduler.java", "lacks", List.of(),
                    "numbering", "exact", "typed_arguments", false, "rejects", "error");
        }

        @Override
        public void reset() {
            scheduler = new Scheduler();
        }

        @Override
        public Object answer(Call call) throws Json.Malformed {
            switch (call.op()) {
                case "add_worker":
                    scheduler.addWorker(call.text("worker"), call.number("capacity"));
                    return null;
                case "set_capacity":
                    scheduler.setCapacity(call.text("worker"), call.number("capacity"));
                    return null;
                case "add_task":
                    byte[] bytes = call.bytes("payload");
                    Scheduler.Payload payload = bytes == null ? null : new Scheduler.Payload(bytes);
                    return number(scheduler.addTask(call.number("priority"), payload));
                case "forget":
                    return scheduler.forget(call.number("task_id"));
                case "forget_worker":
                    return scheduler.forgetWorker(call.text("worker"));
                case "dispatch", "complete", "renew", "release", "advance":
                    return timed(call, call.number("now"));
                default:
                    return query(call);
            }
        }

        private Object timed(Call call, long now) throws Json.Malformed {
            if (call.op().equals("advance")) {
                return list(scheduler.advance(now), Right::lease);
            }
            if (call.op().equals("dispatch")) {
                return lease(scheduler.dispatch(call.text("worker"), now, call.number("duration")));
            }
            long id = call.number("task_id");
            long token = call.number("token");
            return switch (call.op()) {
                case "complete" -> scheduler.complete(id, token, now);
                case "release" -> scheduler.release(id, token, now);
                default -> lease(scheduler.renew(id, token, now, call.number("duration")));
            };
        }

        private Object query(Call call) throws Json.Malformed {
            return switch (call.op()) {
                case "now" -> number(scheduler.now());
                case "task" -> task(scheduler.task(call.number("task_id")));
                case "tasks" -> list(scheduler.tasks(call.status("status")), Right::task);
                case "worker" -> worker(scheduler.worker(call.text("name")));
                case "workers" -> list(scheduler.workers(), Right::worker);
                case "leases" -> list(scheduler.leases(), Right::lease);
                case "counts" -> counts(scheduler.counts());
                case "next_expiry" -> number(scheduler.nextExpiry());
                default -> throw call.unknown();
            };
        }

        private static Object lease(Scheduler.Lease lease) {
            return lease == null ? null : Json.object(
                    "task_id", number(lease.taskId()),
                    "worker", lease.worker(),
                    "token", number(lease.token()),
                    "attempt", number(lease.attempt()),
                    "start", number(lease.start()),
                    "expiry", number(lease.expiry()),
                    "payload", payload(lease.payload()));
        }

        private static Object task(Scheduler.Task task) {
            return task == null ? null : Json.object(
                    "id", number(task.id()),
                    "priority", number(task.priority()),
                    "payload", payload(task.payload()),
                    "status", task.status().name().toLowerCase(Locale.ROOT),
                    "attempts", number(task.attempts()),
                    "lease", lease(task.lease()));
        }

        private static Object worker(Scheduler.Worker worker) {
            return worker == null ? null : Json.object(
                    "name", worker.name(),
                    "capacity", number(worker.capacity()),
                    "held", number(worker.held()));
        }

        private static Object counts(Scheduler.Counts counts) {
            return Json.object(
                    "pending", number(counts.pending()),
                    "running", number(counts.running()),
                    "done", number(counts.done()));
        }

        private static Object payload(Scheduler.Payload payload) {
            return payload == null ? null : base64(payload.bytes());
        }
    }

    /** It has no tokens: the adapter numbers what is dispatched, and knows whose each number is. */
    private static final class Naive implements Target {
        private NaiveScheduler scheduler = new NaiveScheduler();
        private final Map<Long, String> workers = new HashMap<>();
        private final Map<Long, Long> tokens = new HashMap<>();

        @Override
        public Map<String, Object> hello() {
            return Json.object(
                    "protocol", 1L, "name", "NaiveScheduler.java",
                    "lacks", List.of("queries", "forget", "forget_worker", "expired"),
                    "numbering", "exact", "typed_arguments", false, "rejects", "error");
        }

        @Override
        public void reset() {
            scheduler = new NaiveScheduler();
            workers.clear();
            tokens.clear();
        }

        @Override
        public Object answer(Call call) throws Json.Malformed {
            switch (call.op()) {
                case "add_worker":
                    scheduler.addWorker(call.text("worker"), call.number("capacity"));
                    return null;
                case "set_capacity":
                    scheduler.setCapacity(call.text("worker"), call.number("capacity"));
                    return null;
                case "add_task":
                    return number(scheduler.addTask(call.number("priority"), call.bytes("payload")));
                case "dispatch":
                    return dispatch(call.text("worker"), call.number("now"), call.number("duration"));
                case "advance":
                    scheduler.requeueExpired(call.number("now"));
                    return null;
                case "complete", "renew", "release":
                    return end(call, call.number("task_id"), workers.get(call.number("token")));
                default:
                    throw call.unknown();
            }
        }

        private Object dispatch(String worker, long now, long duration) {
            NaiveScheduler.Task task = scheduler.dispatch(worker, now, duration);
            if (task != null) {
                long token = workers.size() + 1;
                workers.put(token, worker);
                tokens.put(task.id, token);
            }
            return lease(task);
        }

        private Object end(Call call, long id, String worker) throws Json.Malformed {
            long now = call.number("now");
            return switch (call.op()) {
                case "complete" -> scheduler.complete(id, worker, now);
                case "release" -> scheduler.release(id, worker, now);
                default -> lease(scheduler.renew(id, worker, now, call.number("duration")));
            };
        }

        private Object lease(NaiveScheduler.Task task) {
            return task == null ? null : Json.object(
                    "task_id", number(task.id),
                    "worker", task.worker,
                    "token", number(tokens.get(task.id)),
                    "attempt", number(task.attempts),
                    "start", number(task.start),
                    "expiry", number(task.expiry),
                    "payload", task.payload == null ? null : base64(task.payload));
        }
    }

    // -- from JSON and to JSON

    /** One call of a script. What is wrong with its fields is the caller's fault: Malformed. */
    private static final class Call {
        private final Map<?, ?> fields;

        Call(Object fields) throws Json.Malformed {
            if (!(fields instanceof Map<?, ?> object)) {
                throw new Json.Malformed("an operation must be an object");
            }
            this.fields = object;
        }

        String op() throws Json.Malformed {
            return text("op");
        }

        String text(String name) throws Json.Malformed {
            if (fields.get(name) instanceof String text) {
                return text;
            }
            throw wrong(name, "a string");
        }

        long number(String name) throws Json.Malformed {
            Object value = fields.get(name);
            if (value instanceof Long number) {
                return number;
            }
            try {
                return Long.parseLong((String) value);
            } catch (ClassCastException | NumberFormatException error) {
                throw wrong(name, "an integer of 64 bits");
            }
        }

        byte[] bytes(String name) throws Json.Malformed {
            try {
                return isNull(name) ? null : Base64.getDecoder().decode(text(name));
            } catch (IllegalArgumentException error) {
                throw wrong(name, "base64 or null");
            }
        }

        Scheduler.Status status(String name) throws Json.Malformed {
            if (isNull(name)) {
                return null;
            }
            return switch (text(name)) {
                case "pending" -> Scheduler.Status.PENDING;
                case "running" -> Scheduler.Status.RUNNING;
                case "done" -> Scheduler.Status.DONE;
                default -> throw wrong(name, "a status or null");
            };
        }

        Json.Malformed unknown() throws Json.Malformed {
            return new Json.Malformed("unknown operation: " + op());
        }

        private boolean isNull(String name) {
            return fields.containsKey(name) && fields.get(name) == null;
        }

        private Json.Malformed wrong(String name, String allowed) {
            return new Json.Malformed("\"" + name + "\" must be " + allowed + " in " + fields);
        }
    }

    private static <T> List<Object> list(List<T> values, Function<T, Object> written) {
        return values.stream().map(written).toList();
    }

    /** Greater integers are strings, since many readers of JSON would round them. */
    private static Object number(Long value) {
        boolean exact = value == null || -EXACT_MOST <= value && value <= EXACT_MOST;
        return exact ? value : value.toString();
    }

    private static String base64(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }
}
