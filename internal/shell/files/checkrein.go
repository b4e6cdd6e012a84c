package files

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// changesOwn is what checkrein's own commands do that decide what it does from
// then on.
var changesOwn = act{"changes", "modify", shell.FSModify, "own"}

// checkrein judges its own commands: those that a person gives to change what it
// guards, or how.
func (j *job) checkrein() {
	var words []string
	user := false
	for i := range j.c.Args {
		switch t := j.c.Args[i].Text; {
		case t == "--dry-run" || t == "--help" || t == "-h":
			return
		case t == "--user":
			user = true
		case t == "--":
		case strings.HasPrefix(t, "-"):
		default:
			words = append(words, t)
		}
	}
	words = append(words, "", "")
	path := ""
	switch words[0] {
	case "allow", "confirm":
		path = "~/.local/state/checkrein"
	case "hooks":
		if words[1] != "help" && words[1] != "list" && words[1] != "doctor" && decides(words[1:]) {
			path = "~/.local/state/checkrein"
		}
	case "audit":
		if words[1] == "prune" {
			path = "~/.local/state/checkrein"
		}
	case "install", "uninstall":
		path = "~/.config/checkrein"
	case "init":
		if path = "checkrein.yaml"; user {
			path = "~/.config/checkrein/checkrein.yaml"
		}
	case "git":
		switch words[1] {
		case "install":
			path = ".git/hooks"
		case "uninstall":
			path = "~/.local/state/checkrein"
		}
	}
	// A word that is not known may be any of them.
	if strings.Contains(words[0], holeText) || words[0] == "hooks" && strings.Contains(words[1], holeText) {
		path = "~/.local/state/checkrein"
	}
	if path != "" {
		j.mark(&changesOwn, j.base.locate(path), maybe)
	}
}

// decides reports whether one of the words is a command about hooks that is for a
// person to give: others may be values of options before it.
func decides(words []string) bool {
	for _, w := range words {
		switch w {
		case "approve", "revoke", "allow", "on", "off":
			return true
		}
	}
	return false
}

// applyPatch judges the patch that some hosts let their shell apply: it names the
// files that it changes.
func (j *job) applyPatch() bool {
	var texts []string
	for i := range j.c.Args {
		texts = append(texts, j.c.Args[i].Text)
	}
	for i := range j.c.Redir {
		if r := &j.c.Redir[i]; r.Op == "<<" || r.Op == "<<<" || r.Op == "<<-" {
			texts = append(texts, r.Target.Text)
		}
	}
	if j.c.In != nil {
		texts = append(texts, j.c.In.Text)
	}
	for i := range j.c.Files {
		texts = append(texts, j.c.Files[i].Text)
	}
	for _, text := range texts {
		for line := range strings.Lines(text) {
			rest, ok := strings.CutPrefix(strings.TrimSpace(line), "*** ")
			if !ok {
				continue
			}
			if head, name, ok := strings.Cut(rest, ": "); ok && name != "" {
				j.patched(head, name)
			}
		}
	}
	return j.out != nil
}

func (j *job) patched(head, name string) {
	switch s := j.base.locate(name); head {
	case "Delete File":
		j.mark(&deletes, s, deleted(s, false))
	case "Add File", "Update File", "Move to":
		j.edited(s)
	}
}
