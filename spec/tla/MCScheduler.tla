---------------------------- MODULE MCScheduler ----------------------------
(* Scheduler with numbers.  The constants are set in the .cfg files.       *)
EXTENDS Scheduler, TLC
CONSTANT CAP

EqualCapacity == [w \in Workers |-> CAP]
NoWorker      == [w \in Workers |-> Unknown]
(* Neither the ids alone nor the priorities alone give this order.         *)
SomePriority  == [t \in Tasks |-> IF t = 2 THEN 5 ELSE IF t = 4 THEN -1 ELSE 0]

(* Enough for the scheduler itself: see Remaining.                         *)
QuotientView == <<Remaining, capacity>>

(* Under QuotientView a state stands for all that differ only in their     *)
(* stale tokens, and the one that TLC meets first may have none to try.    *)
(* This view tells apart which workers have held a lease on which tasks    *)
(* that is over, so that each kind of stale token is tried in each state.  *)
Stale     == {i \in 1..Len(granted) :
                \A l \in leases : l.token # granted[i].token}
TokenView == <<Remaining, {<<granted[i].task, granted[i].worker>> : i \in Stale}>>

SmallTimeAndTokens == now <= 3 /\ next <= 3

Perms     == Permutations(Workers)
(* SYMMETRY does not go with a VIEW: TLC orders states by all variables    *)
(* before it applies the view.  So the view forms the orbit itself.        *)
OrbitView == {[t \in Tasks |-> IF status[t] = "running"
                               THEN [Remaining[t] EXCEPT ![2] = p[@]]
                               ELSE Remaining[t]] : p \in Perms}
=============================================================================
