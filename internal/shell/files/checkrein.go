package files

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// changesOwn is what checkrein's own commands do that decide what it does from
// then on.
var changesOwn = act{"changes", "modify", shell.FSModify, "own"}

// free are checkrein's own commands that change nothing and act for nobody: all
// others are for a person to give. A command with options is free without them, and
// one with a last column only with what is there.
var free = [...]struct{ command, sub, without, with string }{
	{"", "", "", ""}, {"help", "*", "", ""}, {"classify", "*", "", ""}, {"completion", "*", "", ""}, {"doctor", "*", "", ""}, {"explain", "*", "", ""}, {"pr-check", "*", "", ""}, {"scan", "*", "", ""}, {"status", "*", "", ""}, {"validate", "*", "", ""},
	{"version", "*", "", ""}, {"packs", "*", "", ""}, {"pause", "", "", ""}, {"suggest", "*", " --json=", "--json"}, {"allow", "", " --revoke --once --session --for --project --always --rule --call", "--list"}, {"docs", "*", "", ""}, {"match", "*", "", ""}, {"test", "*", "", ""}, {"eval", "*", " -c --hook-", ""}, {"scrub", "*", " --apply --undo", ""}, {"convert", "*", " --out --force", ""},
	{"audit", "", "", ""}, {"audit", "help", "", ""}, {"audit", "query", "", ""}, {"audit", "show", "", ""}, {"audit", "tail", "", ""}, {"audit", "verify", "", ""}, {"audit", "key", "", ""}, {"audit", "export", " -o --output --endpoint", ""},
	{"snapshots", "", "", ""}, {"snapshots", "list", "", ""}, {"git", "", "", ""}, {"git", "help", "", ""}, {"git", "status", "", ""}, {"git", "pre-commit", "", ""}, {"git", "pre-push", "", ""},
}

// checkrein judges its own commands: those that a person gives to change what it
// guards, or how, and those that write files.
func (j *job) checkrein() {
	var words, options []string
	user := false
	for i := range j.c.Args {
		switch t := j.c.Args[i].Text; {
		case t == "--dry-run" || t == "--help" || t == "-h" || t == "--version":
			return
		case t == "--user":
			user = true
		case t == "--":
		case strings.HasPrefix(t, "-"):
			options = append(options, t)
		default:
			words = append(words, t)
		}
	}
	words = append(words, "", "")
	path := ""
	switch words[0] {
	case "hooks":
		// A word that is not known may be any of them.
		if words[1] != "help" && words[1] != "list" && words[1] != "doctor" && decides(words[1:]) || strings.Contains(words[1], holeText) {
			path = "~/.local/state/checkrein"
		}
	case "install", "uninstall":
		path = "~/.config/checkrein"
	case "init":
		if path = "checkrein.yaml"; user {
			path = "~/.config/checkrein/checkrein.yaml"
		}
	default:
		switch {
		case isFree(words, options):
		case words[0] == "git" && words[1] == "install":
			path = ".git/hooks"
		default:
			path = "~/.local/state/checkrein"
		}
	}
	if path != "" {
		j.mark(&changesOwn, j.base.locate(path), maybe)
	}
}

// isFree reports whether a command is one that anybody may give.
func isFree(words, options []string) bool {
	for i := range free {
		row := &free[i]
		if row.command != words[0] || row.sub != "*" && row.sub != words[1] {
			continue
		}
		for not := range strings.FieldsSeq(row.without) {
			for _, o := range options {
				if strings.HasPrefix(o, not) {
					return false
				}
			}
		}
		return row.with == "" || slices.Contains(options, row.with)
	}
	return false
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
