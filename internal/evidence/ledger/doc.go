// Package ledger stores records so that no change to them goes unnoticed. Records are lines of JSON,
// each chained to the one before by its hash, in segments of limited size.
//
// The package does not depend on what is recorded. The writer guarantees that an acknowledged record
// survives the death of any process and, on request, a power failure.
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
