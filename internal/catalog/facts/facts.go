// Package facts holds what all readers of commands must agree on: how far away a host
// is, which hosts are dead drops, which files and which variables hold secrets. Each
// question has one answer here and nowhere else, so that a secret which curl may not
// send is one for Python, Node and PowerShell too. A test refuses a second list.
package facts

//go:generate go run ../../shell/argv/gen

// Hole stands in a text for a part that is not known.
const Hole = '\uFFFC'

const holeText = string(Hole)

// Letter reports whether a byte is a letter of ASCII.
func Letter(b byte) bool { return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' }

func digit(b byte) bool { return b >= '0' && b <= '9' }
