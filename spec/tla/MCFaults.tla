------------------------------ MODULE MCFaults ------------------------------
(***************************************************************************)
(* Models that must fail.  Each MCFault*.cfg puts one of these in the      *)
(* place of the rule that it is named after; nothing else differs from     *)
(* Scheduler.  No VIEW: a broken rule may look at what a view leaves out.  *)
(***************************************************************************)
EXTENDS MCScheduler

(* MCFaultClosedInterval: still live at its expiry.                        *)
HasEnded_Closed(l, time) == l.expiry < time

(* MCFaultFirstSwept: only one of the leases that are due expires.         *)
Swept_First(due) ==
  {l \in due : \A m \in due : \/ l.expiry < m.expiry
                              \/ l.expiry = m.expiry /\ l.token <= m.token}

(* MCFaultCapacityBeforeSweep: the slots are counted before the leases     *)
(* that the same call found expired are gone, that is before the Advance.  *)
Occupied_BeforeSweep(w) ==
  Held(w) + Cardinality({i \in DOMAIN last.answer :
                           /\ last.call[1] = "advance"
                           /\ last.answer[i].worker = w})

(* MCFaultCapacityIgnored                                                  *)
Occupied_Never(w) == 0

(* MCFaultTokenReused: a worker that takes its task again gets the token   *)
(* that it had.                                                            *)
TokenFor_Same(t, w) ==
  LET had == {i \in DOMAIN granted : granted[i].task = t /\ granted[i].worker = w}
  IN  IF had = {} THEN next ELSE granted[CHOOSE i \in had : TRUE].token

(* MCFaultWorkerNotToken: it is asked whose token it is, not whether it is *)
(* the current one.                                                        *)
Proved_ByWorker(t, token) ==
  {l \in leases : /\ l.task = t
                  /\ token \in DOMAIN granted
                  /\ granted[token].worker = l.worker}

(* MCFaultRenewRevives: a lease that is over can be renewed while nobody   *)
(* else has the task.                                                      *)
Renewable_Afterwards(t, token) ==
  Proved(t, token) \cup {l \in {granted[i] : i \in DOMAIN granted} :
                           l.task = t /\ l.token = token /\ t \in Pending}

(* MCFaultRenewExtends: counted from the old expiry, not from now.         *)
Renewed_Extended(l, d) == [l EXCEPT !.expiry = @ + d]

(* MCFaultRenewNewToken                                                    *)
Renewed_NewToken(l, d) == [l EXCEPT !.expiry = now + d, !.token = next]

(* MCFaultIgnoresPriority: the smallest id, whatever its priority.         *)
Chosen_ById == CHOOSE t \in Pending : \A u \in Pending : t <= u

(* MCFaultSweepInTaskOrder: reported by task, not by (expiry, token).      *)
RECURSIVE InOrder_ByTask(_)
InOrder_ByTask(S) ==
  IF S = {} THEN <<>>
  ELSE LET l == CHOOSE x \in S : \A y \in S : x.task <= y.task
       IN  <<l>> \o InOrder_ByTask(S \ {l})

(* MCFaultForgetsRunning: a task that somebody works on may be forgotten.  *)
Forgettable_Running(t) == status[t] \in {"pending", "running", "done"}

(* MCFaultDismissesHolder: a worker that holds a lease may be forgotten.   *)
Dismissible_Always(w) == Known(w)

(* MCFaultRefusalUsesToken                                                 *)
Refuse_UsesToken(call) ==
  Answer(call, <<>>) /\ next' = next + 1
                     /\ UNCHANGED <<now, status, leases, capacity, granted>>
=============================================================================
