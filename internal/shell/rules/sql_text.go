package rules

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// isInMemory reports whether a client works on a database that is discarded when the client ends, and
// no statement reaches a file.
func isInMemory(c *shell.Call) bool {
	if program.NestsOf(c.Name) != program.NestsDotClient || len(c.Args) == 0 {
		return false
	}
	memory := false // an in-memory database is named; it is also the default
	for i := range c.Args {
		t := c.Args[i].Text
		switch {
		case t == ":memory:" || t == "-memory":
			memory = true
		case reachesFile(t):
			return false
		case t != "" && t[0] != '-' && !memory && (i == 0 || !isSQLOption(c.Args[i-1].Text)):
			return false // a database file
		}
	}
	reaches := false
	return eachInput(c, func(text string) { reaches = reaches || reachesFile(text) }) && !reaches
}

// reachesFile reports whether a text may open, read or write another database or a file.
func reachesFile(text string) bool {
	return strings.ContainsRune(text, shell.Placeholder) || strings.HasPrefix(text, ".") && !inListFold(".tables .schema .mode .headers .quit .exit", text) || strings.Contains(text, "\n.") ||
		containsAnyFold(text, "attach", "copy", "writefile", "load_extension", "vacuum into", "export", "install", "load ", ".open", ".shell", ".system", ".output", ".once", ".read", ".save", ".backup", ".import")
}

// fileText returns the text that the same command line wrote into a file. It reports false in ok if it
// did not write the file.
func fileText(c *shell.Call, path string) (text string, sure, ok bool) {
	for i := range c.Files {
		if c.Files[i].Path == path {
			return c.Files[i].Text, c.Files[i].Complete, true
		}
	}
	return "", false, false
}

// inputBuildsLoss reports whether the input of a client comes from a command that builds a destructive
// statement: psql -c "select 'drop table ' || …" | psql.
func inputBuildsLoss(c *shell.Call) bool {
	if c.In == nil {
		return false
	}
	for _, f := range c.In.From {
		for i := range f.Args {
			if t := f.Args[i].Text; len(t) <= program.MaxMatch && buildsLoss(strings.ToLower(t)) {
				return true
			}
		}
	}
	return false
}

// buildsLoss reports whether a statement builds a destructive one: a string literal in it begins with
// a destructive verb. Low is in lower case.
func buildsLoss(low string) bool {
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
