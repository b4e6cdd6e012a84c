// Package index answers queries about a ledger of millions of records in milliseconds. It reads
// segments and never writes them. Only the companion program links it.
//
// The index is a directory next to the segments, with one file for each. It contains nothing that the
// ledger does not, so it may be removed at any time, and is rebuilt when it is missing, damaged, of
// another version or of another ledger. Every query first adds the records written since the last one.
// The file of a full segment never changes; that of the current one is replaced.
//
// Records are grouped in chunks of up to 4096 consecutive ones, and no chunk spans two segments. A
// term is a field with a value, such as "tool Bash" or "hook no-force-push". A chunk has a part for
// each field, which holds one bit per record for each of its terms. A query thus takes a few bit
// operations per chunk, and places are decoded only for the resulting records. A table with one row
// per record and an index for each column would take three times the space, and much longer to write.
//
// A process that can write the files could hide or invent records. Therefore everything in them has a
// checksum keyed with a secret of the ledger: the metadata of a segment with all its chunks, and each
// of their parts under its chunk's id, number of records and last hash. Nothing can be changed, left
// out or replaced by an older version without being noticed.
package index
