----------------------------- MODULE Scheduler -----------------------------
(***************************************************************************)
(* A leased task scheduler.  A task is pending, running or done; it runs   *)
(* under a lease that is live on [start, expiry) and is known by a token   *)
(* from a counter.  Whoever shows the current token may complete, renew or *)
(* release; every other call is refused and changes nothing.               *)
(*                                                                         *)
(* The codes in the comments (L3, T4, O5, ...) are the numbered sentences  *)
(* of the contract.                                                        *)
(*                                                                         *)
(* A call at a later time is two steps here: Advance, which is what every  *)
(* accepted timed call does first (T3), and then the operation, which      *)
(* takes no time.  A refused call at a later time is thereby Advance       *)
(* followed by a step that changes nothing, as R2 wants.                   *)
(*                                                                         *)
(* Rejected calls (R1: bad arguments, a time in the past) are not steps.   *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets

CONSTANTS
  T,          \* task ids are 1..T, in order of creation (I1)
  Priority,   \* Priority[t] is an integer; a larger one is more urgent (V2)
  Workers,    \* the workers' names
  Capacity,   \* Capacity[w]: the leases that w may hold, at the start
              \* (Unknown: w is no worker then)
  Born,       \* tasks 1..Born exist at the start; AddTask makes the others
  D           \* Next tries the durations 1..D

Tasks   == 1..T
Unknown == -1         \* the capacity of a name that is no worker's
Capacities == Nat \cup {Unknown}

ASSUME /\ T \in Nat /\ Born \in 0..T /\ D \in Nat \ {0}
       /\ Priority \in [Tasks -> Int]
       /\ Capacity \in [Workers -> Capacities]

VARIABLES
  now,        \* the scheduler's time
  next,       \* the next token
  status,     \* the status of each task
  leases,     \* the set of current leases
  capacity,   \* the workers' capacities; Unknown before a worker is added
              \* and after it was forgotten
  granted,    \* history: each lease as it was granted, in order of dispatch
  last        \* history: the latest call and its answer

(* The two histories decide nothing.  `granted' lets the sentences about   *)
(* all tokens ever issued be stated, `last' makes a refusal visible.       *)

state == <<now, next, status, leases, capacity, granted>>
vars  == <<state, last>>

Statuses == {"unborn", "pending", "running", "done", "forgotten"}

Lease == [task : Tasks, worker : Workers, token : Nat \ {0},
          start : Nat, expiry : Nat \ {0}]

TypeOK ==
  /\ now \in Nat
  /\ next \in Nat \ {0}
  /\ status \in [Tasks -> Statuses]
  /\ leases \subseteq Lease
  /\ capacity \in [Workers -> Capacities]
  /\ granted \in Seq(Lease)
  /\ DOMAIN last = {"call", "answer"}

Init ==
  /\ now = 0                                                         \* T1
  /\ next = 1                                                        \* I2
  /\ status = [t \in Tasks |-> IF t <= Born THEN "pending" ELSE "unborn"]
  /\ leases = {}
  /\ capacity = Capacity
  /\ granted = <<>>
  /\ last = [call |-> <<"start">>, answer |-> <<>>]

-----------------------------------------------------------------------------
(* The rules.  Each stands once, in an operator of its own, so that a      *)
(* model can break exactly one of them (MCFaults).                         *)

Pending     == {t \in Tasks : status[t] = "pending"}
Held(w)     == Cardinality({l \in leases : l.worker = w})
Before(t,u) == \/ Priority[t] > Priority[u]
               \/ Priority[t] = Priority[u] /\ t < u

Occupied(w)      == Held(w)                          \* O4: slots in use
Chosen           == CHOOSE t \in Pending :           \* O4, P5
                      \A u \in Pending \ {t} : Before(t, u)
TokenFor(t, w)   == next                             \* I2
Proved(t, token) == {l \in leases :                  \* O5: token alone;
                      l.task = t /\ l.token = token} \* one lease or none
Renewable(t, token) == Proved(t, token)              \* O6: as O5
Renewed(l, d)    == [l EXCEPT !.expiry = now + d]    \* O6, I3
HasEnded(l, time) == l.expiry <= time                \* T4: half-open
Swept(due)       == due                              \* T3: all at once
Known(w)         == capacity[w] # Unknown            \* O1, O2, O11
Forgettable(t)   == status[t] \in {"pending", "done"}    \* O10: no lease
Dismissible(w)   == Known(w) /\ Held(w) = 0         \* O11: no lease

RECURSIVE InOrder(_)                                 \* T3: (expiry, token)
InOrder(S) ==
  IF S = {} THEN <<>>
  ELSE LET l == CHOOSE x \in S : \A y \in S :
                  \/ x.expiry < y.expiry
                  \/ x.expiry = y.expiry /\ x.token <= y.token
       IN  <<l>> \o InOrder(S \ {l})

(* An answer is a sequence: the leases that the call granted, renewed,     *)
(* ended or found expired.  The empty one is a refusal, but for `advance'. *)
Answer(call, answer) == last' = [call |-> call, answer |-> answer]
Refuse(call)         == Answer(call, <<>>) /\ UNCHANGED state        \* R2

-----------------------------------------------------------------------------
(* The timed operations.                                                   *)

Dispatch(w, d) ==                                                    \* O4
  LET call == <<"dispatch", w, d>>
      l    == [task |-> Chosen, worker |-> w, token |-> TokenFor(Chosen, w),
               start |-> now, expiry |-> now + d]
  IN  IF Pending # {} /\ Occupied(w) < capacity[w]
      THEN /\ status'  = [status EXCEPT ![l.task] = "running"]
           /\ leases'  = leases \cup {l}
           /\ granted' = Append(granted, l)
           /\ next'    = next + 1
           /\ Answer(call, <<l>>)
           /\ UNCHANGED <<now, capacity>>
      ELSE Refuse(call)

Complete(t, token) ==                                                \* O5
  LET call == <<"complete", t, token>>
  IN  IF Proved(t, token) # {}
      THEN \E l \in Proved(t, token) :
             /\ status' = [status EXCEPT ![t] = "done"]
             /\ leases' = leases \ {l}
             /\ Answer(call, <<l>>)
             /\ UNCHANGED <<now, next, capacity, granted>>
      ELSE Refuse(call)

Renew(t, token, d) ==                                                \* O6
  LET call == <<"renew", t, token, d>>
  IN  IF Renewable(t, token) # {}
      THEN \E l \in Renewable(t, token) :
             /\ status' = [status EXCEPT ![t] = "running"]
             /\ leases' = (leases \ {l}) \cup {Renewed(l, d)}
             /\ Answer(call, <<Renewed(l, d)>>)
             /\ UNCHANGED <<now, next, capacity, granted>>
      ELSE Refuse(call)

Release(t, token) ==                                                 \* O7
  LET call == <<"release", t, token>>
  IN  IF Proved(t, token) # {}
      THEN \E l \in Proved(t, token) :
             /\ status' = [status EXCEPT ![t] = "pending"]
             /\ leases' = leases \ {l}
             /\ Answer(call, <<l>>)
             /\ UNCHANGED <<now, next, capacity, granted>>
      ELSE Refuse(call)

(* Time moves by any k, not by ticks: what is due on the way expires       *)
(* together, and nothing can happen in between.                            *)
Advance(k) ==                                                        \* O8, T3
  LET gone == Swept({l \in leases : HasEnded(l, now + k)})
  IN  /\ now'    = now + k
      /\ leases' = leases \ gone
      /\ status' = [t \in Tasks |-> IF \E l \in gone : l.task = t
                                    THEN "pending" ELSE status[t]]
      /\ Answer(<<"advance", k>>, InOrder(gone))
      /\ UNCHANGED <<next, capacity, granted>>

(* The operations that take no time (T2).                                  *)

AddTask(t) ==                                                        \* O3, I1
  /\ status[t] = "unborn" /\ \A u \in 1..(t-1) : status[u] # "unborn"
  /\ status' = [status EXCEPT ![t] = "pending"]
  /\ Answer(<<"add_task">>, <<t>>)
  /\ UNCHANGED <<now, next, leases, capacity, granted>>

AddWorker(w, c) ==                                                   \* O1
  /\ ~Known(w)
  /\ capacity' = [capacity EXCEPT ![w] = c]
  /\ Answer(<<"add_worker", w, c>>, <<c>>)
  /\ UNCHANGED <<now, next, status, leases, granted>>

SetCapacity(w, c) ==                                                 \* O2
  /\ Known(w)
  /\ capacity' = [capacity EXCEPT ![w] = c]
  /\ Answer(<<"set_capacity", w, c>>, <<c>>)
  /\ UNCHANGED <<now, next, status, leases, granted>>

Forget(t) ==                                                         \* O10
  LET call == <<"forget", t>>
  IN  IF t \in Tasks /\ Forgettable(t)
      THEN /\ status' = [status EXCEPT ![t] = "forgotten"]
           /\ Answer(call, <<t>>)
           /\ UNCHANGED <<now, next, leases, capacity, granted>>
      ELSE Refuse(call)

ForgetWorker(w) ==                                                   \* O11
  LET call == <<"forget_worker", w>>
  IN  IF Dismissible(w)
      THEN /\ capacity' = [capacity EXCEPT ![w] = Unknown]
           /\ Answer(call, <<w>>)
           /\ UNCHANGED <<now, next, status, leases, granted>>
      ELSE Refuse(call)

-----------------------------------------------------------------------------
(* Every token ever issued is tried on every task, and the first one never *)
(* issued; so is a task that never exists (0).  No lease outlasts D, so a  *)
(* step of D + 1 stands for every longer one.                              *)
Next ==
  \/ \E w \in Workers, d \in 1..D : Dispatch(w, d)
  \/ \E t \in 0..T, token \in 1..next :
       \/ Complete(t, token)
       \/ Release(t, token)
       \/ \E d \in 1..D : Renew(t, token, d)
  \/ \E k \in 1..(D + 1) : Advance(k)

Spec == Init /\ [][Next]_vars

(* The same with the population changing too.  c is bounded only so that a *)
(* model ends.                                                             *)
FullNext ==
  \/ Next
  \/ \E t \in Tasks : AddTask(t)
  \/ \E t \in 0..T : Forget(t)
  \/ \E w \in Workers :
       \/ ForgetWorker(w)
       \/ \E c \in 1..T : AddWorker(w, c)
       \/ \E c \in 0..T : SetCapacity(w, c)

FullSpec == Init /\ [][FullNext]_vars

-----------------------------------------------------------------------------
(* What holds in every state.                                              *)

OneLeaseIffRunning ==                                         \* P1, P8, L3
  \A t \in Tasks : Cardinality({l \in leases : l.task = t})
                     = IF status[t] = "running" THEN 1 ELSE 0

HeldWithinCapacity ==                  \* P2, where capacities do not change
  \A w \in Workers : Held(w) <= capacity[w]

EveryHolderIsKnown ==                                         \* P2, O11
  \A l \in leases : capacity[l.worker] # Unknown

EveryLeaseIsLive ==                                           \* P3, T4
  \A l \in leases : l.start < l.expiry /\ l.start <= now /\ now < l.expiry

TokensIncrease ==                                             \* P4, I2
  /\ \A i \in 1..(Len(granted) - 1) : granted[i].token < granted[i+1].token
  /\ \A i \in 1..Len(granted) : granted[i].token < next

IdsInOrder ==                                                 \* I1
  \A t, u \in Tasks : t < u /\ status[t] = "unborn" => status[u] = "unborn"

(* What holds of every step.  These are action properties on purpose: TLC  *)
(* checks an invariant only in states that are new to the VIEW, but an     *)
(* action property on every step, so also on those that refuse.            *)

Op         == last.call[1]
Asks       == {"dispatch", "complete", "renew", "release",
                "forget", "forget_worker"}
Refused    == Op \in Asks /\ last.answer = <<>>
Accepted   == Op \in Asks /\ last.answer # <<>>
Attempts(t) == Cardinality({i \in 1..Len(granted) : granted[i].task = t})

TimeNeverGoesBack ==                                          \* T1, T2
  [][now' >= now /\ (now' # now => Op' = "advance")]_vars

DoneIsFinal ==                                                \* L2, P6, O10
  [][\A t \in Tasks :
       /\ status[t] = "done" => \/ status'[t] = "done"
                                \/ status'[t] = "forgotten" /\ Op' = "forget"
       /\ status[t] = "forgotten" => status'[t] = "forgotten"]_vars

RefusalChangesNothing ==                                      \* R2, P7
  [][Refused' => UNCHANGED state]_vars

GrantedIffPossible ==                                         \* O4, P2
  [][Op' = "dispatch" =>
       LET w == last'.call[2]
       IN  Accepted' <=> /\ \E t \in Tasks : status[t] = "pending"
                         /\ Held(w) < capacity[w]]_vars

GrantsFirstInOrder ==                                         \* P5, O4
  [][Op' = "dispatch" /\ Accepted' =>
       LET t == last'.answer[1].task
       IN  /\ status[t] = "pending"
           /\ \A u \in Tasks \ {t} : status[u] = "pending" =>
                \/ Priority[t] > Priority[u]
                \/ Priority[t] = Priority[u] /\ t < u]_vars

GrantIsNewLease ==                                            \* T4, I2, L4
  [][Op' = "dispatch" /\ Accepted' =>
       LET l == last'.answer[1]
       IN  /\ l.worker = last'.call[2] /\ l.token = next
           /\ l.start = now /\ l.expiry = now + last'.call[3]
           /\ leases' = leases \cup {l}
           /\ granted' = Append(granted, l) /\ next' = next + 1]_vars

AttemptsCountGrants ==                                        \* L4, R2
  [][\A t \in Tasks : Attempts(t)' = Attempts(t) +
       IF Op' = "dispatch" /\ Accepted' /\ last'.answer[1].task = t
       THEN 1 ELSE 0]_vars

TokenAloneDecides ==                                          \* O5, O6, O7
  [][Op' \in {"complete", "renew", "release"} =>
       (Accepted' <=> \E l \in leases : /\ l.task = last'.call[2]
                                        /\ l.token = last'.call[3])]_vars

EndsOnlyItsLease ==                                           \* O5, O7
  [][Op' \in {"complete", "release"} /\ Accepted' =>
       /\ leases' = leases \ {last'.answer[1]}
       /\ status'[last'.call[2]] =
            IF Op' = "complete" THEN "done" ELSE "pending"]_vars

RenewKeepsIdentity ==                                         \* O6, I3
  [][Op' = "renew" /\ Accepted' =>
       \E l \in leases :
         LET n == [l EXCEPT !.expiry = now + last'.call[4]]
         IN  /\ l.task = last'.call[2] /\ l.token = last'.call[3]
             /\ leases' = (leases \ {l}) \cup {n}
             /\ last'.answer = <<n>> /\ next' = next]_vars

ExpiresExactlyWhatIsDue ==                                    \* T3, T4, O8
  [][Op' = "advance" =>
       LET gone == {l \in leases : l.expiry <= now'}
           a    == last'.answer
       IN  /\ leases' = leases \ gone
           /\ {a[i] : i \in DOMAIN a} = gone /\ Len(a) = Cardinality(gone)
           /\ \A i, j \in DOMAIN a : i < j =>
                \/ a[i].expiry < a[j].expiry
                \/ a[i].expiry = a[j].expiry /\ a[i].token < a[j].token
           /\ \A l \in gone : status'[l.task] = "pending"]_vars

OthersUntouched ==                                            \* P6, O4
  [][\A t \in Tasks :
       \/ status'[t] = status[t]
       \/ Op' = "advance" /\ \E i \in DOMAIN last'.answer :
                                last'.answer[i].task = t
       \/ Op' = "dispatch" /\ Accepted' /\ last'.answer[1].task = t
       \/ Op' \in {"complete", "release", "forget"} /\ last'.call[2] = t
       \/ Op' = "add_task" /\ last'.answer = <<t>>]_vars

WorkersUntouched ==                                           \* P6, O1, O2
  [][\A w \in Workers :
       \/ capacity'[w] = capacity[w]
       \/ /\ Op' \in {"add_worker", "set_capacity", "forget_worker"}
          /\ last'.call[2] = w]_vars

ForgetsIffNoLease ==                                          \* O10
  [][Op' = "forget" =>
       LET t == last'.call[2]
       IN  /\ Accepted' <=> /\ t \in Tasks
                            /\ status[t] = "pending" \/ status[t] = "done"
           /\ Accepted' => status' = [status EXCEPT ![t] = "forgotten"]
           /\ UNCHANGED <<now, next, leases, capacity, granted>>]_vars

DismissesIffNoLease ==                                        \* O11
  [][Op' = "forget_worker" =>
       LET w == last'.call[2]
       IN  /\ Accepted' <=> /\ capacity[w] # Unknown
                            /\ \A l \in leases : l.worker # w
           /\ Accepted' => capacity'[w] = Unknown
           /\ UNCHANGED <<now, next, status, leases, granted>>]_vars

-----------------------------------------------------------------------------
(* Only this decides what can happen next: for each task its status and,   *)
(* while it runs, its worker and the time that its lease has left.  Where  *)
(* the clock stands and what the tokens are called does not matter, so     *)
(* models use it as VIEW: then they end although `now' and `next' grow.    *)
LeaseOf(t) == CHOOSE l \in leases : l.task = t

Remaining ==
  [t \in Tasks |-> IF status[t] = "running"
                   THEN <<"running", LeaseOf(t).worker, LeaseOf(t).expiry - now>>
                   ELSE <<status[t]>>]

Quotient     == INSTANCE Quotient WITH task <- Remaining
QuotientSpec == Quotient!Spec

THEOREM Spec => [](TypeOK /\ OneLeaseIffRunning /\ HeldWithinCapacity
                   /\ EveryLeaseIsLive /\ TokensIncrease /\ IdsInOrder)
THEOREM FullSpec => [](TypeOK /\ OneLeaseIffRunning /\ EveryLeaseIsLive
                       /\ EveryHolderIsKnown /\ TokensIncrease
                       /\ IdsInOrder)
THEOREM FullSpec => /\ TimeNeverGoesBack /\ DoneIsFinal
                    /\ RefusalChangesNothing /\ GrantedIffPossible
                    /\ GrantsFirstInOrder /\ GrantIsNewLease
                    /\ AttemptsCountGrants /\ TokenAloneDecides
                    /\ EndsOnlyItsLease /\ RenewKeepsIdentity
                    /\ ExpiresExactlyWhatIsDue /\ OthersUntouched
                    /\ WorkersUntouched /\ ForgetsIffNoLease
                    /\ DismissesIffNoLease
THEOREM (Born = T) => (Spec => QuotientSpec)
=============================================================================
