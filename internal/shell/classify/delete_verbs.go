package classify

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// guessDeletion returns the effect of c, a call of an unknown program, if its words suggest that it
// deletes something. Otherwise it reports false. Programs use the same words for deleting, whatever
// else they do.
func guessDeletion(c *shell.Call) (shell.Effect, bool) {
	e := shell.Effect{Label: shell.Destructive, Kind: "delete", Category: shell.DeleteByName, Impact: shell.ImpactMedium, Words: callText(c)}
	forced := false
	for _, a := range c.Args {
		if isPreviewOption(a.Text) {
			return shell.Effect{}, false
		}
		forced = forced || isForceOption(a.Text)
	}
	if text, ok := commandInput(c); ok && hasLossStatement(text) {
		e.Reason = "unknown program " + c.Name + ", whose arguments suggest that it deletes something"
		return e, true
	}
	if isLossName(c.Name) {
		e.Reason = "unknown program " + c.Name + ", whose name suggests that it deletes something"
		return e, true
	}
	plain, settled := 0, false
	for _, a := range c.Args {
		if len(a.Text) > maxVerbLen {
			plain++
			continue
		}
		word := strings.ToLower(a.Text)
		flag := strings.TrimLeft(word, "-")
		isFlag := flag != word
		if !isFlag {
			plain++
			settled = settled || plain == 1 && isHarmlessVerb(word)
		}
		if isFlag && (isDeleteFlag(flag) || facts.InList("-rm -rmr -expunge", word)) || !isFlag && !settled && isLossVerbAt(word, plain, forced) {
			e.Reason = "unknown program " + c.Name + ", whose argument " + a.Text + " suggests that it deletes something"
			return e, true
		}
	}
	return shell.Effect{}, false
}

// isLossVerbAt reports whether word, the nth word without a dash, is a verb for deleting something. If
// forced is true, it may be further from the program and milder.
func isLossVerbAt(word string, n int, forced bool) bool {
	if n <= maxVerbPosition {
		return isDeleteVerb(word) || isRemoveVerb(word) || forced && isResetVerb(word)
	}
	return forced && n <= 2*maxVerbPosition && (isDeleteVerb(word) || isResetVerb(word))
}

const (
	maxVerbPosition = 3  // how far from the program its verb may be: after a resource, or after a file that it reads first
	maxVerbLen      = 40 // bytes
)

// isLossName reports whether name, the name of a program, suggests that it deletes something: diskwipe
// and nuke-it, but not swiper.
func isLossName(name string) bool {
	if len(name) > maxVerbLen {
		return false
	}
	for _, verb := range [...]string{"erase", "wipe", "destroy", "nuke", "shred", "obliterate"} {
		i := strings.Index(name, verb)
		if i < 0 || i > 0 && name[i-1] == 's' && verb == "wipe" {
			continue
		}
		return true
	}
	return false
}

// isDeleteVerb reports whether word is a verb for deleting something, possibly with its object:
// delete-user, apps:destroy, drop_table. Objects that can be rebuilt, such as a cache, do not count.
func isDeleteVerb(word string) bool {
	before, verb, after := "", "", ""
	rest := word
	for rest != "" && verb == "" {
		part := rest
		if i := strings.IndexAny(rest, ":-_"); i >= 0 {
			part, rest = rest[:i], rest[i+1:]
		} else {
			rest = ""
		}
		switch part {
		case "delete", "destroy", "purge", "wipe", "erase", "nuke", "obliterate", "shred", "terminate", "deleteall", "drop", "truncate", "unregister", "dropdb", "teardown", "deprovision", "undeploy":
			verb, after = part, rest
		default:
			before = part
		}
	}
	switch {
	case verb == "" || isRebuildable(before) || isRebuildable(after):
		return word == "factory-reset" || word == "remove-all" || word == "rm-all" || word == "reset-all"
	case verb == "drop" || verb == "truncate":
		return word == verb || isDataStore(before) || isDataStore(after)
	}
	return true
}

// isRemoveVerb reports whether word is a verb for removing something, which in few programs means less
// than deleting. The verb may follow its object, as in vm.destroy.
func isRemoveVerb(word string) bool {
	if i := strings.LastIndexAny(word, ".:"); i >= 0 && i < len(word)-1 {
		word = word[i+1:]
		if isDeleteVerb(word) {
			return true
		}
	}
	switch word {
	case "rm", "remove", "del", "expunge", "cleanse", "dodelete", "zap", "rmi", "rmdir":
		return true
	}
	return false
}

