// Package hookmd reads HOOK.md folders, speaks to their scripts as that format
// says, and writes such folders.
//
// A hook is a folder: HOOK.md, whose front matter declares it, and scripts, one
// of which runs. Loading is progressive: of HOOK.md only the front matter is
// read, and which script runs is looked up when the event fires ([Script]).
package hookmd

import (
	"encoding/json"
	"path/filepath"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/dialect/toolnames"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
)

const (
	// dialect is this dialect's name, and that of the chain that its hooks
	// form: they run one after another until one blocks.
	dialect  = "hookmd"
	hookFile = "HOOK.md"
)

// MaxFrontMatter is how many bytes of a HOOK.md are looked at: its front matter
// must end within them, the closing line included.
const MaxFrontMatter = 64 << 10

// Dialect is the row of the dialect table.
var Dialect = hookfile.Dialect{
	Folders:  true,
	Name:     dialect,
	Parse:    parse,
	Detect:   detect,
	Encode:   encode,
	Localize: localize,
	ToolName: toolName,
	Form: hookfile.AnswerForm{
		Decisions: []hookfile.DecisionWord{
			{Word: "block", Is: checkrein.Deny}, {Word: "deny", Is: checkrein.Deny},
			{Word: "ask", Is: checkrein.Ask},
			{Word: "allow", Is: checkrein.Allow},
		},
		ZeroOnly: true,
	},
	Write: write,
	Head:  MaxFrontMatter,
	Front: front,
}

func detect(src hookfile.Source) bool { return filepath.Base(src.File) == hookFile }

// vocabulary is the format's; arguments have checkrein's names.
var vocabulary = toolnames.Table{
	{Canonical: "shell", Name: "Shell"},
	{Canonical: "read", Name: "ReadFile"},
	{Canonical: "write", Name: "WriteFile"},
	{Canonical: "edit", Name: "StrReplaceFile"},
	{Canonical: "glob", Name: "Glob"},
	{Canonical: "search", Name: "Grep"},
}

// Functions, not method values: those would be made at start.

func localize(ev checkrein.Event, patch json.RawMessage) (json.RawMessage, error) {
	return vocabulary.Localize(ev, patch)
}

func toolName(canonical string) string { return vocabulary.ToolName(canonical) }
