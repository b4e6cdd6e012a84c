package classify

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// byName judges a program that nobody knows by its own words: programs call what
// deletes by its name, whatever else they do.
func byName(c *shell.Call) (shell.Effect, bool) {
	e := shell.Effect{Label: shell.Destructive, Kind: "delete", Category: "delete-by-name", Radius: shell.RadiusMedium, Words: words(c)}
	for _, part := range [...]string{"erase", "wipe", "destroy", "nuke"} {
		if strings.Contains(c.Name, part) {
			e.Reason = "nobody here knows " + c.Name + ", and its name says that it deletes"
			return e, true
		}
	}
	plain := 0
	for _, a := range c.Args {
		word := strings.ToLower(a.Text)
		if word == "--help" || word == "-h" || word == "--dry-run" || word == "help" {
			return shell.Effect{}, false
		}
		flag := strings.TrimLeft(word, "-")
		if flag == word {
			plain++
		}
		if deletes(flag) && (flag != word || plain <= mostVerbs) {
			e.Reason = "nobody here knows " + c.Name + ", and " + a.Text + " says that it deletes"
			return e, true
		}
	}
	if strings.HasPrefix(c.Path, "/etc/init.d/") && len(c.Args) > 0 && c.Args[0].Text == "stop" {
		e.Kind, e.Category, e.Reason = "stop", "svc-stop", "stops a service"
		return e, true
	}
	return shell.Effect{}, false
}

// mostVerbs is how far from the program its verb may stand: resource, verb, or a
// file that it reads first.
const mostVerbs = 3

// deletes reports whether a word is a verb for losing something.
func deletes(word string) bool {
	switch word {
	case "delete", "destroy", "purge", "wipe", "erase", "nuke", "unregister", "delete-all", "remove-all", "destroy-all", "drop-all", "factory-reset", "obliterate", "shred":
		return true
	}
	return strings.HasPrefix(word, "delete-") || strings.HasPrefix(word, "destroy-") || strings.HasPrefix(word, "purge-") || strings.HasPrefix(word, "wipe-")
}
