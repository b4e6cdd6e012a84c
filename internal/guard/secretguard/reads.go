package secretguard

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/guard/study"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/classify"
	"github.com/checkrein/checkrein/internal/shell/expand"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// maxDirs limits the directories in which the files that a call reads are looked up.
const maxDirs = 8

// maxReads limits the files that are searched for secrets because of one call.
const maxReads = 64

// judgeReads keeps the secrets in files that the call t reads from the model, for the reason why: the
// host shows the model a tool's original output. It rewrites the call so that it prints no secrets if
// the user wants that and it is possible; otherwise it denies the call.
func (k *defaultGuard) judgeReads(call *Call, t *checkrein.Tool, why string) checkrein.Verdict {
	program, rewrites := "", false
	if f := call.Env.Redacts; f != nil {
		program, rewrites = f(&call.Event)
	}
	was := t
	if rewrites {
		was = originalCall(t, program) // an earlier hook may already have rewritten it
	}
	inner := *call
	inner.Event.Tool = was
	j := inputJudge{k: k, call: &inner, tool: was}
	files := j.secretFiles()
	if len(files) == 0 {
		return checkrein.Verdict{}
	}
	const way = "Tell the user what you need from the file"
	does := "reads " + files[0].named + ", which has secrets in it, and " + why
	if !rewrites {
		j.decide(checkrein.Deny, "secrets/shown", does, way)
		return j.verdict
	}
	command, patch, err := redactCall(was, program, files)
	if err != nil {
		j.decide(checkrein.Deny, "secrets/shown", does+". It was not rewritten: "+err.Error(), way)
		return j.verdict
	}
	if input, err := rawjson.Patch(was.Input, patch); err == nil && bytes.Equal(input, t.Input) {
		return checkrein.Verdict{}
	}
	return checkrein.Verdict{Input: patch, Notice: []string{"this " + does + ". So it runs as " + command}}
}

// secretFiles returns the files that the call reads and that contain secrets which the user's grants
// do not allow.
func (j *inputJudge) secretFiles() []readPath {
	key, excused := j.call.Env.markKey(), j.call.excusedIDs()
	return slices.DeleteFunc(j.readFiles(), func(path readPath) bool {
		text, ok := readBounded(path.full)
		if !ok {
			return true
		}
		in := findSecrets(text, key)
		for _, id := range excused {
			delete(in, id)
		}
		return len(in) == 0
	})
}

// A readPath is a file that a call reads, as the call names it and as an absolute path.
type readPath struct{ named, full string }

// readFiles returns the files that the call reads, as far as they are known.
func (j *inputJudge) readFiles() []readPath {
	var out []readPath
	dirs := j.commandDirs()
	add := func(named, dir string) {
		at := append([]string{dir}, dirs...)
		if filepath.IsAbs(named) || strings.HasPrefix(named, "~") {
			at = []string{""}
		}
		for _, dir := range at {
			full := named
			if dir != "" {
				full = filepath.Join(dir, named)
			}
			full = j.call.absPath(full)
			list := []string{full}
			if strings.ContainsAny(full, "*?[") {
				list, _ = filepath.Glob(full)
			}
			for _, one := range list {
				if len(out) < maxReads && !slices.ContainsFunc(out, func(p readPath) bool { return p.full == one }) {
					out = append(out, readPath{named, one})
				}
			}
		}
	}
	for _, p := range study.Parts(j.tool, tools.ReadPath) {
		add(p.Text, "")
	}
	ev := j.call.Event
	all, _ := study.JudgeAll(&ev, study.NewCallEnv(&j.call.Call), nil)
	for i := range all {
		for k := range all[i].Report.Effects {
			e := &all[i].Report.Effects[k]
			if e.Kind != "read" && e.Label != shell.Unknown {
				continue
			}
			// Not every effect lists its paths, so that each word may be a path.
			for _, p := range slices.Concat(e.Paths, strings.Fields(e.Words)) {
				if p = strings.Trim(p, `"'`); !strings.HasPrefix(p, "-") && !strings.ContainsRune(p, shell.Placeholder) {
					add(p, all[i].Place.Dir)
				}
			}
		}
	}
	for _, p := range study.Parts(j.tool, tools.Runs) {
		for _, rest := range strings.Split(p.Text, "<")[1:] { // input redirections
			if words := strings.Fields(rest); len(words) > 0 {
				add(strings.Trim(words[0], `"';|&()`), "")
			}
		}
	}
	return out
}

// commandDirs returns the directories to which the call's commands change. Effects do not record in
// which directory a file is read.
func (j *inputJudge) commandDirs() []string {
	var out []string
	place := study.CallPlace(&j.call.Event, study.NewCallEnv(&j.call.Call))
	for _, p := range study.Parts(j.tool, tools.Command) {
		if !expand.HasWord(p.Text, []string{"cd", "pushd", "chdir", "-C", "--chdir", "--directory"}) {
			continue
		}
		for _, c := range classify.Calls(p.Text, place) {
			for _, dir := range slices.Concat(c.Dirs, []string{c.Dir}) {
				if dir != "" && !strings.ContainsRune(dir, shell.Placeholder) && !slices.Contains(out, dir) && len(out) < maxDirs {
					out = append(out, dir)
				}
			}
		}
	}
	return out
}
