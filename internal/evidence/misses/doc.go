// Package misses holds what hosts keep of their calls side by side with what they told
// checkrein: which calls it never heard of and why, which ran although it denied them,
// and which results reached the model as they were although it replaced them.
//
//	transcripts → calls ─┐
//	                     ├→ join (window.go) → judge (compare.go) → groups → causes (cause.go) → Report
//	ledger → records   ──┘
//
// Both sides stream, the ledger (ledger_entry.go) beside the transcripts, and results are looked
// through for secrets beside both (leaked_secrets.go). Of the ledger a window of records around the call at hand is in
// memory, each cut down to what the join needs; unseen calls are counted in groups.
// Nothing is stored here, and the report quotes nothing that a call or a result said.
//
// silence.go finds whole sessions that checkrein did not hear of, for status and doctor.
package misses
