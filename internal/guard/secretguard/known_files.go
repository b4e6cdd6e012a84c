package secretguard

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/guard/builtin"
	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/secret/known"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Limits of the files whose values are compared with the output of tools.
const (
	maxKnownFiles = 16
	maxKnownSize  = 64 << 10
	maxEntries    = 4096 // of a directory that is searched for such files
	maxWords      = 1024 // of a call's arguments
)

// knownValues returns the secrets of the files with secrets in the project of the call's event, and of
// those that the session's calls named. Their values are compared with the output of tools.
func (k *defaultGuard) knownValues(call *Call) []known.Value {
	var files []string
	for _, dir := range projectDirs(call) {
		files = appendSecretFiles(files, dir)
	}
	files = append(files, k.namedFiles(call)...)
	var values []known.Value
	read := 0
	for _, path := range files {
		if read == maxKnownFiles {
			break
		}
		text, err := state.ReadRegular(path, maxKnownSize)
		if err != nil {
			continue
		}
		read++
		values = known.AppendValues(values, string(text), filepath.Base(path))
	}
	return values
}

// projectDirs returns the directories of the call's project in which files with secrets are searched
// for.
func projectDirs(call *Call) []string {
	var out []string
	s := &call.Event.Session
	dir := cmp.Or(call.Dir, s.Dir)
	for _, d := range [...]string{dir, s.Dir, s.Root, builtin.Repository(dir)} {
		if filepath.IsAbs(d) && !slices.Contains(out, d) {
			out = append(out, d)
		}
	}
	return out
}

// appendSecretFiles appends the files in dir whose names say that they hold secrets, sorted.
func appendSecretFiles(list []string, dir string) []string {
	f, err := os.Open(dir)
	if err != nil {
		return list
	}
	defer f.Close()
	names, _ := f.Readdirnames(maxEntries) // what an error leaves out is not compared
	var found []string
	for _, name := range names {
		if facts.IsSecretFile(filepath.Join(dir, name)) {
			found = append(found, name)
		}
	}
	slices.Sort(found)
	for _, name := range found {
		list = append(list, filepath.Join(dir, name))
	}
	return list
}

// sessionFiles is what the guard remembers of a session: the files with secrets that its calls named, the
// last one at the end.
type sessionFiles struct {
	Files []string `json:"files"`
}

// sessionFilesTTL is how long the files of a session are remembered.
const sessionFilesTTL = 24 * time.Hour

// errUnchanged is returned so that state that is the same is not stored again.
var errUnchanged = errors.New("unchanged")

// namedFiles returns the files with secrets that the calls of the session named, this one's first.
func (k *defaultGuard) namedFiles(call *Call) []string {
	var now []string
	if namesSecretFile(call.Event.Tool) {
		j := inputJudge{k: k, call: call, tool: call.Event.Tool}
		for _, path := range j.readFiles() {
			if facts.IsSecretFile(path.full) {
				now = append(now, path.full)
			}
		}
	}
	var kept sessionFiles
	all := now
	err := call.Keep(GuardSecrets+"_files", sessionFilesTTL, &kept, func() error {
		before := len(kept.Files)
		for _, path := range now {
			if !slices.Contains(kept.Files, path) {
				kept.Files = append(kept.Files, path)
			}
		}
		kept.Files = kept.Files[max(0, len(kept.Files)-maxKnownFiles):]
		all = append(now, slices.Clone(kept.Files)...)
		if len(kept.Files) == before {
			return errUnchanged
		}
		return nil
	})
	if err != nil && !errors.Is(err, errUnchanged) {
		all = now // the files of earlier calls are unknown
	}
	var out []string
	for _, path := range all {
		if !slices.Contains(out, path) {
			out = append(out, path)
		}
	}
	return out
}

// namesSecretFile reports whether a word of the arguments of t is the name of a file with secrets. It is
// a cheap test before the arguments are studied.
func namesSecretFile(t *checkrein.Tool) (yes bool) {
	if t == nil {
		return false
	}
	left := maxWords
	rawjson.EachStringValue(t.Input, func(s string) bool {
		for word := range strings.FieldsFuncSeq(s, func(r rune) bool { return strings.ContainsRune(" \t\n'\"`=<>|;&(){}[],:", r) }) {
			if left--; left < 0 || facts.IsSecretFile(word) {
				yes = left >= 0
				return false
			}
		}
		return true
	})
	return yes
}

// shownRule is the rule of findings of [comparison.find], until they are marked.
const shownRule = "secret-file"

// A comparison finds known values in the texts of an event, in any shape.
type comparison struct {
	matcher *known.Matcher
	skip    func(value string) bool // reports whether the user's grants allow a value; may be nil
	text    string                  // the last text
	found   []known.Match           // in it
}

// find appends the values in text to dst, for [secret.Cleaner].
func (c *comparison) find(dst []secret.Finding, text string) []secret.Finding {
	c.text, c.found = text, c.matcher.Find(text)
	for _, m := range c.found {
		if c.skip == nil || !c.skip(c.matcher.Values()[m.Value].Text) {
			dst = append(dst, secret.Finding{Rule: shownRule, Kind: secret.Secrets, Start: m.Start, End: m.End})
		}
	}
	return dst
}

// valueAt returns the value that the finding f in text shows in another shape, or nil if f is a secret as
// the engine finds it.
func (c *comparison) valueAt(text string, f secret.Finding) *known.Value {
	if c == nil || text != c.text {
		return nil
	}
	for _, m := range c.found {
		v := &c.matcher.Values()[m.Value]
		if m.Start >= f.Start && m.End <= f.End && (f.Rule == shownRule || m.Start == f.Start && m.End == f.End && text[m.Start:m.End] != v.Text) {
			return v
		}
	}
	return nil
}
