package secretguard

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/builtin"
	"github.com/checkrein/checkrein/internal/guard/study"
	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/secret/placeholder"
	"github.com/checkrein/checkrein/internal/shell"
)

// A secretWrite is a file to which a call writes secrets.
type secretWrite struct {
	path string // as the call names it
	has  []shell.TypedSecret
}

// judgeFiles judges secrets that are written to files. It asks if a secret is new in a file that Git
// tracks or would track; for other files it adds a notice.
func (j *inputJudge) judgeFiles(ctx context.Context, list []secretWrite) {
	for i := range list {
		w := &list[i]
		path := j.call.absPath(w.path)
		rule := firstNewSecret(path, j.call.dropExcused(w.has))
		switch {
		case rule == "":
		case j.call.isTracked(ctx, path):
			j.decide(checkrein.Ask, "secrets/file", "writes a secret ("+rule+") to "+w.path+", which git tracks or would track", "Put it in a file that Git ignores, such as .env, or in an environment variable, and read it from there")
		default:
			j.verdict.Notice = append(j.verdict.Notice, "a secret ("+rule+") is written to "+w.path+", which git does not track")
		}
	}
}

// firstNewSecret returns the rule of the first secret in has that the file path does not contain yet,
// or "" if it contains all of them.
func firstNewSecret(path string, has []shell.TypedSecret) string {
	text, _ := readBounded(path)
	for i := range has {
		if !strings.Contains(text, has[i].Value) {
			return has[i].Rule
		}
	}
	return ""
}

// maxSecretFile bounds the size of files that are searched for secrets.
const maxSecretFile = 4 << 20

// readBounded returns the text of the regular file path. It returns false if the file cannot be read
// or is larger than maxSecretFile.
func readBounded(path string) (string, bool) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxSecretFile {
		return "", false
	}
	text, err := os.ReadFile(path)
	return string(text), err == nil
}

// absPath returns path, as a call writes it, as an absolute path with ~ expanded.
func (c *Call) absPath(path string) string {
	place := study.CallPlace(&c.Event, study.NewCallEnv(&c.Call))
	switch {
	case path == "~" || strings.HasPrefix(path, "~/"):
		return filepath.Join(place.Home, path[1:])
	case filepath.IsAbs(path):
		return filepath.Clean(path)
	}
	return filepath.Join(place.Dir, path)
}

// gitTimeout limits how long Git may take to report whether it ignores a file.
const gitTimeout = 2 * time.Second

// isTracked reports whether Git tracks the file path, or would track it if it existed. It returns true
// if Git fails.
func (c *Call) isTracked(ctx context.Context, path string) bool {
	path = study.RealPath(path, true)
	dir := filepath.Dir(path)
	top := builtin.Repository(dir)
	if top == "" || study.InDir(path, filepath.Join(top, ".git")) {
		return false
	}
	for dir != top { // the directory may not exist yet
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			break
		}
		dir = filepath.Dir(dir)
	}
	ctx, cancel := context.WithTimeout(ctx, gitTimeout)
	defer cancel()
	in := *c
	in.Dir = dir
	_, err := in.RunGit(ctx, nil, "check-ignore", "-q", "--", path)
	return err != nil
}

// A fileSecret is a secret in a file.
type fileSecret struct {
	value string
	count int
	twice bool // another secret in the file has the same id
}

// findSecrets returns the secrets that redaction finds in text, by the ids of their markers.
func findSecrets(text string, key *placeholder.Key) map[string]*fileSecret {
	out := map[string]*fileSecret{}
	c := secret.Cleaner{Want: secret.Secrets, Mark: func(in string, f secret.Finding) string {
		value := in[f.Start:f.End]
		id := key.ID(value)
		switch k := out[id]; {
		case k == nil:
			out[id] = &fileSecret{value: value, count: strings.Count(text, value)}
		case k.value != value:
			k.twice = true
		}
		return key.Marker(value)
	}}
	c.RedactText(text)
	return out
}

// addsMarkers reports whether is contains more strings that look like markers than was.
func addsMarkers(was, is string) bool {
	return len(placeholder.FindLookalikes(is)) > len(placeholder.FindLookalikes(was))
}

// countIDs counts, for each id, the markers with that id in text.
func countIDs(text string) map[string]int {
	out := map[string]int{}
	for _, m := range placeholder.FindMarkers(text) {
		if m.ID != "" {
			out[m.ID]++
		}
	}
	return out
}

// sortedIDs returns the keys of all counts, sorted and without duplicates.
func sortedIDs(counts ...map[string]int) []string {
	var out []string
	for _, count := range counts {
		for id := range count {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
