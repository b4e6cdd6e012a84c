// Package facts holds facts that all readers of commands must agree on: how remote a host is, which
// hosts are dead drops, which files and variables hold secrets. Each fact is defined only here, so
// that a secret that curl may not send is also one for Python, Node and PowerShell. A test rejects a
// second list.
package facts

//go:generate go run ../../shell/argv/gen

// Hole stands for an unknown part of a text.
const Hole = '\uFFFC'

const placeholder = string(Hole)

// Letter reports whether b is an ASCII letter.
func Letter(b byte) bool { return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' }

// isDigit reports whether b is a digit.
func isDigit(b byte) bool { return b >= '0' && b <= '9' }
