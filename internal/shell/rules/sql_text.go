package rules

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// usesMemoryDatabase reports whether the client c uses only a database in memory, which is discarded
// when the client exits, and no statement accesses a file.
func usesMemoryDatabase(c *shell.Call) bool {
	if program.NestsOf(c.Name) != program.NestsDotClient || len(c.Args) == 0 {
		return false
	}
	memory := false // a word names a database in memory, which is also the default
	for i := range c.Args {
		t := c.Args[i].Text
		switch {
		case t == ":memory:" || t == "-memory":
			memory = true
		case mayAccessFile(t):
			return false
		case t != "" && t[0] != '-' && !memory && (i == 0 || !isSQLOption(c.Args[i-1].Text)):
			return false // a database file
		}
	}
	reaches := false
	return eachInput(c, func(text string) { reaches = reaches || mayAccessFile(text) }) && !reaches
}

// mayAccessFile reports whether text, for an SQL client, may read or write a file or another database.
func mayAccessFile(text string) bool {
	return strings.ContainsRune(text, shell.Placeholder) || strings.HasPrefix(text, ".") && !inListFold(".tables .schema .mode .headers .quit .exit", text) || strings.Contains(text, "\n.") ||
		containsAnyFold(text, "attach", "copy", "writefile", "load_extension", "vacuum into", "export", "install", "load ", ".open", ".shell", ".system", ".output", ".once", ".read", ".save", ".backup", ".import")
}

// writtenText returns the text that the same command line wrote to the file path, and reports whether
// the text is complete (sure). It reports false in ok if the command line did not write the file.
func writtenText(c *shell.Call, path string) (text string, sure, ok bool) {
	for i := range c.Files {
		if c.Files[i].Path == path {
			return c.Files[i].Text, c.Files[i].Complete, true
		}
	}
	return "", false, false
}

// inputBuildsDestructiveSQL reports whether the input of a client comes from a command that builds a
// destructive statement, as in psql -c "select 'drop table ' || …" | psql.
func inputBuildsDestructiveSQL(c *shell.Call) bool {
	if c.In == nil {
		return false
	}
	for _, f := range c.In.From {
		for i := range f.Args {
			if t := f.Args[i].Text; len(t) <= program.MaxMatch && buildsDestructiveSQL(strings.ToLower(t)) {
				return true
			}
		}
	}
	return false
}

// buildsDestructiveSQL reports whether a string literal in the statement low, which is in lower case,
// begins with a destructive verb.
func buildsDestructiveSQL(low string) bool {
	for from := 0; ; {
		i := strings.IndexAny(low[from:], `'"`)
		if i < 0 {
			return false
		}
		from += i + 1
		rest := strings.TrimLeft(low[from:], " (")
		for _, verb := range [...]string{"drop ", "truncate ", "delete from "} {
			if strings.HasPrefix(rest, verb) {
				return true
			}
		}
	}
}
