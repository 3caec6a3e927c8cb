------------------------------- MODULE Trace -------------------------------
(***************************************************************************)
(* Is a recorded history one that Scheduler allows?  The file named by the *)
(* environment variable HISTORY has one call and its answer per line:      *)
(*                                                                         *)
(*  {"op":"add_worker","worker":"w1","capacity":1}                         *)
(*  {"op":"set_capacity","worker":"w1","capacity":0}                       *)
(*  {"op":"add_task","priority":5,"answer":1}                              *)
(*  {"op":"dispatch","worker":"w1","now":5,"duration":5,                   *)
(*   "answer":{"task_id":1,"token":1,"expiry":10}}                         *)
(*  {"op":"renew","task_id":1,"token":1,"now":8,"duration":5,              *)
(*   "answer":{"expiry":13}}                                               *)
(*  {"op":"complete","task_id":1,"token":1,"now":9,"answer":true}          *)
(*  {"op":"release","task_id":1,"token":1,"now":9,"answer":false}          *)
(*  {"op":"advance","now":12,"answer":[[1,1]]}                             *)
(*  {"op":"forget","task_id":1,"answer":true}                              *)
(*  {"op":"forget_worker","worker":"w1","answer":true}                     *)
(*                                                                         *)
(* A refused dispatch or renew answers null.  The Json module of TLC can't *)
(* read null, so it has to be written "null" first; README.md says how.    *)
(* It also takes numbers modulo 2^32 without an error: keep them smaller   *)
(* than 2^31.                                                              *)
(*                                                                         *)
(* The operations of Scheduler are total: each call has exactly one answer *)
(* that is right.  So a line is allowed if and only if its answer is that  *)
(* one, and a refusal where the contract grants is as wrong as the         *)
(* reverse.                                                                *)
(***************************************************************************)
EXTENDS Scheduler, TLC, Json, IOUtils

VARIABLE line      \* the next line to be explained

Log == ndJsonDeserialize(IOEnv.HISTORY)

(* The constants of Scheduler are read off the history: all tasks that it  *)
(* will add, all names that it will mention.  Born is 0, and no name is a  *)
(* worker's until it is added.                                             *)
TaskLines   == SelectSeq(Log, LAMBDA x : x.op = "add_task")
LogT        == Len(TaskLines)
LogPriority == [t \in 1..LogT |-> TaskLines[t].priority]
LogWorkers  == {Log[i].worker : i \in {j \in DOMAIN Log : "worker" \in DOMAIN Log[j]}}
LogCapacity == [w \in LogWorkers |-> Unknown]
AnyD        == 1   \* Next is not used here; durations are those of the history

e      == Log[line]
IsNull == ToString(e.answer) = ToString("null")

(* Each field of the answer is the lease's, and those in `needed' are      *)
(* there.  A payload is opaque and not modelled.                           *)
IsLease(answer, l, needed) ==
  LET public == [task_id |-> l.task, worker |-> l.worker, token |-> l.token,
                 start |-> l.start, expiry |-> l.expiry]
      given  == DOMAIN answer \ {"payload"}
  IN  /\ needed \subseteq given /\ given \subseteq DOMAIN public
      /\ \A f \in given : answer[f] = public[f]

GivesLease(needed) ==      \* the answer of the step is the answer of the line
  IF last'.answer = <<>> THEN IsNull
  ELSE ~IsNull /\ IsLease(e.answer, last'.answer[1], needed)

GivesBool == e.answer = (last'.answer # <<>>)

GivesLeases ==
  /\ Len(e.answer) = Len(last'.answer)
  /\ \A i \in DOMAIN e.answer :
       e.answer[i] = <<last'.answer[i].task, last'.answer[i].token>>

Line(op)  == line <= Len(Log) /\ e.op = op /\ line' = line + 1
Timed(op) == Line(op) /\ e.now = now

(* A call at a later time is Advance and then the call, two steps.         *)
Wait == /\ line <= Len(Log) /\ "now" \in DOMAIN e
        /\ e.op # "advance" /\ e.now > now
        /\ Advance(e.now - now)
        /\ UNCHANGED line

Step ==
  \/ Wait
  \/ Line("add_worker")   /\ e.capacity >= 1                         \* O1
                          /\ AddWorker(e.worker, e.capacity)
  \/ Line("set_capacity") /\ e.capacity >= 0                         \* O2
                          /\ SetCapacity(e.worker, e.capacity)
  \/ Line("add_task")     /\ \E t \in Tasks : AddTask(t) /\ e.answer = t
  \/ Line("forget")       /\ Forget(e.task_id) /\ GivesBool
  \/ Line("forget_worker") /\ ForgetWorker(e.worker) /\ GivesBool
  \/ Timed("dispatch")    /\ e.duration >= 1
                          /\ Dispatch(e.worker, e.duration)
                          /\ GivesLease({"task_id", "token", "expiry"})
  \/ Timed("complete")    /\ Complete(e.task_id, e.token) /\ GivesBool
  \/ Timed("renew")       /\ e.duration >= 1
                          /\ Renew(e.task_id, e.token, e.duration)
                          /\ GivesLease({"expiry"})
  \/ Timed("release")     /\ Release(e.task_id, e.token) /\ GivesBool
  \/ Line("advance")      /\ e.now >= now /\ Advance(e.now - now)
                          /\ GivesLeases

TraceInit == Init /\ line = 1
TraceSpec == TraceInit /\ [][Step]_<<vars, line>>

(* Violated at the first line that the contract does not allow: TLC prints *)
(* how the scheduler stood there.  Not violated: the history is accepted.  *)
Allowed == line <= Len(Log) => ENABLED Step

Explain == [line |-> line, says |-> IF line <= Len(Log) THEN e ELSE "end",
            now |-> now, next |-> next, status |-> status, leases |-> leases,
            capacity |-> capacity, last |-> last]
=============================================================================
