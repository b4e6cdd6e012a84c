package study

import (
	"bytes"
	"path/filepath"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/classify"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// maxCopies limits how many copies of copies are followed back to a file of secrets.
const maxCopies = 4

// A secretCopy is where the content of a file comes from. The zero secretCopy is no secret.
type secretCopy struct {
	source  string // the file of secrets
	partial bool   // only a part of it was copied
}

// secret returns the file whose secrets an earlier call of the session put into the file path; see
// [shell.Place.Secret].
func (w *sessionWrites) secret(path string) (source string, partial bool) {
	w.loadOnce()
	got, ok := w.copies[path]
	if !ok {
		left := maxRejudged
		got = w.searchCopies(path, 0, 0, &left)
		w.copies[path] = got
	}
	return got.source, got.partial
}

// searchCopies returns where the content of path comes from by the records from the index start on,
// newest first. Depth is the number of copies that were followed, and left how many calls may still be
// judged again.
func (w *sessionWrites) searchCopies(path string, start, depth int, left *int) secretCopy {
	if depth >= maxCopies {
		return secretCopy{}
	}
	base, quoted := filepath.Base(path), quotedBase(path)
	w.noteSought(string(quoted), "split")
	stem := quoted[:max(len(quoted)-3, 0)] // split adds up to three characters to a name
	real := RealPath(path, true)
	judged := map[string]bool{}
	for i := start; i < len(w.lines); i++ {
		line := w.lines[i]
		if !bytes.Contains(line, quoted) && (len(stem) == 0 || !bytes.Contains(line, []byte("split")) || !bytes.Contains(line, stem)) {
			continue
		}
		if key := callKey(line); key != "" {
			if judged[key] {
				continue
			}
			judged[key] = true
		}
		if *left--; *left < 0 {
			return secretCopy{}
		}
		older := func(path string) (string, bool) {
			got := w.searchCopies(path, i+1, depth+1, left)
			return got.source, got.partial
		}
		if got, ended := w.recordCopies(line, base, real, older); got.source != "" || ended {
			return got
		}
	}
	return secretCopy{}
}

// recordCopies returns the secret that the call recorded in line put into the file with the name base
// and the resolved path real. It reports true if the call certainly replaced all of the content by
// something else. Older is [shell.Place.Secret] for the calls before it.
func (w *sessionWrites) recordCopies(line []byte, base, real string, older func(string) (string, bool)) (got secretCopy, ended bool) {
	input, _ := rawjson.Lookup(line, "subject", "input", "json")
	if input == nil || rawjson.GetText(line, "decision") == "deny" {
		return got, false
	}
	name, _ := rawjson.Lookup(line, "tool", "name")
	t := checkrein.Tool{Input: input}
	t.Name, _ = rawjson.Text(name)
	t.Canonical = tools.CanonicalTool(t.Name)
	place := shell.Place{Dir: rawjson.GetText(line, "dir"), Root: rawjson.GetText(line, "root"), Home: w.home, Secret: older}
	is := func(path string) bool {
		part, whole := strings.CutSuffix(path, "*")
		if !filepath.IsAbs(path) {
			path = AbsFromDir(path, &place)
		}
		if whole {
			return strings.HasPrefix(real, RealPath(part, true))
		}
		return filepath.Base(path) == base && RealPath(path, true) == real
	}
	place.Fills = func(path, source string, partial bool) {
		if got.source == "" && is(path) {
			got = secretCopy{source, partial}
		}
	}
	for _, p := range Parts(&t, tools.Command|tools.Argv|tools.Code|tools.WritePath) {
		switch {
		case p.Role == tools.WritePath:
			ended = ended || is(p.Text) && holdsWritten(real, line)
			continue
		case p.Role == tools.Code:
			for _, text := range CodeCommands(&p) {
				classify.Command(text, place)
			}
			continue
		}
		classify.Command(p.Text, place)
		ended = ended || got.source == "" && replacesByText(p.Text, is)
	}
	return got, ended
}

// replacesByText reports whether the command text is a single echo or printf whose
// output replaces a file for which is returns true. Other commands may fail before they write.
func replacesByText(text string, is func(string) bool) bool {
	calls := classify.Calls(text, shell.Place{})
	if len(calls) != 1 || calls[0].Name != "echo" && calls[0].Name != "printf" || strings.ContainsAny(text, "|&;(") {
		return false
	}
	return len(calls[0].Redir) == 1 && strings.TrimPrefix(calls[0].Redir[0].Op, "&") == ">" && is(calls[0].Redir[0].Target.Text)
}

// holdsWritten reports whether the call recorded in line contains the whole content of the file at
// path, so that the call wrote it.
func holdsWritten(path string, line []byte) bool {
	f, err := OpenNonblock(path)
	if err != nil {
		return false
	}
	defer f.Close()
	content := make([]byte, maxWritten+1)
	n, err := f.Read(content)
	return err == nil && n > 0 && n <= maxWritten && bytes.Contains(line, rawjson.AppendString(nil, string(content[:n])))
}

// maxWritten is the size of the largest file that is compared with what a call wrote.
const maxWritten = 64 << 10
