package study

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/classify"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// maxRejudged limits how many earlier calls are judged again because they mention a file.
const maxRejudged = 24

// A sessionWrites finds out which files earlier calls of the session wrote, from the records of these
// calls. It reads the records only when a file is about to run.
type sessionWrites struct {
	ev     *checkrein.Event
	home   string
	load   func(*checkrein.Event) [][]byte
	loaded bool
	lines  [][]byte
	known  map[string]bool
}

// wrote reports whether an earlier call of the session wrote the file path; see [shell.Place.Wrote].
func (w *sessionWrites) wrote(path string) bool {
	if is, ok := w.known[path]; ok {
		return is
	}
	if !w.loaded {
		w.loaded, w.lines, w.known = true, w.load(w.ev), map[string]bool{}
	}
	is := len(w.lines) > 0 && w.searchRecords(path)
	w.known[path] = is
	return is
}

// searchRecords reports whether a recorded call wrote path.
func (w *sessionWrites) searchRecords(path string) bool {
	base := filepath.Base(path)
	quoted := rawjson.AppendString(nil, base)
	quoted = quoted[1 : len(quoted)-1]
	real := RealPath(path, true)
	left := maxRejudged
	judged := map[string]bool{} // the calls judged so far, since agents repeat commands
	for _, line := range w.lines {
		if !bytes.Contains(line, quoted) {
			continue
		}
		if key := callKey(line); key != "" {
			if judged[key] {
				continue
			}
			judged[key] = true
		}
		if left--; left < 0 {
			return false
		}
		if w.recordWrites(line, base, real) {
			return true
		}
	}
	return false
}

// callKey returns a key for the arguments and the directory of the call recorded in line, or "" if it
// has none. It uses the digest in the record, so that the record need not be parsed as a whole.
func callKey(line []byte) string {
	_, subject, ok := bytes.Cut(line, []byte(`"subject":{"input":{`))
	_, digest, found := bytes.Cut(subject, []byte(`"digest":"`))
	_, dir, placed := bytes.Cut(line, []byte(`"dir":"`))
	dir, _, closed := bytes.Cut(dir, []byte(`","root":`))
	if !ok || !found || !placed || !closed || len(digest) < 64 {
		return ""
	}
	return string(digest[:64]) + string(dir)
}

// recordWrites reports whether the call recorded in line wrote the file with the name base and the
// resolved path real.
func (w *sessionWrites) recordWrites(line []byte, base, real string) bool {
	if rawjson.GetText(line, "decision") == "deny" {
		return false
	}
	input, _ := rawjson.Lookup(line, "subject", "input", "json")
	name, _ := rawjson.Lookup(line, "tool", "name")
	t := checkrein.Tool{Input: input}
	t.Name, _ = rawjson.Text(name)
	t.Canonical = tools.CanonicalTool(t.Name)
	if input == nil { // the record has only the beginning and the end of a long input
		head, _ := rawjson.Lookup(line, "subject", "input", "head")
		tail, _ := rawjson.Lookup(line, "subject", "input", "tail")
		shown := string(head) + string(tail)
		return strings.Contains(shown, base) && (t.Canonical != "shell" || strings.Contains(shown, ">"))
	}
	place := shell.Place{Dir: rawjson.GetText(line, "dir"), Root: rawjson.GetText(line, "root"), Home: w.home}
	is := func(path string) bool {
		if filepath.Base(path) != base {
			return false
		}
		if !filepath.IsAbs(path) {
			path = AbsFromDir(path, &place)
		}
		return RealPath(path, true) == real
	}
	for _, p := range Parts(&t, tools.Command|tools.Argv|tools.Code|tools.WritePath) {
		if p.Role == tools.WritePath {
			if is(p.Text) {
				return true
			}
			continue
		}
		if !strings.Contains(p.Text, base) {
			continue
		}
		texts := []string{p.Text}
		if p.Role == tools.Code {
			texts = CodeCommands(&p)
		}
		for _, text := range texts {
			r := classify.Command(text, place)
			repo := base == "config" && filepath.Base(filepath.Dir(real)) == ".git"
			if slices.ContainsFunc(r.Effects, func(e shell.Effect) bool {
				return writesTo(&e, base, is) || repo && strings.HasPrefix(e.Rule, "config") && !e.IsReadOnly()
			}) {
				return true
			}
		}
	}
	return false
}

// writesTo reports whether e writes to a path for which is returns true, or downloads a file and
// mentions base.
func writesTo(e *shell.Effect, base string, is func(string) bool) bool {
	switch e.Kind {
	case "write", "overwrite", "append", "modify", "move", "link", "copy":
		return slices.ContainsFunc(e.Paths, is)
	case "download":
		return strings.Contains(e.Words, base)
	}
	return false
}
