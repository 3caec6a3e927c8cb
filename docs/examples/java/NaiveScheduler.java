import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;

/**
 * The scheduler that one writes first: a task has a boolean, {@code assigned}, and belongs to the
 * worker whose name is in it until it has timed out. It looks fine, and it breaks the contract.
 *
 * <p>It checks its arguments as {@link Scheduler} does, so that whatever is found is in the design.
 */
public final class NaiveScheduler {

    /** A task and, while it is assigned, to whom and until when. */
    public static final class Task {
        final long id;
        final long priority;
        final byte[] payload;
        boolean assigned;
        boolean done;
        String worker;
        long attempts;
        long start;
        long expiry;

        Task(long id, long priority, byte[] payload) {
            this.id = id;
            this.priority = priority;
            this.payload = payload;
        }

        boolean isAssignedTo(String name) {
            return assigned && worker.equals(name);
        }
    }

    private final Map<String, Long> capacities = new HashMap<>();
    private final List<Task> tasks = new ArrayList<>();

    /** Makes a worker known. */
    public void addWorker(String worker, long capacity) {
        Scheduler.requireName(worker);
        Scheduler.requireCapacity(capacity, 1);
        if (capacities.putIfAbsent(worker, capacity) != null) {
            throw new IllegalArgumentException("there is a worker \"" + worker + "\" already");
        }
    }

    /** Gives a worker another capacity. */
    public void setCapacity(String worker, long capacity) {
        Scheduler.requireName(worker);
        Scheduler.requireCapacity(capacity, 0);
        if (capacities.replace(worker, capacity) == null) {
            throw new NoSuchElementException("there is no worker \"" + worker + "\"");
        }
    }

    /** Creates a task and answers its id. */
    public long addTask(long priority, byte[] payload) {
        Task task = new Task(tasks.size() + 1, priority, payload);
        tasks.add(task);
        return task.id;
    }

    /** Assigns the first of the most urgent tasks to the worker, or answers null. */
    public Task dispatch(String worker, long now, long duration) {
        Scheduler.requireName(worker);
        long expiry = Scheduler.expiry(now, duration);
        requeueExpired(now);
        long held = tasks.stream().filter(task -> task.isAssignedTo(worker)).count();
        if (held >= capacities.getOrDefault(worker, 0L)) {
            return null;
        }
        Task first = null;
        for (Task task : tasks) {
            boolean free = !task.assigned && !task.done;
            if (free && (first == null || task.priority > first.priority)) {
                first = task;
            }
        }
        if (first != null) {
            first.assigned = true;
            first.worker = worker;
            first.attempts++;
            first.start = now;
            first.expiry = expiry;
        }
        return first;
    }

    /** The worker is through with the task. */
    public boolean complete(long taskId, String worker, long now) {
        Task task = assigned(taskId, worker, now);
        if (task == null) {
            return false;
        }
        task.assigned = false;
        task.done = true;
        return true;
    }

    /** The worker needs more time. */
    public Task renew(long taskId, String worker, long now, long duration) {
        long expiry = Scheduler.expiry(now, duration);
        Task task = assigned(taskId, worker, now);
        if (task != null) {
            task.expiry = expiry;
        }
        return task;
    }

    /** The worker gives the task back. */
    public boolean release(long taskId, String worker, long now) {
        Task task = assigned(taskId, worker, now);
        if (task == null) {
            return false;
        }
        task.assigned = false;
        return true;
    }

    /** Takes back what has timed out; each dispatch does this first. */
    public void requeueExpired(long now) {
        Scheduler.requireTime(now);
        for (Task task : tasks) {
            if (task.assigned && now > task.expiry) {
                task.assigned = false;
            }
        }
    }

    private Task assigned(long taskId, String worker, long now) {
        Scheduler.requireTime(now);
        for (Task task : tasks) {
            if (task.id == taskId && task.isAssignedTo(worker)) {
                return task;
            }
        }
        return null;
    }
}
