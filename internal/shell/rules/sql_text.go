package rules

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// lasting is a text without the statements that it takes back itself: BEGIN;
// DELETE FROM x; ROLLBACK. What may have been done for good stays: a client's own
// commands, and where tables are not part of a transaction all that is about them.
func lasting(text, client string) string {
	if !foldContains(text, "rollback") || strings.ContainsRune(text, '\\') {
		return text
	}
	var out strings.Builder
	for rest := text; rest != ""; {
		var one string
		one, rest = cutStatement(rest)
		out.WriteString(one)
		out.WriteByte(';')
		if !opens(one) {
			continue
		}
		held, after, back := transaction(rest)
		if !back {
			continue
		}
		for held != "" {
			one, held = cutStatement(held)
			if !takenBack(one, client) {
				out.WriteString(one)
				out.WriteByte(';')
			}
		}
		rest = after
	}
	return out.String()
}

// opens reports whether a statement begins a transaction, and does nothing else.
func opens(text string) bool {
	word, rest := nextWord(text)
	next, rest := nextWord(rest)
	last, _ := nextWord(rest)
	switch {
	case strings.EqualFold(word, "begin"):
		return next == "" || last == "" && listed("transaction work tran deferred immediate exclusive", next) || listed("deferred immediate exclusive", next) && strings.EqualFold(last, "transaction")
	case strings.EqualFold(word, "start"):
		return strings.EqualFold(next, "transaction")
	}
	return false
}

// transaction splits a text behind the end of a transaction, and says whether it
// is taken back.
func transaction(text string) (held, after string, back bool) {
	for rest := text; rest != ""; {
		var one string
		before := len(text) - len(rest)
		one, rest = cutStatement(rest)
		word, tail := nextWord(one)
		switch {
		case listed("commit end begin start", word):
			return "", "", false
		case listed("rollback abort", word):
			if next, _ := nextWord(tail); next == "" || listed("work transaction tran", next) {
				return text[:before], rest, true
			}
			return "", "", false // to a savepoint, or of something prepared
		}
	}
	return "", "", false
}

// takenBack reports whether a rollback undoes a statement.
func takenBack(text, client string) bool {
	word, rest := nextWord(text)
	switch {
	case listed("delete update insert merge replace upsert", word):
		return true
	case listed("drop truncate alter", word):
		what, _ := nextWord(rest)
		return !listed("database tablespace system", what) && listed("psql pgcli sqlite3 sqlite litecli duckdb cockroach usql sqlcmd mssql-cli", client)
	}
	return false
}

// foldContains reports whether a text holds a lower-case word, in any case.
func foldContains(text, word string) bool {
	for i := 0; i+len(word) <= len(text); i++ {
		if text[i]|0x20 == word[0] && strings.EqualFold(text[i:i+len(word)], word) {
			return true
		}
	}
	return false
}

// inMemory reports whether a client works on a database that is gone when it
// ends, and is told nothing that reaches a file.
func inMemory(c *shell.Call) bool {
	switch c.Name {
	case "sqlite3", "sqlite", "duckdb":
	default:
		return false
	}
	memory := false
	for i := range c.Args {
		t := c.Args[i].Text
		switch {
		case t == ":memory:" || t == "-memory" && c.Name == "duckdb":
			memory = true
		case reachesFile(t):
			return false
		case t != "" && t[0] != '-' && !memory && (i == 0 || !sqlOption(c.Args[i-1].Text)):
			return false // the database
		}
	}
	if !memory && (c.Name != "duckdb" || len(c.Args) == 0) {
		return false
	}
	return eachInput(c, func(text string) { memory = memory && !reachesFile(text) }) && (memory || c.Name == "duckdb")
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

// fromScript knows statements that a client is given by another one that writes
// them: psql -c "select 'drop table ' || …" | psql.
func fromScript(c *shell.Call) bool {
	if c.In == nil {
		return false
	}
	for _, f := range c.In.From {
		for i := range f.Args {
			t := f.Args[i].Text
			if len(t) > program.MaxFit {
				continue
			}
			low := strings.ToLower(t)
			if low == "sqlflush" || low == "sqlclear" || low == "--clean" && f.Name == "pg_dump" || low == "--add-drop-database" {
				return true
			}
			if f.Name == "grep" || f.Name == "sed" || f.Name == "awk" || f.Name == "egrep" || f.Name == "rg" {
				if !strings.Contains(low, "-v") && (strings.Contains(low, "^drop") || strings.Contains(low, "drop table") || strings.Contains(low, "truncate table") || strings.Contains(low, "delete from")) {
					return true
				}
				continue
			}
			if writesLoss(low) {
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
