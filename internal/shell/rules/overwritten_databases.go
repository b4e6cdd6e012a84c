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
			if e, ok := databaseFileEffect(c, c.Redir[i].Target.Text); ok {
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
		if e, ok := databaseFileEffect(c, t); ok {
			return e, true
		}
	}
	return shell.Effect{}, false
}

// keepDatabaseFile names the database file of r, an embedded database, in the effects that lose data in
// it. Since the file can be saved first, these have a medium impact at most.
func (s *search) keepDatabaseFile(r *reading, effects []shell.Effect) {
	paths := r.operandPaths(0, s.place)
	if len(paths) == 0 || len(r.Words) == 0 || strings.HasPrefix(r.Words[0].Text, ":") {
		return
	}
	file := paths[0]
	for i := range effects {
		e := &effects[i]
		if e.Label != shell.Destructive || e.Row().PackName() != shell.PackDatabases.String() || len(e.Paths) > 0 || e.Foreign {
			continue
		}
		e.Paths, e.Keeps = []string{file, file + "-wal", file + "-journal"}, shell.SaveWritten
		if e.Impact == shell.ImpactHigh {
			e.Impact = shell.ImpactMedium
		}
	}
}

// databaseFileEffect returns the effect of overwriting path. It reports false if path is not named
// like a database, is temporary, or was created by the same command.
func databaseFileEffect(c *shell.Call, path string) (shell.Effect, bool) {
	if !isDatabaseFile(path) || strings.HasPrefix(path, "/tmp/") || strings.HasPrefix(path, "/dev/") || isCreatedByCommand(c, path) {
		return shell.Effect{}, false
	}
	return shell.Effect{
		Label: shell.Destructive, Kind: "overwrite", Category: shell.FSOverwrite, Rule: "database-over", Impact: shell.ImpactMedium,
		Paths: []string{path}, Words: callText(c), Reason: "overwrites a database file: " + truncate(path),
	}, true
}

// isDatabaseFile reports whether path has the extension of a database file.
func isDatabaseFile(path string) bool {
	dot := strings.LastIndexByte(path, '.')
	if dot < 0 || len(path)-dot > 10 {
		return false
	}
	return inListFold(".db .sqlite .sqlite3 .db3 .duckdb .mdb .accdb .realm .ibd .frm .myd .mdf .rdb", path[dot:])
}

// isCreatedByCommand reports whether an earlier part of the command that c belongs to created the file
// path.
func isCreatedByCommand(c *shell.Call, path string) bool {
	for i := range c.Files {
		if c.Files[i].Path == path && c.Files[i].Created {
			return true
		}
	}
	return false
}

// truncate returns the first maxWords bytes of text, without a broken character at the end.
func truncate(text string) string {
	if len(text) > maxWords {
		return strings.ToValidUTF8(text[:maxWords], "")
	}
	return text
}
