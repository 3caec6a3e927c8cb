import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.TreeSet;

/**
 * A leased task scheduler: it gives pending tasks to workers, each for a bounded time, as
 * spec/CONTRACT.md says. The numbers in parentheses are those of its sentences.
 *
 * <p>All state is immutable values in four collections. A change replaces a value, so a value that
 * was handed out never changes, and needs no copy (V5). Time is an argument; no clock is read.
 *
 * <p>An argument that breaks a rule is an {@link IllegalArgumentException}, and nothing has changed
 * then (R1). What can't be met is answered with {@code null} or {@code false} (R2). Calls take
 * O(log tasks), but for what they hand out. One thread at a time may call.
 */
public final class Scheduler {

    /** A task has exactly one status (L1). */
    public enum Status { PENDING, RUNNING, DONE }

    /**
     * The bytes of a task, which nobody looks into (V4).
     *
     * <p>A record is only shallowly immutable: its array could be changed from outside, and its
     * generated {@code equals} would compare which array it is, not what is in it. So the array is
     * copied on its way in and on its way out, and compared by content. This is done here once, so
     * that the other records can do without.
     */
    public record Payload(byte[] bytes) {
        public Payload {
            require(bytes != null, "a payload needs bytes; no payload at all is null");
            bytes = bytes.clone();
        }

        @Override
        public byte[] bytes() {
            return bytes.clone();
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Payload payload && Arrays.equals(bytes, payload.bytes);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(bytes);
        }

        @Override
        public String toString() {
            return "Payload[" + bytes.length + " bytes]";
        }
    }

    /** One assignment of one task to one worker, live on [start, expiry) (L3). */
    public record Lease(
            long taskId,
            String worker,
            long token,
            long attempt,
            long start,
            long expiry,
            Payload payload) {

        /** A lease is over at its expiry, not after it (T4). */
        public boolean isOver(long now) {
            return expiry <= now;
        }

        private Lease until(long later) {
            return new Lease(taskId, worker, token, attempt, start, later, payload);
        }
    }

    /** A task as it stood when it was asked for; its lease is null unless it runs (L3). */
    public record Task(
            long id, long priority, Payload payload, Status status, long attempts, Lease lease) {

        private Task pending() {
            return new Task(id, priority, payload, Status.PENDING, attempts, null);
        }

        private Task running(Lease granted) {
            return new Task(id, priority, payload, Status.RUNNING, granted.attempt(), granted);
        }

        private Task done() {
            return new Task(id, priority, payload, Status.DONE, attempts, null);
        }
    }

    /** A worker as it stood when it was asked for: it holds that many live leases (P2). */
    public record Worker(String name, long capacity, long held) {

        /** A worker takes no more leases than its capacity, which may have sunk below (O2, O4). */
        public boolean hasRoom() {
            return held < capacity;
        }

        private Worker holding(long more) {
            return new Worker(name, capacity, held + more);
        }
    }

    /** How many tasks are in each status. */
    public record Counts(long pending, long running, long done) {}

    /** The greatest priority first, then the smallest id (O4). A minus would overflow here. */
    private static final Comparator<Task> FIRST_DISPATCHED =
            Comparator.comparingLong(Task::priority).reversed().thenComparingLong(Task::id);

    /** The order in which leases expire (T3). */
    private static final Comparator<Lease> FIRST_OVER =
            Comparator.comparingLong(Lease::expiry).thenComparingLong(Lease::token);

    /** In order of creation, which for tasks is that of their ids; replacing keeps the place. */
    private final Map<Long, Task> tasks = new LinkedHashMap<>();
    private final Map<String, Worker> workers = new LinkedHashMap<>();
    private final TreeSet<Task> pending = new TreeSet<>(FIRST_DISPATCHED);
    private final TreeSet<Lease> leases = new TreeSet<>(FIRST_OVER);
    private long now;
    private long lastId;
    private long lastToken;

    /** A scheduler at time 0 that knows no task and no worker. */
    public Scheduler() {
        this(0, 0, 0);
    }

    /** One that goes on where an earlier one ended, so that no id and no token comes twice (I2). */
    public Scheduler(long now, long lastId, long lastToken) {
        requireTime(now);
        require(lastId >= 0 && lastToken >= 0, "the last id and token must be 0 or more");
        this.now = now;
        this.lastId = lastId;
        this.lastToken = lastToken;
    }

    // -- workers and tasks

