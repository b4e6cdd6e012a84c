package binding

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/guard/study"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// WithCommand returns ev with another shell command: the same tool in the same place, without other
// arguments that switch something on. It returns false if the call does not consist of one shell
// command.
func WithCommand(ev *checkrein.Event, command string) (checkrein.Event, bool) {
	out := *ev
	if ev.Tool == nil || study.CanonicalName(ev.Tool) != "shell" {
		return out, false
	}
	runs := study.Parts(ev.Tool, tools.Runs|tools.Unread)
	if len(runs) != 1 || runs[0].Role&(tools.Command|tools.Argv) == 0 {
		return out, false
	}
	have, _ := rawjson.Get(ev.Tool.Input, runs[0].Key)
	input := rawjson.Object{'{'}
	switch {
	case runs[0].Role == tools.Command && rawjson.Kind(have) == '"':
		input.Raw(runs[0].Key, rawjson.Quote(command))
	case runs[0].Role == tools.Argv && rawjson.Kind(have) == '[':
		argv := []string{"sh", "-c", command}
		if a := runs[0].Argv; len(a) == 3 && strings.HasPrefix(a[1], "-") && strings.HasSuffix(a[1], "c") {
			argv = []string{a[0], a[1], command}
		}
		input.Texts(runs[0].Key, argv)
	default: // the command is nested more deeply
		return out, false
	}
	dirs := study.Parts(ev.Tool, tools.Dir)
	rawjson.Each(ev.Tool.Input, func(key string, val []byte) bool {
		isDir := slices.ContainsFunc(dirs, func(p tools.Part) bool { return p.Key == key })
		if key != runs[0].Key && (isDir || slices.Contains(unsetValues, strings.TrimSpace(string(val)))) {
			input.Raw(key, val)
		}
		return true
	})
	input.Close()
	tool := *ev.Tool
	tool.Input = []byte(input)
	out.Tool = &tool
	return out, true
}

// IsSingleCommand reports whether t is a shell call with one command and without other arguments that
// matter.
func IsSingleCommand(t *checkrein.Tool) bool {
	runs := study.Parts(t, tools.Runs|tools.Unread)
	if study.CanonicalName(t) != "shell" || len(runs) != 1 {
		return false
	}
	one := true
	rawjson.Each(t.Input, func(key string, val []byte) bool {
		one = one && (key == runs[0].Key || slices.Contains(inertArgs, key) || slices.Contains(unsetValues, strings.TrimSpace(string(val))))
		return true
	})
	return one
}

// unsetValues lists values that mean the same as a missing argument.
var unsetValues = []string{"false", "null", `""`}

// CallDirs returns the directories where the call of ev may run, and whether these are all.
func CallDirs(ev *checkrein.Event, at study.CallEnv) (dirs []string, complete bool) {
	if ev.Tool == nil {
		return []string{at.Dir}, true
	}
	list, complete := study.Places(ev, at, study.Parts(ev.Tool, tools.Runs|tools.Dir))
	for i := range list {
		dirs = append(dirs, list[i].Dir)
	}
	return dirs, complete
}
