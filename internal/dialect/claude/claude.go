// Package claude reads the hooks of Claude-shaped files, settings.json and
// hooks.json, speaks to them as Claude Code does, and writes such files.
//
// Where Claude fails open, checkrein does not: a file that Claude would drop
// without a word loses only its bad entries, and the gates among those stay
// closed.
package claude

import (
	"bytes"
	"path/filepath"

	"github.com/checkrein/checkrein"
)

const dialect = "claude"

// Dialect is the row of the dialect table.
var Dialect = checkrein.Dialect{
	RootVar:  "CLAUDE_PROJECT_DIR",
	Name:     dialect,
	Parse:    parse,
	Detect:   detect,
	Encode:   encode,
	Localize: localize,
	ToolName: toolName,
	Form: checkrein.AnswerForm{
		Decisions: []checkrein.DecisionWord{
			{Word: "block", Is: checkrein.Deny}, {Word: "deny", Is: checkrein.Deny},
			{Word: "approve", Is: checkrein.Allow}, {Word: "allow", Is: checkrein.Allow},
		},
		// Where Claude takes plain text; on WorktreeCreate it is the new path.
		PlainOn:    []checkrein.Kind{checkrein.SessionStart, checkrein.UserPromptSubmit, checkrein.PreCompact, checkrein.WorktreeCreate},
		EmptyBody:  true,
		AnyExit:    true,
		HaltOnStop: true,
		// The tool has run: Claude tells the model why, and goes on.
		RemindOn: []checkrein.Kind{checkrein.PostToolUse, checkrein.PostToolUseFailure},
	},
	Write: write,
}

// detect goes by the usual names, else by what the text begins with and has in
// it: it is asked about every file, and reading one is dear.
func detect(src checkrein.Source) bool {
	switch filepath.Base(src.File) {
	case "settings.json", "settings.local.json", "hooks.json":
		return true
	}
	data := bytes.TrimLeft(src.Data, " \t\r\n")
	if len(data) == 0 || data[0] != '{' {
		return false
	}
	for {
		_, rest, found := bytes.Cut(data, []byte(`"hooks"`))
		if !found {
			return false
		}
		data = bytes.TrimLeft(rest, " \t\r\n")
		if len(data) > 0 && data[0] == ':' {
			return true
		}
	}
}
