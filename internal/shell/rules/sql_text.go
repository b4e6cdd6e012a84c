package rules

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// inMemory reports whether a client works on a database that is gone when it
// ends, and is told nothing that reaches a file.
func inMemory(c *shell.Call) bool {
	if program.NestsOf(c.Name) != program.NestsDotClient || len(c.Args) == 0 {
		return false
	}
	memory := false // it is named; without a database there is none but that
	for i := range c.Args {
		t := c.Args[i].Text
		switch {
		case t == ":memory:" || t == "-memory":
			memory = true
		case reachesFile(t):
			return false
		case t != "" && t[0] != '-' && !memory && (i == 0 || !sqlOption(c.Args[i-1].Text)):
			return false // the database
		}
	}
	reaches := false
	return eachInput(c, func(text string) { reaches = reaches || reachesFile(text) }) && !reaches
}

// reachesFile reports whether a text may open, read or write another database or
// a file.
func reachesFile(text string) bool {
	return strings.ContainsRune(text, shell.Hole) || strings.HasPrefix(text, ".") && !listed(".tables .schema .mode .headers .quit .exit", text) || strings.Contains(text, "\n.") ||
		containsAnyFold(text, "attach", "copy", "writefile", "load_extension", "vacuum into", "export", "install", "load ", ".open", ".shell", ".system", ".output", ".once", ".read", ".save", ".backup", ".import")
}

// fileText returns what the same text wrote into a file before; ok = it did.
func fileText(c *shell.Call, path string) (text string, sure, ok bool) {
	for i := range c.Files {
		if c.Files[i].Path == path {
			return c.Files[i].Text, c.Files[i].Sure, true
		}
	}
	return "", false, false
}

// printsLoss reports whether a client is given statements by a command whose words put
// together one that loses something: psql -c "select 'drop table ' || …" | psql.
func printsLoss(c *shell.Call) bool {
	if c.In == nil {
		return false
	}
	for _, f := range c.In.From {
		for i := range f.Args {
			if t := f.Args[i].Text; len(t) <= program.MaxFit && writesLoss(strings.ToLower(t)) {
				return true
			}
		}
	}
	return false
}

// writesLoss reports whether a statement puts together one that loses something:
// within a text of it, a verb stands at the beginning.
func writesLoss(low string) bool {
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