    /** Makes a worker known; a name that is known already is rejected (O1). */
    public void addWorker(String worker, long capacity) {
        requireName(worker);
        requireCapacity(capacity, 1);
        require(
                !workers.containsKey(worker),
                "there is a worker \"%s\" already; set its capacity instead", worker);
        workers.put(worker, new Worker(worker, capacity, 0));
    }

    /**
     * Gives a worker another capacity; 0 drains it. No lease is revoked (O2).
     *
     * @throws NoSuchElementException if there is no such worker
     */
    public void setCapacity(String worker, long capacity) {
        requireName(worker);
        requireCapacity(capacity, 0);
        Worker known = workers.get(worker);
        if (known == null) {
            throw new NoSuchElementException("there is no worker \"" + worker + "\"; add it first");
        }
        workers.put(worker, new Worker(worker, capacity, known.held()));
    }

    /** Removes a worker, unless it is unknown or holds a lease (O11). */
    public boolean forgetWorker(String worker) {
        requireName(worker);
        Worker known = workers.get(worker);
        if (known == null || known.held() > 0) {
            return false;
        }
        workers.remove(worker);
        return true;
    }

    /**
     * Creates a task and answers its id; the payload may be null (O3).
     *
     * @throws IllegalStateException if ids are used up
     */
    public long addTask(long priority, Payload payload) {
        lastId = following(lastId, "id");
        enter(new Task(lastId, priority, payload, Status.PENDING, 0, null));
        return lastId;
    }

    /** Removes a task, unless it is unknown or runs (O10). */
    public boolean forget(long taskId) {
        Task task = tasks.get(taskId);
        if (task == null || task.status() == Status.RUNNING) {
            return false;
        }
        leave(task);
        tasks.remove(taskId);
        return true;
    }

    // -- timed calls: each checks everything, then lets time pass, then answers (R1, T3)

    /**
     * A lease on the first pending task, or null if the worker is unknown or full or nothing is
     * pending (O4).
     *
     * @throws IllegalStateException if tokens are used up
     */
    public Lease dispatch(String worker, long now, long duration) {
        requireName(worker);
        long expiry = expiry(now, duration);
        requireNotPast(now);
        long token = following(lastToken, "token");
        reach(now);
        Worker taker = workers.get(worker);
        if (taker == null || !taker.hasRoom() || pending.isEmpty()) {
            return null;
        }
        Task task = pending.first();
        long attempt = Math.incrementExact(task.attempts());
        Lease lease = new Lease(task.id(), worker, token, attempt, now, expiry, task.payload());
        lastToken = token;
        replace(task, task.running(lease));
        return lease;
    }

    /** Whether the token was the task's current one, and the task is done now (O5). */
    public boolean complete(long taskId, long token, long now) {
        Task task = leased(taskId, token, now);
        if (task == null) {
            return false;
        }
        replace(task, task.done());
        return true;
    }

    /** The lease with its new expiry, or null if the token isn't the task's current one (O6). */
    public Lease renew(long taskId, long token, long now, long duration) {
        long expiry = expiry(now, duration);
        Task task = leased(taskId, token, now);
        if (task == null) {
            return null;
        }
        Lease renewed = task.lease().until(expiry);
        replace(task, task.running(renewed));
        return renewed;
    }

    /** Whether the token was the task's current one, and the task is pending again (O7). */
    public boolean release(long taskId, long token, long now) {
        Task task = leased(taskId, token, now);
        if (task == null) {
            return false;
        }
        replace(task, task.pending());
        return true;
    }

    /** Lets time pass and answers the leases that expired, in order (O8). */
    public List<Lease> advance(long now) {
        requireTime(now);
        requireNotPast(now);
        return List.copyOf(reach(now));
    }

    // -- queries, which change nothing; the lists are copies that can't be changed (O9, V5)

    /** The scheduler's time (T1). */
    public long now() {
        return now;
    }

    /** The task, or null. */
    public Task task(long taskId) {
        return tasks.get(taskId);
    }

    /** The tasks of a status, or all if it is null, in order of their ids. O(tasks). */
    public List<Task> tasks(Status status) {
        return tasks.values().stream()
                .filter(task -> status == null || task.status() == status)
                .toList();
    }

    /** The worker, or null. */
    public Worker worker(String name) {
        requireName(name);
        return workers.get(name);
    }

