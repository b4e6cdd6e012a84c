// Package seal answers for a ledger: it signs where the ledger ends, removes old
// segments with a signed record of them, and verifies that nothing else was
// changed.
//
// It is apart from package ledger because signatures cost a program that only
// writes records more than writing them does.
//
// What is signed, with Ed25519 and the key for ledger.LabelSigning as the seed:
//
//   - a checkpoint: its line up to `,"sig"`
//   - a pruned record: "checkrein pruned 1\n", the ledger's id, "\n" and the
//     array in "segments" as it is spelt in the record
package seal
