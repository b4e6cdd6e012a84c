// Package ledger keeps records that cannot be changed unnoticed: lines of JSON,
// each chained to the one before by its hash, in segments of bounded size.
//
// It is independent of what is recorded. The writer's promise is that an
// acknowledged record survives the death of any process; one that asks for it
// also survives the loss of power.
//
// The files, all in one directory:
//
//	head            where the chain ends, sealed with the key; also the lock
//	missed          how many calls could not be recorded, until a record tells it
//	key             32 random bytes: seals, keyed digests, the signing key
//	current.jsonl   the segment that is written to
//	00000001.jsonl  segments that are full, oldest first
//	checkpoints.jsonl  signed heads
package ledger
