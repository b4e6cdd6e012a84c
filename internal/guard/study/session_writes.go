package study

import (
	"bytes"
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/classify"
	"github.com/checkrein/checkrein/internal/shell/program"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// maxRejudged limits how many earlier calls are judged again because they mention a file.
const maxRejudged = 24

// A sessionWrites finds out which files earlier calls of the session wrote or moved, from the records of
// these calls. It reads the records only when a file is about to run, or temporary files may be lost.
type sessionWrites struct {
	ev     *checkrein.Event
	home   string
	load   func(*checkrein.Event) [][]byte
	sought func(*checkrein.Event, string) // see [builtin.Machine]
	loaded bool
	lines  [][]byte
	known  map[string]bool
	copies map[string]secretCopy // by path
	moves  []*shell.Call         // see moveCalls
	moved  bool                  // moves are known
}

// wrote reports whether an earlier call of the session wrote the file path; see [shell.Place.Wrote].
func (w *sessionWrites) wrote(path string) bool {
	if is, ok := w.known[path]; ok {
		return is
	}
	w.loadOnce()
	w.noteSought(string(quotedBase(path)))
	is := len(w.lines) > 0 && w.searchRecords(path)
	w.known[path] = is
	return is
}

// loadOnce reads the records if they were not read before.
func (w *sessionWrites) loadOnce() {
	if !w.loaded {
		w.loaded, w.lines, w.known, w.copies = true, w.load(w.ev), map[string]bool{}, map[string]secretCopy{}
	}
}

// noteSought calls w.sought with each of texts.
func (w *sessionWrites) noteSought(texts ...string) {
	if w.sought == nil {
		return
	}
	for _, text := range texts {
		w.sought(w.ev, text)
	}
}

// quotedBase returns the last element of path as records have it, without quotes.
func quotedBase(path string) []byte {
	quoted := rawjson.AppendString(nil, filepath.Base(path))
	return quoted[1 : len(quoted)-1]
}

// moveCalls returns the calls with which earlier calls of the session moved files, the oldest first; see
// [shell.Place.Moved].
func (w *sessionWrites) moveCalls() []*shell.Call {
	if w.moved {
		return w.moves
	}
	w.loadOnce()
	w.moved = true
	w.noteSought(moveWords[:]...)
	left := maxRejudged
	for _, line := range w.lines {
		if left == 0 || !mayMove(line) {
			continue
		}
		t, place, ok := w.recordedCall(line)
		if !ok {
			continue
		}
		left--
		var found []*shell.Call
		place.Calls = func(dir string, calls []*shell.Call) {
			for _, c := range calls {
				if program.FilesOf(c.Name) == program.FilesMv && c.Remote == "" {
					at := *c
					at.Dir, at.Moved = joinDirs(dir, c.Dir), nil
					found = append(found, &at)
				}
			}
		}
		for _, p := range Parts(&t, tools.Runs) {
			JudgePart(&p, &t, &place)
		}
		w.moves = append(found, w.moves...)
	}
	return w.moves
}

// mayMove reports whether the call recorded in line may move files.
func mayMove(line []byte) bool {
	return slices.ContainsFunc(moveWords[:], func(w string) bool { return bytes.Contains(line, []byte(w)) })
}

// moveWords lists words of which one is in each record of a call that moves files.
var moveWords = [...]string{"mv ", "move", "rename"}

// joinDirs returns dir, a directory as seen from base, as an absolute path if base is one.
func joinDirs(base, dir string) string {
	if dir == "" || filepath.IsAbs(dir) || strings.HasPrefix(dir, "~") {
		return cmp.Or(dir, base)
	}
	return filepath.Join(base, dir)
}

// recordedCall returns the call recorded in line and its place, or false if the call was denied or the
// record lacks part of its arguments.
func (w *sessionWrites) recordedCall(line []byte) (t checkrein.Tool, place shell.Place, ok bool) {
	input, _ := rawjson.Lookup(line, "subject", "input", "json")
	name, _ := rawjson.Lookup(line, "tool", "name")
	t.Input = input
	t.Name, _ = rawjson.Text(name)
	t.Canonical = tools.CanonicalTool(t.Name)
	place = shell.Place{Dir: rawjson.GetText(line, "dir"), Root: rawjson.GetText(line, "root"), Home: w.home}
	return t, place, input != nil && rawjson.GetText(line, "decision") != "deny"
}

// searchRecords reports whether a recorded call wrote path.
func (w *sessionWrites) searchRecords(path string) bool {
	base, quoted := filepath.Base(path), quotedBase(path)
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
	t, place, ok := w.recordedCall(line)
	if !ok && (t.Input != nil || rawjson.GetText(line, "decision") == "deny") {
		return false
	}
	if t.Input == nil { // the record has only the beginning and the end of a long input
		head, _ := rawjson.Lookup(line, "subject", "input", "head")
		tail, _ := rawjson.Lookup(line, "subject", "input", "tail")
		shown := string(head) + string(tail)
		return strings.Contains(shown, base) && (t.Canonical != "shell" || strings.Contains(shown, ">"))
	}
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
