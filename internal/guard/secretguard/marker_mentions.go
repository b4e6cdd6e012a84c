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

// onlyMentionsMarkers reports whether a shell call uses its markers as text only: it prints, searches
// for or commits them, and writes them to no file that may contain secrets.
func (c *Call) onlyMentionsMarkers() bool {
	left := 0
	eachText(c.Event.Tool.Input, "", func(key, text string) {
		if !isProseKey(key) {
			left += len(countIDs(text))
		}
	})
	for _, p := range study.Parts(c.Event.Tool, tools.Command|tools.Argv) {
		has := countIDs(p.Text)
		if len(has) > 0 && !c.commandMentionsMarkers(p.Text, has) {
			return false
		}
		left -= len(has)
	}
	return left <= 0
}

// commandMentionsMarkers is onlyMentionsMarkers for the command text, which has markers with the ids
// in has.
func (c *Call) commandMentionsMarkers(text string, has map[string]int) bool {
	place := study.CallPlace(&c.Event, study.NewCallEnv(&c.Call))
	calls := classify.Calls(text, place)
	for _, call := range calls {
		if hasMarker(call) && (call.Piped || !takesText(call)) {
			return false
		}
	}
	for id := range has {
		place.TypedSecrets = append(place.TypedSecrets, shell.TypedSecret{Value: "[REDACTED:" + id + "]", Rule: "marker"})
	}
	_, paths := classify.CommandWithSecrets(text, place)
	return !slices.ContainsFunc(paths, func(path string) bool { return !c.isPlainDocument(path) })
}

// hasMarker reports whether an argument, a variable or a redirection of c contains a marker.
func hasMarker(c *shell.Call) bool {
	has := func(w *shell.Word) bool { return strings.Contains(w.Text, "[REDACTED:") }
	for i := range c.Args {
		if has(&c.Args[i]) {
			return true
		}
	}
	return slices.ContainsFunc(c.Env, func(v shell.Variable) bool { return has(&v.Value) }) ||
		slices.ContainsFunc(c.Redir, func(r shell.Redirect) bool { return has(&r.Target) })
}

// takesText reports whether the program of c treats its arguments as text and does not send them
// anywhere.
func takesText(c *shell.Call) bool {
	switch c.Name {
	case "echo", "printf", "grep", "egrep", "fgrep", "rg", "cat":
		return true
	case "git":
		return len(c.Args) > 0 && slices.Contains([]string{"commit", "tag", "notes", "log", "grep"}, c.Args[0].Text)
	}
	return false
}

// isPlainDocument reports whether the file path is a document for people and has no secrets, so that a
// marker in it stands for nothing.
func (c *Call) isPlainDocument(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".md", ".mdx", ".markdown", ".txt", ".rst", ".adoc":
	default:
		return false
	}
	text, _ := readBounded(c.absPath(path))
	return len(findSecrets(text, new(placeholder.Key))) == 0
}
