// Package hookmd reads HOOK.md folders, encodes payloads for their scripts as that format defines, and
// writes such folders.
//
// A hook is a folder with the file HOOK.md, whose front matter declares the hook, and scripts, one of
// which runs. Only the front matter is read at first; [Script] finds the script when the event fires.
package hookmd

import (
	"encoding/json"
	"path/filepath"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/dialect/toolnames"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
)

const (
	// dialect is the name of the dialect, and of the chain that its hooks form: they run one after
	// another until one blocks.
	dialect  = "hookmd"
	hookFile = "HOOK.md"
)

// MaxFrontMatter is how many bytes of a HOOK.md are read. The front matter, including its closing
// line, must not be longer.
const MaxFrontMatter = 64 << 10

// Dialect is the entry for this format in the table of dialects.
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
	Write: writeFolders,
	Head:  MaxFrontMatter,
	Front: frontSize,
}

func detect(src hookfile.Source) bool { return filepath.Base(src.File) == hookFile }

// vocabulary lists the format's names for tools. Arguments have checkrein's names.
var vocabulary = toolnames.Table{
	{Canonical: "shell", Name: "Shell"},
	{Canonical: "read", Name: "ReadFile"},
	{Canonical: "write", Name: "WriteFile"},
	{Canonical: "edit", Name: "StrReplaceFile"},
	{Canonical: "glob", Name: "Glob"},
	{Canonical: "search", Name: "Grep"},
}

// These are functions, because method values would be created at program start.

func localize(ev checkrein.Event, patch json.RawMessage) (json.RawMessage, error) {
	return vocabulary.Localize(ev, patch)
}

func toolName(canonical string) string { return vocabulary.ToolName(canonical) }