    /** The workers in order of their creation. */
    public List<Worker> workers() {
        return List.copyOf(workers.values());
    }

    /** The live leases in the order of their expiry and token. */
    public List<Lease> leases() {
        return List.copyOf(leases);
    }

    /** How many tasks there are; as many run as there are leases (P1). */
    public Counts counts() {
        int waiting = pending.size();
        int running = leases.size();
        return new Counts(waiting, running, tasks.size() - waiting - running);
    }

    /** The earliest expiry, or null. */
    public Long nextExpiry() {
        return leases.isEmpty() ? null : leases.first().expiry();
    }

    // -- what the calls share

    /** The time is now, and what is over has expired, in order (T3). */
    private List<Lease> reach(long now) {
        this.now = now;
        List<Lease> expired = new ArrayList<>();
        while (!leases.isEmpty() && leases.first().isOver(now)) {
            Lease lease = leases.first();
            Task task = tasks.get(lease.taskId());
            replace(task, task.pending());
            expired.add(lease);
        }
        return expired;
    }

    /** The task, once time has passed, if the token is that of its lease; else null (O5). */
    private Task leased(long taskId, long token, long now) {
        requireTime(now);
        requireNotPast(now);
        reach(now);
        Task task = tasks.get(taskId);
        boolean current = task != null && task.lease() != null && task.lease().token() == token;
        return current ? task : null;
    }

    /** Each change of a task comes here, so that what is kept twice agrees (P1, P2). */
    private void replace(Task before, Task after) {
        leave(before);
        enter(after);
    }

    private void leave(Task task) {
        switch (task.status()) {
            case PENDING -> pending.remove(task);
            case RUNNING -> {
                leases.remove(task.lease());
                hold(task.lease().worker(), -1);
            }
            case DONE -> { }
        }
    }

    private void enter(Task task) {
        tasks.put(task.id(), task);
        switch (task.status()) {
            case PENDING -> pending.add(task);
            case RUNNING -> {
                leases.add(task.lease());
                hold(task.lease().worker(), 1);
            }
            case DONE -> { }
        }
    }

    private void hold(String worker, long more) {
        workers.computeIfPresent(worker, (name, known) -> known.holding(more));
    }

    /** Ids and tokens are 1, 2, 3, ... up to the greatest long, which is the last (I1, I2, I4). */
    private static long following(long last, String what) {
        if (last == Long.MAX_VALUE) {
            throw new IllegalStateException("the last " + what + " is used up");
        }
        return last + 1;
    }

    // -- arguments

    /** Time never goes back (T1). */
    private void requireNotPast(long now) {
        require(
                this.now <= now,
                "now is %d, but the scheduler's time is already %d", now, this.now);
    }

    /** 1 to 255 characters, none of them NUL or half of a surrogate pair (V3). */
    static void requireName(String name) {
        require(name != null, "a worker's name is needed, not null");
        // length() would count an emoji as two: it counts UTF-16 units, the contract code points.
        int characters = name.codePointCount(0, name.length());
        require(
                1 <= characters && characters <= 255,
                "a worker's name has 1 to 255 characters, not %d", characters);
        // What is left as a surrogate among code points had no partner.
        require(
                name.codePoints().noneMatch(point -> point == 0 || isSurrogate(point)),
                "a worker's name holds neither NUL nor an unpaired surrogate");
    }

    private static boolean isSurrogate(int point) {
        return Character.MIN_SURROGATE <= point && point <= Character.MAX_SURROGATE;
    }

    /** A capacity has a least value: 1, or 0 where a worker may be drained (V2). */
    static void requireCapacity(long capacity, long least) {
        require(least <= capacity, "a capacity must be %d or more, not %d", least, capacity);
    }

    /** A time is 0 or more (V2). */
    static void requireTime(long now) {
        require(0 <= now, "a time must be 0 or more, not %d", now);
    }

    /** When a lease from now ends: after at least 1, and within a long (V2). */
    static long expiry(long now, long duration) {
        requireTime(now);
        require(1 <= duration, "a duration must be 1 or more, not %d", duration);
        try {
            return Math.addExact(now, duration);
        } catch (ArithmeticException overflow) {
            throw new IllegalArgumentException(
                    "now + duration must be at most " + Long.MAX_VALUE, overflow);
        }
    }

    private static void require(boolean met, String message, Object... given) {
        if (!met) {
            throw new IllegalArgumentException(String.format(message, given));
        }
    }
}