// isResetVerb reports whether word is a verb that, with a force option, means losing existing data.
func isResetVerb(word string) bool {
	switch word {
	case "reset", "clear", "format", "flush", "reinit", "reinitialize", "reformat", "revoke", "uninstall", "prune":
		return true
	}
	return false
}

// isForceOption reports whether word makes a program act without asking.
func isForceOption(word string) bool {
	switch word {
	case "-f", "--force", "-y", "--yes", "force", "forced", "yes", "--confirm", "-force", "--no-confirm", "--assume-yes", "--do-it", "-Force", "--live", "--noconfirm":
		return true
	}
	return strings.HasPrefix(word, "--yes-i-")
}

// isPreviewOption reports whether word makes a program only show something, such as its help or what
// it would do.
func isPreviewOption(word string) bool {
	switch word {
	case "--help", "-h", "-help", "-?", "help", "--usage", "--version", "--dry-run", "--dryrun", "--dry_run", "--dry", "--pretend", "--simulate", "--what-if", "--whatif", "--noop", "--no-op", "--assumeno", "--fake", "--preview":
		return true
	}
	return strings.HasPrefix(word, "--dry-run=")
}

// commandInput returns the text of c's standard input as far as it is known. It reports false if there
// is none.
func commandInput(c *shell.Call) (string, bool) {
	for _, r := range c.Redir {
		if r.Op == "<<" || r.Op == "<<<" || r.Op == "<<-" {
			return r.Target.Text, true
		}
	}
	if c.In != nil && c.In.Text != "" {
		return c.In.Text, true
	}
	return "", false
}

// hasLossStatement reports whether a line or statement in text begins with a verb for deleting
// something and has an object. The shells of databases and similar programs read such lines.
func hasLossStatement(text string) bool {
	if len(text) > 8<<10 {
		text = text[:8<<10]
	}
	for line := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '\n' || r == ';' }) {
		word, rest, _ := strings.Cut(strings.TrimSpace(strings.ToLower(line)), " ")
		if strings.TrimSpace(rest) == "" {
			continue
		}
		switch word {
		case "delete", "drop", "truncate", "purge", "destroy", "erase", "wipe", "format", "deleteall", "drop_all", "disable_all", "obliterate":
			return true
		}
	}
	return false
}

// isDeleteFlag reports whether flag, a flag without its dashes, means that the program deletes
// something. Fewer verbs count than in isDeleteVerb, because a flag may also determine when to delete.
func isDeleteFlag(flag string) bool {
	flag, value, _ := strings.Cut(flag, "=")
	if value == "false" || value == "no" || value == "0" {
		return false
	}
	switch flag {
	case "delete", "destroy", "purge", "wipe", "erase", "nuke", "unregister", "obliterate", "shred", "force-delete", "factory-reset", "zap-all", "zero-fill", "secure-erase":
		return true
	}
	return strings.HasPrefix(flag, "delete-all") || strings.HasPrefix(flag, "destroy-") || strings.HasPrefix(flag, "wipe-") || strings.HasPrefix(flag, "purge-") || strings.HasPrefix(flag, "erase-") ||
		flag == "action" && (strings.HasPrefix(value, "delete") || strings.HasPrefix(value, "destroy")) ||
		strings.HasSuffix(flag, "-all") && isDeleteVerb(flag) || strings.HasPrefix(flag, "drop-") && isDeleteVerb(flag)
}

// isRebuildable reports whether word, the object of a verb, names something that can be rebuilt.
func isRebuildable(word string) bool {
	switch word {
	case "cache", "caches", "test", "tests", "tmp", "temp", "dist", "build", "dry", "no", "preview", "coverage", "logs":
		return true
	}
	return false
}

// isDataStore reports whether word, the object of a verb, names something that contains data.
func isDataStore(word string) bool {
	switch word {
	case "db", "database", "databases", "table", "tables", "schema", "collection", "collections", "index", "indices", "all", "keyspace", "topic", "bucket", "data", "column":
		return true
	}
	return false
}

// isHarmlessVerb reports whether word, the first word of a program's arguments, is a verb that deletes
// nothing, so that the next word is its object: add delete-button.
func isHarmlessVerb(word string) bool {
	switch word {
	case "list", "ls", "get", "show", "describe", "view", "inspect", "info", "status", "test", "check", "lint", "validate", "search", "find", "grep", "explain", "diff", "log", "logs", "add", "new", "create", "generate", "g", "init", "build", "compile", "version", "fmt", "format", "docs", "print", "echo", "cat", "read":
		return true
	}
	return false
}
