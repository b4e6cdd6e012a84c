// Package toolcall says what each argument of a tool call is, whatever the tool is
// called: a command, code, a path that is written, or text that is only data.
//
// Packs, self-protection and the secret policy judge calls by it. The tables are in
// internal/catalog/tools, which the root package reads too.
package toolcall

import (
	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/tools"
)

// A Role is what an argument is to the tool. Roles are bits, so that [Of] can be
// asked for some of them.
type Role = tools.Role

// The roles.
const (
	Data       = tools.Data       // prose, search text and everything else that nothing runs
	Command    = tools.Command    // the text of a shell command
	Argv       = tools.Argv       // a program and its words, as a list
	Code       = tools.Code       // of an interpreter; Lang says of which, "" = the call does not say
	SQL        = tools.SQL        // statements for a database
	ReadPath   = tools.ReadPath   // a file or directory that is read, listed or searched
	WritePath  = tools.WritePath  // one that is made, changed, moved away or linked
	DeletePath = tools.DeletePath // one that is deleted
	Content    = tools.Content    // text that ends up in the file Path
	URL        = tools.URL        // an address that the tool talks to
	Payload    = tools.Payload    // what is sent to an address in the same call
	Dir        = tools.Dir        // the directory in which a command or code is meant to run
	Unread     = tools.Unread     // lies too deep, or is too much, to be read

	All   = tools.All
	Paths = tools.Paths // the three kinds
	Runs  = tools.Runs  // what a machine executes: commands, code, statements
)

// A Part is one argument of a call, or one element of it.
type Part = tools.Part

// Parts says what each argument of a call is, in the order in which they are
// written.
func Parts(t *checkrein.Tool) []Part { return Of(t, All) }

// Of is Parts with some roles only. What has another one is not even decoded.
func Of(t *checkrein.Tool, want Role) []Part {
	return tools.Of(t.Name, t.Canonical, t.Input, want)
}

// Destroys reports whether a tool says by its name that it takes away something as
// a whole, on a machine or a service; files are judged by their paths.
func Destroys(t *checkrein.Tool) bool { return tools.Destroys(t.Name) }

// Sends reports whether a tool says by its name that it takes something elsewhere.
func Sends(t *checkrein.Tool) bool { return tools.Sends(t.Name) }

// A Text is what an argument's name says of it where it is text of a file.
type Text = tools.Text

// The texts.
const (
	OldText    = tools.OldText
	NewText    = tools.NewText   // of an edit, or all of a file
	PatchText  = tools.PatchText // a patch
	MaybePatch = tools.MaybePatch
)

// TextOf reads an argument's name.
func TextOf(key string) Text { return tools.TextOf(key) }

// ShortPath is a path without what makes it longer than systems take.
func ShortPath(s string) (short string, ok bool) { return tools.ShortPath(s) }

// Quote returns a word as shells read it back.
func Quote(word string) string { return tools.Quote(word) }
