// Package ledger stores records that cannot be changed unnoticed: lines of JSON, each chained to the
// one before by its hash, in segments of limited size.
//
// It is independent of what is recorded. The writer guarantees that an acknowledged record survives
// the death of any process; on request it also survives a power failure.
//
// The files, all in one directory:
//
//	head            where the chain ends, sealed with the key; also the lock
//	missed          how many calls could not be recorded, until a record reports them
//	key             32 random bytes: seals, keyed digests, the signing key
//	current.jsonl   the segment that is written to
//	00000001.jsonl  full segments, oldest first
//	checkpoints.jsonl  signed heads
package ledger
