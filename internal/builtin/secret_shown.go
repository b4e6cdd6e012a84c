package builtin

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/toolcall"
)

// maxReads bounds the files that are looked into because of one call.
const maxReads = 64

// shown denies a call that reads a file with secrets in it, on a host whose model is given
// what tools return whatever checkrein puts in its place.
func (j *inputJudge) shown(why string) {
	key := j.call.Env.markKey()
	for _, path := range j.reads() {
		if text, ok := readSecrets(path.full); ok && len(keptIn(text, key)) > 0 {
			j.decide(checkrein.Deny, "secrets/shown", "reads "+path.named+", which has secrets in it, and "+why, "Tell the user what you need from the file")
			return
		}
	}
}

// A readPath is a file that a call reads.
type readPath struct{ named, full string }

// reads are the files that a call reads, as far as that can be told.
func (j *inputJudge) reads() []readPath {
	var out []readPath
	add := func(named, dir string) {
		full := named
		if dir != "" && !filepath.IsAbs(named) && !strings.HasPrefix(named, "~") {
			full = filepath.Join(dir, named)
		}
		full = j.call.absolute(full)
		list := []string{full}
		if strings.ContainsAny(full, "*?[") {
			list, _ = filepath.Glob(full)
		}
		for _, one := range list {
			if len(out) < maxReads {
				out = append(out, readPath{named, one})
			}
		}
	}
	for _, p := range toolcall.Of(j.tool, toolcall.ReadPath) {
		add(p.Text, "")
	}
	ev := j.call.Event
	all, _ := judgeAll(&ev, j.call.ground(), nil)
	for i := range all {
		for k := range all[i].report.Effects {
			e := &all[i].report.Effects[k]
			if e.Kind != "read" && e.Label != shell.Unknown {
				continue
			}
			// Not every reader has its paths told, so each word may be one.
			for _, p := range slices.Concat(e.Paths, strings.Fields(e.Words)) {
				if p = strings.Trim(p, `"'`); !strings.HasPrefix(p, "-") && !strings.ContainsRune(p, shell.Hole) {
					add(p, all[i].place.Dir)
				}
			}
		}
	}
	for _, p := range toolcall.Of(j.tool, toolcall.Runs) {
		for _, rest := range strings.Split(p.Text, "<")[1:] { // what comes in by a redirection
			if words := strings.Fields(rest); len(words) > 0 {
				add(strings.Trim(words[0], `"';|&()`), "")
			}
		}
	}
	return out
}
