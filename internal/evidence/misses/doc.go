// Package misses compares the calls in hosts' transcripts with the events in the ledger. It finds the
// calls that checkrein was never asked about and why, calls that ran although it denied them, and
// results that reached the model unchanged although it replaced them.
//
//	transcripts → calls ─┐
//	                     ├→ join (window.go) → judge (compare.go) → groups → causes (cause.go) → Report
//	ledger → records   ──┘
//
// Both sides are streamed: the ledger (ledger_entry.go) is read along with the transcripts, and
// results are searched for secrets at the same time (leaked_secrets.go). Only a window of records
// around the current call is in memory, each reduced to what the join needs; unseen calls are counted
// in groups. Nothing is stored, and the report quotes no text of a call or a result.
//
// silence.go finds whole sessions about which checkrein received no events, for status and doctor.
package misses
