package classify

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// byName judges a program that nobody knows by its own words: programs call what
// deletes by its name, whatever else they do.
func byName(c *shell.Call) (shell.Effect, bool) {
	e := shell.Effect{Label: shell.Destructive, Kind: "delete", Category: shell.DeleteByName, Impact: shell.ImpactMedium, Words: words(c)}
	forced := false
	for _, a := range c.Args {
		if onlyAsks(a.Text) {
			return shell.Effect{}, false
		}
		forced = forced || isForce(a.Text)
	}
	if text, ok := told(c); ok && ordersLoss(text) {
		e.Reason = "unknown program " + c.Name + ", whose arguments suggest that it deletes something"
		return e, true
	}
	if namesLoss(c.Name) {
		e.Reason = "unknown program " + c.Name + ", whose name suggests that it deletes something"
		return e, true
	}
	plain, settled := 0, false
	for _, a := range c.Args {
		if len(a.Text) > longestVerb {
			plain++
			continue
		}
		word := strings.ToLower(a.Text)
		flag := strings.TrimLeft(word, "-")
		isFlag := flag != word
		if !isFlag {
			plain++
			settled = settled || plain == 1 && harmless(word)
		}
		if isFlag && (deletesFlag(flag) || facts.InList("-rm -rmr -expunge", word)) || !isFlag && !settled && losesAt(word, plain, forced) {
			e.Reason = "unknown program " + c.Name + ", whose argument " + a.Text + " suggests that it deletes something"
			return e, true
		}
	}
	return shell.Effect{}, false
}

// losesAt reports whether a word that is the nth without a dash is a verb for losing
// something. With force, it may stand further away and be a milder one.
func losesAt(word string, n int, forced bool) bool {
	if n <= mostVerbs {
		return deletes(word) || removes(word) || forced && resets(word)
	}
	return forced && n <= 2*mostVerbs && (deletes(word) || resets(word))
}

const (
	mostVerbs   = 3  // how far from the program its verb may stand: resource, verb, or a file that it reads first
	longestVerb = 40 // bytes
)

// namesLoss reports whether a program's name says that it deletes: diskwipe and
// nuke-it, but not swiper.
func namesLoss(name string) bool {
	if len(name) > longestVerb {
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

// deletes reports whether a word is a verb for losing something, also with what
// is lost: delete-user, apps:destroy, drop_table.
func deletes(word string) bool {
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
	case verb == "" || remakes(before) || remakes(after):
		return word == "factory-reset" || word == "remove-all" || word == "rm-all" || word == "reset-all"
	case verb == "drop" || verb == "truncate":
		return word == verb || isStore(before) || isStore(after)
	}
	return true
}

// removes reports whether a word is a verb for taking something away, by which
// few programs mean less than deleting it; also behind what it is: vm.destroy.
func removes(word string) bool {
	if i := strings.LastIndexAny(word, ".:"); i >= 0 && i < len(word)-1 {
		word = word[i+1:]
		if deletes(word) {
			return true
		}
	}
	switch word {
	case "rm", "remove", "del", "expunge", "cleanse", "dodelete", "zap", "rmi", "rmdir":
		return true
	}
	return false
}

// resets reports whether a word, with force behind it, is one for losing what is
// there.
func resets(word string) bool {
	switch word {
	case "reset", "clear", "format", "flush", "reinit", "reinitialize", "reformat", "revoke", "uninstall", "prune":
		return true
	}
	return false
}

func isForce(word string) bool {
	switch word {
	case "-f", "--force", "-y", "--yes", "force", "forced", "yes", "--confirm", "-force", "--no-confirm", "--assume-yes", "--do-it", "-Force", "--live", "--noconfirm":
		return true
	}
	return strings.HasPrefix(word, "--yes-i-")
}

// onlyAsks reports whether a word makes a program show something instead of
// doing it.
func onlyAsks(word string) bool {
	switch word {
	case "--help", "-h", "-help", "-?", "help", "--usage", "--version", "--dry-run", "--dryrun", "--dry_run", "--dry", "--pretend", "--simulate", "--what-if", "--whatif", "--noop", "--no-op", "--assumeno", "--fake", "--preview":
		return true
	}
	return strings.HasPrefix(word, "--dry-run=")
}

// told is what a program is given to do on its standard input, when that is
// known.
func told(c *shell.Call) (string, bool) {
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

// ordersLoss reports whether a line or statement begins with a verb for losing
// something: the shells of databases and the like read such lines.
func ordersLoss(text string) bool {
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

// deletesFlag is deletes for a flag, which may say as well when to delete.
func deletesFlag(flag string) bool {
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
		strings.HasSuffix(flag, "-all") && deletes(flag) || strings.HasPrefix(flag, "drop-") && deletes(flag)
}

// remakes reports whether what is lost can be made again.
func remakes(word string) bool {
	switch word {
	case "cache", "caches", "test", "tests", "tmp", "temp", "dist", "build", "dry", "no", "preview", "coverage", "logs":
		return true
	}
	return false
}

// isStore reports whether a word is something that keeps data.
func isStore(word string) bool {
	switch word {
	case "db", "database", "databases", "table", "tables", "schema", "collection", "collections", "index", "indices", "all", "keyspace", "topic", "bucket", "data", "column":
		return true
	}
	return false
}

// harmless reports whether a program's first word is a verb that loses nothing,
// so that what follows is what it works on: add delete-button.
func harmless(word string) bool {
	switch word {
	case "list", "ls", "get", "show", "describe", "view", "inspect", "info", "status", "test", "check", "lint", "validate", "search", "find", "grep", "explain", "diff", "log", "logs", "add", "new", "create", "generate", "g", "init", "build", "compile", "version", "fmt", "format", "docs", "print", "echo", "cat", "read":
		return true
	}
	return false
}
