package rules

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// databaseOverwriteEffect returns the effect of overwriting a database file by a redirection, or by an
// output file outside the working directory. It reports false if c overwrites none.
func databaseOverwriteEffect(c *shell.Call) (shell.Effect, bool) {
	for i := range c.Redir {
		switch c.Redir[i].Op {
		case ">", ">|", "&>", ">&":
			if e, ok := databaseWriteEffect(c, c.Redir[i].Target.Text); ok {
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
		if e, ok := databaseWriteEffect(c, t); ok {
			return e, true
		}
	}
	return shell.Effect{}, false
}

// databaseWriteEffect returns the effect of writing path if it is a database by its name.
func databaseWriteEffect(c *shell.Call, path string) (shell.Effect, bool) {
	if !isDatabaseFile(path) || strings.HasPrefix(path, "/tmp/") || strings.HasPrefix(path, "/dev/") || isCreatedByCommand(c, path) {
		return shell.Effect{}, false
	}
	return shell.Effect{
		Label: shell.Destructive, Kind: "overwrite", Category: shell.FSOverwrite, Rule: "database-over", Impact: shell.ImpactMedium,
		Paths: []string{path}, Words: callText(c), Reason: "overwrites a database file: " + truncate(path),
	}, true
}

// isDatabaseFile reports whether a file is a database, by its name.
func isDatabaseFile(path string) bool {
	dot := strings.LastIndexByte(path, '.')
	if dot < 0 || len(path)-dot > 10 {
		return false
	}
	return inListFold(".db .sqlite .sqlite3 .db3 .duckdb .mdb .accdb .realm .ibd .frm .myd .mdf .rdb", path[dot:])
}

// isCreatedByCommand reports whether the same command line created the file path.
func isCreatedByCommand(c *shell.Call, path string) bool {
	for i := range c.Files {
		if c.Files[i].Path == path && c.Files[i].Created {
			return true
		}
	}
	return false
}

// truncate returns text cut to maxWords bytes.
func truncate(text string) string {
	if len(text) > maxWords {
		return strings.ToValidUTF8(text[:maxWords], "")
	}
	return text
}
