package rules

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// databaseOver returns what overwrites a database file: a
// redirection, or an output outside the project.
func databaseOver(c *shell.Call) (shell.Effect, bool) {
	for i := range c.Redir {
		switch c.Redir[i].Op {
		case ">", ">|", "&>", ">&":
			if e, ok := overDatabase(c, c.Redir[i].Target.Text); ok {
				return e, true
			}
		}
	}
	parts := program.Parts(c)
	for i := range parts {
		t := parts[i].Word.Text
		if parts[i].Role != shell.Writes || c.Dir == "" && !strings.HasPrefix(t, "/") && !strings.HasPrefix(t, "~") && !strings.HasPrefix(t, "../") {
			continue
		}
		if e, ok := overDatabase(c, t); ok {
			return e, true
		}
	}
	return shell.Effect{}, false
}

// overDatabase is the effect of writing a file that is a database by its name.
func overDatabase(c *shell.Call, path string) (shell.Effect, bool) {
	if !isDatabaseFile(path) || strings.HasPrefix(path, "/tmp/") || strings.HasPrefix(path, "/dev/") || made(c, path) {
		return shell.Effect{}, false
	}
	return shell.Effect{
		Label: shell.Destructive, Kind: "overwrite", Category: shell.FSOverwrite, Rule: "database-over", Radius: shell.RadiusMedium,
		Paths: []string{path}, Words: wordsOf(c), Reason: "overwrites a database file: " + clipped(path),
	}, true
}

// isDatabaseFile reports whether a file is a database by its name.
func isDatabaseFile(path string) bool {
	dot := strings.LastIndexByte(path, '.')
	if dot < 0 || len(path)-dot > 10 {
		return false
	}
	return listed(".db .sqlite .sqlite3 .db3 .duckdb .mdb .accdb .realm .ibd .frm .myd .mdf .rdb", path[dot:])
}

// made reports whether the same text made a file before.
func made(c *shell.Call, path string) bool {
	for i := range c.Files {
		if c.Files[i].Path == path && c.Files[i].Made {
			return true
		}
	}
	return false
}

// clipped is a text cut to a length that people read.
func clipped(text string) string {
	if len(text) > maxWords {
		return strings.ToValidUTF8(text[:maxWords], "")
	}
	return text
}
