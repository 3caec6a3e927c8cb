-- The scheduler of spec/CONTRACT.md, for the model checker rumur: each call in each state, exhaustively.
--
-- What it models.  One rule for each operation.  No rule asks first whether its call will be granted: every call
-- is made in every state, with the right token and with wrong ones, and what it answers and leaves is compared
-- with what the contract demands, which is said a second time, from the state before the call, under "What is
-- claimed".  So a refusal is a claim that can fail, not a rule that is missing.
--
-- What it abstracts.  The time stands in no state: a lease is its worker and the time it has left, for nothing
-- depends on where the clock stands.  Tokens stand in no state either: a call shows the latest token of its task,
-- an older one, another task's, or one never issued.  All are tried in each state, even an older one of a task that
-- has had but one lease: the rules can't tell, and a counterexample leaves out how the token came to be.  Ids and
-- priorities are fixed, and the durations are 1..D; with ANY the states keep only which lease ends before which, and
-- then nothing is left out by bounding durations.  A call at a later time is `advance' and then the call; with LATE
-- it is also made at once, and must then do the same.
--
-- What it doesn't.  Values and arguments (V1 to V5), the text of errors, attempts and payloads, the numbers
-- of ids and tokens and their end, a time that goes back, queries and the order of what `advance' answers: the tests,
-- proof/ and tla/ have those.  Of the properties, P4 can't be said, since it compares tokens as numbers; P3 without
-- start, which the abstraction drops; P8 has its first half from the type, an array with one lease for each task.
--
-- A rule stands in a function or procedure of its own, and mostly on one line, so that murphi.py can break just
-- that one.  murphi.py sets the constants too.

const
  T: 3;           -- tasks
  W: 2;           -- workers
  CAP: 2;         -- the capacity of each worker at the start
  D: 4;           -- a lease is granted and renewed for 1..D
  LATE: 0;        -- a call is made up to this much later than the one before
  ANY: 0;         -- 1: any duration at all; D must be 2 * T + 1, LATE 0
  DONE_LAST: 0;   -- 1: symmetry of done tasks; needs BORN = T and FORGET = 0
  BORN: T;        -- tasks 1..BORN are there at the start; add_task makes the others
  FORGET: 0;      -- forget is tried: 1: on done tasks, 2: on pending ones too; others are refused
  MOST: CAP;      -- the greatest capacity there is
  RESIZE: 0;      -- 1: set_capacity is tried, with 0..MOST
  JOIN: 0;        -- 1: workers are unknown at the start; add_worker and forget_worker are tried

type
  Task: 1..T;
  Worker: 1..W;
  Duration: 1..D;
  Gap: 0..D+1;   -- no lease outlasts D, so D + 1 stands for whatever is longer
  Later: 0..LATE;
  Capacity: 0..MOST;
  Status: enum { unborn, pending, running, done, forgotten };
  Token: enum {
    latest,       -- that of the task's latest lease: the current one, if it is live
    own,          -- an older one of this task, and of the worker that has it now
    stale,        -- an older one of this task
    another,      -- issued for another task, current there or not
    never         -- not issued so far
  };
  Lease: record live: boolean; worker: Worker; left: 0..D; end;
  State: record
    status: array [Task] of Status;
    lease: array [Task] of Lease;
    known: array [Worker] of boolean;
    capacity: array [Worker] of Capacity;
    held: array [Worker] of 0..T;   -- what the worker is said to hold
  end;

var
  s: State;

-- The rules.

function priority(t: Task): 0..1;   -- 1, 0, 1, 0: neither ids nor priorities alone give the order
begin
  return t % 2;
end;

function before(t: Task; u: Task): boolean;   -- (O4)
begin
  return priority(t) > priority(u)
       | priority(t) = priority(u) & t < u;
end;

function waiting(t: Task): boolean;   -- (L1, L2)
begin
  return s.status[t] = pending;
end;

function first(): 0..T;   -- the task that is next, or 0 (O4)
begin
  for t: Task do
    if waiting(t) & forall u: Task do waiting(u) & u != t -> before(t, u) end then
      return t;
    end;
  end;
  return 0;
end;

function room(w: Worker): boolean;   -- (O4)
begin
  return s.known[w] & s.held[w] < s.capacity[w];
end;

function proof(t: Task; k: Token): boolean;   -- who calls is not asked (O5, O6, O7)
begin
  return s.status[t] = running & k = latest;
end;

