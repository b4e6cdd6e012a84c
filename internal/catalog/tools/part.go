// Package tools finds the role of each argument of a tool call, whatever the name of the tool. It has
// the only tables of tool names, of argument names and of the words in tool names.
package tools

//go:generate go run ../../shell/argv/gen

import (
	"slices"

	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A Role describes how a tool uses an argument. Roles are bits, so that [PartsOf] can select several.
type Role uint16

// The roles.
const (
	Data       Role = 1 << iota // prose, search text and other text that is not run
	Command                     // the text of a shell command
	Argv                        // a program and its arguments, as a list
	Code                        // code for an interpreter; Lang is the language, "" if unknown
	SQL                         // statements for a database
	ReadPath                    // a file or directory that is read, listed or searched
	WritePath                   // a file or directory that is created, changed, moved or linked
	DeletePath                  // a file or directory that is deleted
	Content                     // text that is written to the file in Part.Path
	URL                         // a URL that the tool connects to
	Payload                     // data that is sent to a URL of the same call
	Dir                         // the directory in which a command or code runs
	Unread                      // arguments that were not read, because they are nested too deeply or too large

	All   = Unread<<1 - 1
	Paths = ReadPath | WritePath | DeletePath
	Runs  = Command | Argv | Code | SQL // everything that is executed
)

// A Part is an argument of a call, or an element of one.
type Part struct {
	Role Role
	Text string   // the text; for Argv, the words quoted for a shell
	Argv []string // for Argv: the words
	Lang string   // for Code and Command: python, javascript, powershell, …; "" if unknown
	Key  string   // the argument's name as written; for an element, that of its list
	Path string   // for Content: the file, "" if unknown
	Tree bool     // for DeletePath: the deletion is recursive
	From bool     // for WritePath: it is moved to another path of the same call
}

// PartsOf returns the arguments of a call that have one of the roles in want, in the order of input.
// It does not decode other arguments. name is the host's name of the tool; canonical is checkrein's,
// or "" to look it up.
func PartsOf(name, canonical string, input []byte, want Role) []Part {
	return partsOf(name, canonical, input, want, decodeString)
}

// partsOf is PartsOf with decode as the function that decodes strings.
func partsOf(name, canonical string, input []byte, want Role, decode func(val []byte) string) []Part {
	w := walker{want: want, left: maxValues, decode: decode}
	w.walkObject(input, scope{tool: parseTool(name, canonical)})
	return w.out
}

// decodeString returns the text of a JSON string.
func decodeString(val []byte) string {
	s, _ := rawjson.Text(val)
	return s
}

// Texts returns the distinct texts of the arguments that have one of the roles in want. decode, if not
// nil, decodes strings, for callers that have already decoded them.
func Texts(name, canonical string, input []byte, want Role, decode func(val []byte) string) []string {
	if decode == nil {
		decode = decodeString
	}
	var out []string
	parts := partsOf(name, canonical, input, want, decode)
	for i := range parts {
		if s := parts[i].Text; !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// Quote returns word quoted for a POSIX shell if it needs quotes.
func Quote(word string) string { return string(appendQuoted(nil, word)) }

// appendQuoted appends word to dst, quoted for a POSIX shell if it needs quotes.
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

// joinQuoted returns argv as the text of a shell command.
func joinQuoted(argv []string) string {
	var b []byte
	for i, w := range argv {
		if i > 0 {
			b = append(b, ' ')
		}
		b = appendQuoted(b, w)
	}
	return string(b)
}
