package packs

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// databaseOver knows a redirection that puts text in the place of a database.
func databaseOver(c *shell.Call) (shell.Effect, bool) {
	for i := range c.Redir {
		switch c.Redir[i].Op {
		case ">", ">|", "&>", ">&":
		default:
			continue
		}
		t := c.Redir[i].Target.Text
		if !isDatabaseFile(t) || strings.HasPrefix(t, "/tmp/") || strings.HasPrefix(t, "/dev/") || made(c, t) {
			continue
		}
		e := shell.Effect{Label: shell.Destructive, Kind: "overwrite", Category: shell.FSOverwrite, Rule: "database-over", Radius: shell.RadiusMedium, Paths: []string{t}, Words: wordsOf(c), Reason: "puts something else in the place of a database: " + clipped(t)}
		return e, true
	}
	return shell.Effect{}, false
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
