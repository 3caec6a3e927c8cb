import java.util.Arrays;
import java.util.List;

/** What only Java can see of the scheduler: says of each sentence whether it holds. */
public final class Values {
    private static final byte[] SEVEN = {7};

    private Values() {}

    /** Each line of the output is a sentence and true or false. */
    public static void main(String[] arguments) {
        payloads();
        values();
        lists();
        lastIdAndToken();
        nullArguments();
    }

    private static void payloads() {
        byte[] bytes = SEVEN.clone();
        Scheduler.Payload payload = new Scheduler.Payload(bytes);
        bytes[0] = 8;
        say("a payload is copied on its way in (V5)", payload.bytes()[0] == 7);
        payload.bytes()[0] = 8;
        say("a payload is copied on its way out (V5)", payload.bytes()[0] == 7);
        say("payloads are equal by content", payload.equals(new Scheduler.Payload(SEVEN)));
        int hash = new Scheduler.Payload(SEVEN).hashCode();
        say("equal payloads have one hash", payload.hashCode() == hash);
        say("payloads of other content differ", !payload.equals(new Scheduler.Payload(bytes)));
    }

    private static void values() {
        Scheduler scheduler = started();
        Scheduler.Task pending = scheduler.task(1);
        Scheduler.Lease lease = scheduler.dispatch("w", 5, 5);
        Scheduler.Worker holding = scheduler.worker("w");
        scheduler.renew(1, lease.token(), 6, 50);
        scheduler.complete(1, lease.token(), 7);
        say("a lease that was handed out stays as it was (V5)", lease.expiry() == 10);
        say("a task that was handed out stays as it was (V5)", pending.lease() == null);
        say("a worker that was handed out stays as it was (V5)", holding.held() == 1);
        say("values are equal by content", pending.equals(started().task(1)));
    }

    private static void lists() {
        Scheduler scheduler = started();
        scheduler.dispatch("w", 5, 5);
        List<Scheduler.Task> tasks = scheduler.tasks(null);
        List<Scheduler.Lease> leases = scheduler.leases();
        List<Scheduler.Worker> workers = scheduler.workers();
        List<Scheduler.Lease> expired = scheduler.advance(10);
        for (List<?> list : Arrays.<List<?>>asList(tasks, leases, workers, expired)) {
            say("a list has one value", list.size() == 1);
            say("a list can't be changed (V5)", isRejected(UnsupportedOperationException.class, list::clear));
        }
        scheduler.forget(1);
        scheduler.forgetWorker("w");
        say("a list of tasks stays as it was (V5)", tasks.size() == 1);
        say("a list of leases stays as it was (V5)", leases.size() == 1);
        say("a list of workers stays as it was (V5)", workers.size() == 1);
    }

    private static void lastIdAndToken() {
        Scheduler scheduler = new Scheduler(3, Long.MAX_VALUE - 1, Long.MAX_VALUE - 1);
        scheduler.addWorker("w", 2);
        long id = scheduler.addTask(0, null);
        say("the last id is the greatest number (I4)", id == Long.MAX_VALUE);
        say("after it, no task is added (I4)",
                isRejected(IllegalStateException.class, () -> scheduler.addTask(0, null)));
        say("a rejected task leaves nothing (R1)", scheduler.tasks(null).size() == 1);
        long token = scheduler.dispatch("w", 4, 4).token();
        say("the last token is the greatest number (I4)", token == Long.MAX_VALUE);
        say("after it, nothing is dispatched (I4)",
                isRejected(IllegalStateException.class, () -> scheduler.dispatch("w", 9, 1)));
        say("a rejected dispatch lets no time pass (R1)",
                scheduler.now() == 4 && scheduler.leases().size() == 1);
        say("nor does it hide a bad argument (R1)",
                isRejected(IllegalArgumentException.class, () -> scheduler.dispatch("w", 3, 1)));
        say("a completion needs no new token", scheduler.complete(id, token, 5));
    }

    private static void nullArguments() {
        Scheduler scheduler = started();
        say("a name isn't null (V3)",
                isRejected(IllegalArgumentException.class, () -> scheduler.addWorker(null, 1)));
        say("a payload's bytes aren't null (V4)",
                isRejected(IllegalArgumentException.class, () -> new Scheduler.Payload(null)));
        say("nothing begins before time 0 (V2)",
                isRejected(IllegalArgumentException.class, () -> new Scheduler(-1, 0, 0)));
        say("absence is null", scheduler.task(9) == null && scheduler.worker("x") == null
                && scheduler.nextExpiry() == null && scheduler.dispatch("x", 0, 1) == null);
    }

    private static Scheduler started() {
        Scheduler scheduler = new Scheduler();
        scheduler.addWorker("w", 2);
        scheduler.addTask(1, new Scheduler.Payload(SEVEN));
        return scheduler;
    }

    private static boolean isRejected(Class<? extends RuntimeException> with, Runnable call) {
        try {
            call.run();
            return false;
        } catch (RuntimeException error) {
            return error.getClass() == with;
        }
    }

    private static void say(String sentence, boolean holds) {
        System.out.println(sentence + ": " + holds);
    }
}
