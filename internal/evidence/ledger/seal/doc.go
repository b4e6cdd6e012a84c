// Package seal signs and verifies ledgers. It signs where a ledger ends, removes old segments with a
// signed record of them, and verifies that nothing else was changed.
//
// It is separate from package ledger because signing would cost a program that only writes records
// more than the writing itself.
//
// Signatures use Ed25519 with the key for ledger.LabelSigning as the seed. They cover:
//
//   - a checkpoint: its line up to `,"sig"`
//   - a pruned record: "checkrein pruned 1\n", the ledger's id, "\n" and the
//     array in "segments" as it is spelled in the record
package seal
