// Package tools finds the role of each argument of a tool call, whatever the tool is
// called. It holds the one table of tool names, the one of argument names and the
// one of words in tool names; everything else reads them.
package tools

//go:generate go run ../../shell/argv/gen

import (
	"slices"

	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A Role is what an argument is to the tool. Roles are bits, so that [Of] can be
// asked for some of them.
type Role uint16

// The roles.
const (
	Data       Role = 1 << iota // prose, search text and everything else that nothing runs
	Command                     // the text of a shell command
	Argv                        // a program and its words, as a list
	Code                        // of an interpreter; Lang says of which, "" = the call does not say
	SQL                         // statements for a database
	ReadPath                    // a file or directory that is read, listed or searched
	WritePath                   // one that is made, changed, moved away or linked
	DeletePath                  // one that is deleted
	Content                     // text that ends up in the file Path
	URL                         // an address that the tool talks to
	Payload                     // what is sent to an address in the same call
	Dir                         // the directory in which a command or code is meant to run
	Unread                      // lies too deep, or is too much, to be read

	All   = Unread<<1 - 1
	Paths = ReadPath | WritePath | DeletePath
	Runs  = Command | Argv | Code | SQL // what a machine executes
)

// A Part is one argument of a call, or one element of it.
type Part struct {
	Role Role
	Text string   // what it says; of Argv the words as shell text, quoted
	Argv []string // of Argv: the words
	Lang string   // of Code and Command: python, javascript, powershell, …; "" = the call does not say
	Key  string   // the argument's name as written; of a list's element the list's
	Path string   // of Content: the file, "" = the call does not say
	Tree bool     // of DeletePath: with everything below
}

// Of returns what each argument of a call is, in the order in which they are written,
// for the roles that are wanted. What has another one is not decoded.
func Of(name, canonical string, input []byte, want Role) []Part {
	return of(name, canonical, input, want, text)
}

func of(name, canonical string, input []byte, want Role, decode func(val []byte) string) []Part {
	w := walker{want: want, left: maxValues, decode: decode}
	w.object(input, scope{tool: toolOf(name, canonical)})
	return w.out
}

// text is what a JSON string means.
func text(val []byte) string {
	s, _ := rawjson.Text(val)
	return s
}

// Texts returns the different texts of a call's arguments in some roles. A decode that
// is not nil says what a long string means, for whoever knows that already.
func Texts(name, canonical string, input []byte, want Role, decode func(val []byte) string) []string {
	if decode == nil {
		decode = text
	}
	var out []string
	parts := of(name, canonical, input, want, decode)
	for i := range parts {
		if s := parts[i].Text; !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// Quote returns a word as shells read it back.
func Quote(word string) string { return string(appendQuoted(nil, word)) }

func appendQuoted(dst []byte, word string) []byte {
	plain := word != ""
	for i := range len(word) {
		c := word[i]
		plain = plain && ('a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '_' || c == '.' || c == '/' || c == ':' || c == '@' || c == '+' || c == ',')
	}
	if plain {
		return append(dst, word...)
	}
	dst = append(dst, '\'')
	for i := range len(word) {
		if word[i] == '\'' {
			dst = append(dst, `'\''`...)
		} else {
			dst = append(dst, word[i])
		}
	}
	return append(dst, '\'')
}

func joined(argv []string) string {
	var b []byte
	for i, w := range argv {
		if i > 0 {
			b = append(b, ' ')
		}
		b = appendQuoted(b, w)
	}
	return string(b)
}
