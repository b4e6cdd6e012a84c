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

// A written is a file that a call writes secrets to.
type written struct {
	path string // as the call names it
	has  []shell.Typed
}

// files judges secrets that are written to files: new ones are asked for where git
// would take them along.
func (j *inputJudge) files(ctx context.Context, list []written) {
	for i := range list {
		w := &list[i]
		path := j.call.absolute(w.path)
		rule := newIn(path, j.call.dropExcused(w.has))
		switch {
		case rule == "":
		case j.call.tracked(ctx, path):
			j.decide(checkrein.Ask, "secrets/file", "writes a secret ("+rule+") to "+w.path+", which git tracks or would track", "Put it in a file that Git ignores, such as .env, or in an environment variable, and read it from there")
		default:
			j.verdict.Notice = append(j.verdict.Notice, "a secret ("+rule+") is written to "+w.path+", which git does not track")
		}
	}
}

// newIn returns the rule of the first secret that is not in a file yet, "" when all
// are.
func newIn(path string, has []shell.Typed) string {
	text, _ := readSecrets(path)
	for i := range has {
		if !strings.Contains(text, has[i].Value) {
			return has[i].Rule
		}
	}
	return ""
}

// maxSecretFile is how long a file may be whose secrets are put back, or compared.
const maxSecretFile = 4 << 20

// readSecrets returns the text of a file that a tool is about to change.
func readSecrets(path string) (string, bool) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxSecretFile {
		return "", false
	}
	text, err := os.ReadFile(path)
	return string(text), err == nil
}

// absolute is a path of the call's in full.
func (c *Call) absolute(path string) string {
	place := study.PlaceOf(&c.Event, study.GroundOf(&c.Call))
	switch {
	case path == "~" || strings.HasPrefix(path, "~/"):
		return filepath.Join(place.Home, path[1:])
	case filepath.IsAbs(path):
		return filepath.Clean(path)
	}
	return filepath.Join(place.Dir, path)
}

// gitPatience is how long git may think about whether it ignores a file.
const gitPatience = 2 * time.Second

// tracked reports whether git tracks a file, or would if it were there. Where git
// cannot say, it would.
func (c *Call) tracked(ctx context.Context, path string) bool {
	path = study.RealPath(path, true)
	dir := filepath.Dir(path)
	top := builtin.Repository(dir)
	if top == "" || study.InDir(path, filepath.Join(top, ".git")) {
		return false
	}
	for dir != top { // the folder may not be there yet
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			break
		}
		dir = filepath.Dir(dir)
	}
	ctx, cancel := context.WithTimeout(ctx, gitPatience)
	defer cancel()
	in := *c
	in.Dir = dir
	_, err := in.Git(ctx, nil, "check-ignore", "-q", "--", path)
	return err != nil
}

// A kept is a secret in a file.
type kept struct {
	value string
	count int
	twice bool // another value has the same id
}

// keptIn returns the secrets of a text by their ids, found as redaction finds them.
func keptIn(text string, key *placeholder.Key) map[string]*kept {
	out := map[string]*kept{}
	c := secret.Cleaner{Want: secret.Secrets, Mark: func(in string, f secret.Finding) string {
		value := in[f.Start:f.End]
		id := key.ID(value)
		switch k := out[id]; {
		case k == nil:
			out[id] = &kept{value: value, count: strings.Count(text, value)}
		case k.value != value:
			k.twice = true
		}
		return key.Of(value)
	}}
	c.Text(text)
	return out
}

// hides reports whether a text has more of what looks like a marker than it had.
func hides(was, is string) bool {
	return len(placeholder.Likenesses(is)) > len(placeholder.Likenesses(was))
}

// ids counts the markers with an id in a text.
func ids(text string) map[string]int {
	out := map[string]int{}
	for _, m := range placeholder.Find(text) {
		if m.ID != "" {
			out[m.ID]++
		}
	}
	return out
}

// sortedIDs are the ids of counts, in order.
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
