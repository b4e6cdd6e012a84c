package secretguard

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/guard/study"
	"github.com/checkrein/checkrein/internal/secret/placeholder"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/classify"
)

// onlySays reports whether the markers of a call that changes no file itself are
// words about markers: in a shell command that prints, looks for or commits them as
// text.
func (c *Call) onlySays() bool {
	left := 0
	argTexts(c.Event.Tool.Input, "", func(key, text string) {
		if !isProse(key) {
			left += len(countIDs(text))
		}
	})
	for _, p := range study.Parts(c.Event.Tool, tools.Command|tools.Argv) {
		has := countIDs(p.Text)
		if len(has) > 0 && !c.says(p.Text, has) {
			return false
		}
		left -= len(has)
	}
	return left <= 0
}

// says is onlySays for one command.
func (c *Call) says(text string, has map[string]int) bool {
	place := study.PlaceOf(&c.Event, study.GroundOf(&c.Call))
	calls := classify.Calls(text, place)
	for _, call := range calls {
		if marked(call) && (call.Piped || !speaks(call)) {
			return false
		}
	}
	for id := range has {
		place.Typed = append(place.Typed, shell.Typed{Value: "[REDACTED:" + id + "]", Rule: "marker"})
	}
	_, paths := classify.Typed(text, place)
	return !slices.ContainsFunc(paths, func(path string) bool { return !c.tells(path) })
}

// marked reports whether a call is given a marker.
func marked(c *shell.Call) bool {
	has := func(w *shell.Word) bool { return strings.Contains(w.Text, "[REDACTED:") }
	for i := range c.Args {
		if has(&c.Args[i]) {
			return true
		}
	}
	return slices.ContainsFunc(c.Env, func(v shell.Variable) bool { return has(&v.Value) }) ||
		slices.ContainsFunc(c.Redir, func(r shell.Redirect) bool { return has(&r.Target) })
}

// speaks reports whether a program takes its words as text and gives them to nobody.
func speaks(c *shell.Call) bool {
	switch c.Name {
	case "echo", "printf", "grep", "egrep", "fgrep", "rg", "cat":
		return true
	case "git":
		return len(c.Args) > 0 && slices.Contains([]string{"commit", "tag", "notes", "log", "grep"}, c.Args[0].Text)
	}
	return false
}

// tells reports whether a file is there to be read by people and has no secret, so
// that a marker in it stands for nothing.
func (c *Call) tells(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".md", ".mdx", ".markdown", ".txt", ".rst", ".adoc":
	default:
		return false
	}
	text, _ := readBounded(c.absPath(path))
	return len(findSecrets(text, new(placeholder.Key))) == 0
}