function over(t: Task; gap: Gap): boolean;   -- by then the lease is over (T4)
begin
  return s.lease[t].left <= gap;
end;

procedure retire(t: Task; status: Status);   -- the lease is gone (L3)
begin
  s.status[t] := status;
  s.lease[t].live := false;
  undefine s.lease[t].worker;
  s.lease[t].left := 0;
end;

procedure vacate(t: Task);   -- its slot is free at once (T3, O5, O7)
begin
  s.held[s.lease[t].worker] := s.held[s.lease[t].worker] - 1;
end;

procedure sweep(gap: Gap);   -- time passes, and what is over expires (T3)
begin
  for t: Task do
    if s.lease[t].live then
      if over(t, gap) then
        vacate(t); retire(t, pending);
      else
        s.lease[t].left := s.lease[t].left - gap;
      end;
    end;
  end;
end;

function shown(t: Task; k: Token; gap: Gap): boolean;   -- the token is judged after T3 (T3, O5, O6, O7)
var accepted: boolean;
begin
  sweep(gap); accepted := proof(t, k);
  return accepted;
end;

procedure grant(t: Task; w: Worker; d: Duration);   -- (O4, L3)
begin
  s.status[t] := running;
  s.lease[t].live := true;
  s.lease[t].worker := w;
  s.lease[t].left := d;
  s.held[w] := s.held[w] + 1;
end;

-- What is claimed.  `was' is the state before the call, which is made `gap' later; nothing here uses the rules.

function due(was: State; t: Task; gap: Gap): boolean;
begin
  return was.lease[t].live & was.lease[t].left <= gap;
end;

function runs(was: State; t: Task; gap: Gap): boolean;
begin
  return was.lease[t].live & was.lease[t].left > gap;
end;

function waits(was: State; t: Task; gap: Gap): boolean;
begin
  return was.status[t] = pending | due(was, t, gap);
end;

function load(was: State; w: Worker; gap: Gap): 0..T;
var leases: 0..T;
begin
  leases := 0;
  for t: Task do
    if runs(was, t, gap) & was.lease[t].worker = w then leases := leases + 1; end;
  end;
  return leases;
end;

function has_room(was: State; w: Worker; gap: Gap): boolean;
begin
  return was.known[w] & load(was, w, gap) < was.capacity[w];
end;

function kept(was: State; t: Task; gap: Gap): boolean;   -- no more than the time has changed
begin
  if !was.lease[t].live then
    return s.status[t] = was.status[t] & !s.lease[t].live;
  end;
  return s.status[t] = running & s.lease[t].live
       & s.lease[t].worker = was.lease[t].worker
       & s.lease[t].left = was.lease[t].left - gap;
end;

