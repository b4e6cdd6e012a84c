// Package index answers questions about a ledger of millions of records in
// milliseconds. It reads segments and never writes them; the heavy program
// alone links it.
//
// The index is a directory beside the segments, with a file for each. It holds
// nothing that the ledger does not, so it may be removed at any time, and is made
// anew when it is missing, damaged, of another version or of another ledger. Every
// question first adds what was recorded since the last one. A full segment's file
// never changes again; that of the current one is replaced.
//
// Records lie in chunks of up to 4096 in a row, none across two segments. A
// term is a field with a value: "tool Bash", "hook no-force-push". A chunk has
// a part for each field, which says by one bit a record which ones have each of
// its terms. A question is then a few bit operations a chunk, and a place is
// looked up only for the records that are the answer. One row a record with an
// index over each column would take three times the space, and many times as
// long to write.
//
// Whoever may write the files could hide records or make some up. Therefore
// everything in them has a sum that is made with a secret of the ledger: what
// the index says of a segment, with all chunks that it has, and each part of
// those under its chunk's name, number of records and last hash. So nothing can
// be changed, left out or put back from before unseen.
package index
