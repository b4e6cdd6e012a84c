// Package toolcall says what each argument of a tool call is, whatever the tool is
// called: a command, code, a path that is written, or text that is only data.
//
// Packs, self-protection and the secret policy judge calls by it.
package toolcall

import "github.com/checkrein/checkrein"

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

	All = Unread<<1 - 1
)

// A Part is one argument of a call, or one element of it.
type Part struct {
	Role Role
	Text string   // what it says; of Argv the words as shell text, quoted
	Argv []string // of Argv: the words
	Lang string   // of Code: python, javascript, …, in small letters
	Key  string   // the argument's name as written, "" in a list of the input itself
	Path string   // of Content: the file
	Tree bool     // of DeletePath: with everything below
}

// Parts says what each argument of a call is, in the order in which they are
// written.
func Parts(t *checkrein.Tool) []Part { return Of(t, All) }

// Of is Parts with some roles only. What has another one is not even decoded.
func Of(t *checkrein.Tool, want Role) []Part {
	var out []Part
	add := func(p Part) {
		if p.Role&want != 0 && p.Text != "" {
			out = append(out, p)
		}
	}
	for _, c := range t.Commands() {
		add(Part{Role: Command, Text: c, Key: t.ArgKey("command")})
	}
	role := ReadPath
	switch t.Canonical {
	case "write", "edit", "patch":
		role = WritePath
	}
	file := ""
	for _, p := range t.Paths() {
		add(Part{Role: role, Text: p, Key: t.ArgKey("path")})
		file = p
	}
	for _, s := range t.Written() {
		add(Part{Role: Content, Text: s, Key: t.ArgKey("content"), Path: file})
	}
	return out
}