function advanced(was: State; t: Task; gap: Gap): boolean;   -- as `advance' leaves it
begin
  return due(was, t, gap) ? s.status[t] = pending & !s.lease[t].live : kept(was, t, gap);
end;

function workers_kept(was: State): boolean;
begin
  return forall w: Worker do s.known[w] = was.known[w] & s.capacity[w] = was.capacity[w] end;
end;

function equal(was: State): boolean;
begin
  return workers_kept(was) & forall t: Task do kept(was, t, 0) end;
end;

function time_left(): boolean;
begin
  return forall t: Task do s.lease[t].live -> s.lease[t].left > 0 end;
end;

procedure check_refused(was: State; gap: Gap);
begin
  assert "P7: a refused call leaves what advance to its time would have left"
    workers_kept(was) & forall t: Task do advanced(was, t, gap) end;
end;

procedure check_others(was: State; t: 0..T; gap: Gap);   -- all tasks but t, after a call that was granted
begin
  assert "P6: done stays done"
    forall u: Task do was.status[u] = done -> s.status[u] = done | u = t & s.status[u] = forgotten end;
  assert "P6: what neither the call nor expiry concerns is unchanged"
    workers_kept(was) & forall u: Task do u = t | due(was, u, gap) | kept(was, u, gap) end;
  assert "T3: what expires is pending again"
    forall u: Task do due(was, u, gap) & u != t & !s.lease[u].live -> s.status[u] = pending end;
end;

procedure check_proof(was: State; t: Task; k: Token; gap: Gap; accepted: boolean);
begin
  assert "O5: what is accepted is the current token of a task that runs after T3, and nothing else"
    accepted = (runs(was, t, gap) & k = latest);
  cover "sometimes a stale token is refused on a running task" !accepted & runs(was, t, gap) & k = stale;
  cover "sometimes a token never issued is refused on a running task" !accepted & runs(was, t, gap) & k = never;
end;

-- Abstraction: what no call can tell apart is made the same.

function span(): 0..D;   -- the longest time left
var longest: 0..D;
begin
  longest := 0;
  for t: Task do
    if s.lease[t].live & s.lease[t].left > longest then longest := s.lease[t].left; end;
  end;
  return longest;
end;

procedure rank();   -- expiries at 2, 4, 6, ...: a new one may meet any of them, or fall between
var was: State; left: 0..D;
begin
  was := s;
  for t: Task do
    if s.lease[t].live then
      left := 0;
      for r: Duration do
        if r <= was.lease[t].left & exists u: Task do was.lease[u].live & was.lease[u].left = r end then
          left := left + 2;
        end;
      end;
      s.lease[t].left := left;
    end;
  end;
end;

procedure sort();   -- done tasks go to the end, the others keep their order
var done_one: Lease;
begin
  for pass: Task do
    for t: Task do
      for u: Task do
        if s.status[t] = done & s.status[u] != done & before(t, u)
           & forall v: Task do !(before(t, v) & before(v, u)) end then
          done_one := s.lease[t];
          s.status[t] := s.status[u]; s.lease[t] := s.lease[u];
          s.status[u] := done; s.lease[u] := done_one;
        end;
      end;
    end;
  end;
end;

procedure settle();
begin
  if ANY = 1 then rank(); end;
  if DONE_LAST = 1 then sort(); end;
end;

-- The operations.  Each counts, as "transition", how often it leads to another state.

startstate "new"
begin
  for t: Task do retire(t, t <= BORN ? pending : unborn); end;
  for w: Worker do
    s.known[w] := JOIN = 0;
    s.capacity[w] := JOIN = 0 ? CAP : 0;
    s.held[w] := 0;
  end;
end;

ruleset w: Worker; d: Duration; gap: Later do
  rule "dispatch" ANY = 0 | d <= span() + 1 ==>   -- (O4)
  var was: State; free: boolean; t: 0..T;
  begin
    was := s;
    sweep(gap); free := room(w);
    t := free ? first() : 0;
    if t != 0 then grant(t, w, d); end;

    if t = 0 then
      check_refused(was, gap);
      assert "P9: a known worker with a free slot is never refused while something is pending"
        !(has_room(was, w, gap) & exists u: Task do waits(was, u, gap) end);
    else
      check_others(was, t, gap);
      assert "P2: no dispatch takes a worker above its capacity" has_room(was, w, gap);
      assert "P5: what is granted is the first pending task in the order of (-priority, id)"
        waits(was, t, gap) & forall u: Task do
          waits(was, u, gap) & u != t -> u % 2 < t % 2 | u % 2 = t % 2 & u > t
        end;
      assert "O4: the lease is the worker's, for the duration" s.lease[t].worker = w & s.lease[t].left = d;
    end;
    cover "sometimes a worker is full" !free & s.known[w];
    cover "sometimes nothing is pending" free & t = 0;
    settle();
    cover "transition: dispatch" !equal(was);
  end;
end;

ruleset t: Task; k: Token; gap: Later do
  rule "complete" true ==>   -- (O5)
  var was: State; accepted: boolean;
  begin
    was := s;
    accepted := shown(t, k, gap);
    check_proof(was, t, k, gap, accepted);
    if accepted then vacate(t); retire(t, done); end;

    if accepted then
      check_others(was, t, gap);
      assert "P8: the token that completed a task completes it no more" !proof(t, k);
      assert "O5: a completed task is done" s.status[t] = done;
    else
      check_refused(was, gap);
    end;
    settle();
    cover "transition: complete" !equal(was);
  end;

  rule "release" true ==>   -- (O7)
  var was: State; accepted: boolean;
  begin
    was := s;
    accepted := shown(t, k, gap);
    check_proof(was, t, k, gap, accepted);
    if accepted then vacate(t); retire(t, pending); end;

    if accepted then
      check_others(was, t, gap);
      assert "O7: a released task is pending" s.status[t] = pending;
    else
      check_refused(was, gap);
    end;
    settle();
    cover "transition: release" !equal(was);
  end;
end;

ruleset t: Task; k: Token; d: Duration; gap: Later do
  rule "renew" ANY = 0 | d <= span() + 1 ==>   -- (O6)
  var was: State; accepted: boolean;
  begin
    was := s;
    accepted := shown(t, k, gap);
    check_proof(was, t, k, gap, accepted);
    if accepted then s.lease[t].left := d; end;

    if accepted then
      check_others(was, t, gap);
      assert "O6: a renewed lease is the same worker's, for the duration from now"
        s.lease[t].live & s.lease[t].worker = was.lease[t].worker & s.lease[t].left = d;
    else
      check_refused(was, gap);
    end;
    settle();
    cover "transition: renew" !equal(was);
  end;
end;

ruleset gap: Gap do
  rule "advance" gap > 0 & (ANY = 0 | gap <= span() + 1) ==>   -- (O8)
  var was: State;
  begin
    was := s;
    sweep(gap);

    check_others(was, 0, gap);
    assert "P3: a lease is live before its expiry only" time_left();
    assert "P9: an advance to the greatest expiry leaves no lease"
      (forall t: Task do was.lease[t].live -> was.lease[t].left <= gap end) ->
      forall t: Task do !s.lease[t].live end;
    cover "sometimes a lease expires while another lives"
      exists t: Task do due(was, t, gap) end & exists t: Task do s.lease[t].live end;
    settle();
    cover "transition: advance" !equal(was);
  end;
end;

rule "add_task" BORN < T ==>   -- (O3, I1)
var was: State; next: 0..T;
begin
  was := s;
  next := 0;
  for t: Task do
    if next = 0 & s.status[t] = unborn then next := t; end;
  end;
  if next != 0 then s.status[next] := pending; end;

  check_others(was, next, 0);
  cover "transition: add_task" !equal(was);
end;

ruleset t: Task do
  rule "forget" FORGET > 0 ==>   -- (O10)
  var was: State; accepted: boolean;
  begin
    was := s;
    accepted := s.status[t] = done | s.status[t] = pending & FORGET = 2;
    if accepted then s.status[t] := forgotten; end;

    if accepted then
      check_others(was, t, 0);
      assert "O10: a running task is not forgotten" !was.lease[t].live;
    else
      check_refused(was, 0);
    end;
    cover "transition: forget" !equal(was);
  end;
end;

ruleset w: Worker; c: Capacity do
  rule "set_capacity" RESIZE = 1 ==>   -- (O2)
  var was: State; accepted: boolean;
  begin
    was := s;
    accepted := s.known[w];
    if accepted then s.capacity[w] := c; end;

    assert "O2: whatever the capacity, each lease stays" forall t: Task do kept(was, t, 0) end;
    assert "P7: a rejected call changes nothing" was.known[w] | equal(was);
    cover "transition: set_capacity" !equal(was);
  end;

  rule "add_worker" JOIN = 1 & c > 0 ==>   -- (O1)
  var was: State; accepted: boolean;
  begin
    was := s;
    accepted := !s.known[w];
    if accepted then s.known[w] := true; s.capacity[w] := c; end;

    assert "P7: a rejected call changes nothing" !was.known[w] | equal(was);
    cover "transition: add_worker" !equal(was);
  end;
end;

ruleset w: Worker do
  rule "forget_worker" JOIN = 1 ==>   -- (O11)
  var was: State; accepted: boolean;
  begin
    was := s;
    accepted := s.known[w] & s.held[w] = 0;
    if accepted then s.known[w] := false; s.capacity[w] := 0; end;

    assert "O11: no task is changed" forall t: Task do kept(was, t, 0) end;
    assert "O11: a worker that holds a lease stays" was.known[w] & load(was, w, 0) > 0 -> s.known[w];
    cover "transition: forget_worker" !equal(was);
  end;
end;

-- What holds in every state.

invariant "P1: a task is running if and only if it has a lease"
  forall t: Task do (s.status[t] = running) = s.lease[t].live end;

invariant "P2: each worker has as many leases as it is said to hold"
  forall w: Worker do load(s, w, 0) = s.held[w] end;

invariant "P2: no worker is above a capacity that never changes"
  RESIZE = 1 | forall w: Worker do load(s, w, 0) <= s.capacity[w] end;

invariant "P2: the worker of each lease is known"
  forall t: Task do s.lease[t].live -> s.known[s.lease[t].worker] end;

invariant "P3: a lease is live before its expiry only"
  time_left();

invariant "I1: ids are used in order"
  forall t: Task do forall u: Task do t < u & s.status[t] = unborn -> s.status[u] = unborn end end;

cover "sometimes a worker holds more than its capacity has become"
  RESIZE = 0 | exists w: Worker do load(s, w, 0) > s.capacity[w] end;
