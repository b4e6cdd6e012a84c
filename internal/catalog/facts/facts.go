// Package facts holds facts on which all readers of commands must agree: how remote a host is, which
// hosts are dead drops, and which files and variables hold secrets. Each fact is defined only here, so
// that a secret that curl may not send is also one for Python, Node and PowerShell. A test rejects a
// second list.
package facts

//go:generate go run ../../shell/argv/gen

// Placeholder stands for an unknown part of a text.
const Placeholder = '\uFFFC'

const placeholder = string(Placeholder)

// IsLetter reports whether b is an ASCII letter.
func IsLetter(b byte) bool { return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' }

// isDigit reports whether b is an ASCII digit.
func isDigit(b byte) bool { return b >= '0' && b <= '9' }
