package hooks

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/approval/coverage"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/hook/dialect/hookmd"
	"github.com/checkrein/checkrein/internal/hook/grammar"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/visible"
	"github.com/checkrein/checkrein/kit"
)

// A wrongs knows what the readers and the engine find wrong with hooks.
type wrongs map[[2]string]string

// problemsOf collects what is wrong with each hook, by its name and origin.
func problemsOf(k *kit.Kit) wrongs {
	out := wrongs{}
	var walk func(error)
	walk = func(err error) {
		if many, ok := err.(interface{ Unwrap() []error }); ok {
			for _, e := range many.Unwrap() {
				walk(e)
			}
			return
		}
		var he *checkrein.HookError
		if errors.As(err, &he) && he.Hook != "" {
			out[[2]string{he.Hook, he.Origin.String()}] = he.Err.Error()
		}
	}
	if err := k.Check(); err != nil {
		walk(err)
	}
	return out
}

// healthOf returns in a word whether a hook does its work, and why not: first what
// keeps it from running, then how it went the last time.
func healthOf(env *console.Env, k *kit.Kit, h *checkrein.Hook, r *hookReport, wrong wrongs) (word string, why message.Message) {
	validate := message.Run("checkrein validate", "")
	switch broken := wrong[[2]string{h.Label(), h.From.String()}]; {
	case h.Broken != "":
		return "broken", message.New(h.Broken, validate)
	case k.Disabled(h):
		return "off", message.New("disabled by the user", message.Run("checkrein hooks enable "+visible.Line(h.Label()), "to enable it"))
	case h.Off != "":
		return "off", message.New(h.Off, message.Run("checkrein hooks on", ""))
	case broken != "":
		return "broken", message.New(broken, validate)
	}
	if word, why := startable(env, k.Root(), h); word != "" {
		return word, why
	}
	switch {
	case r.Approval == "changed", r.Approval == "not approved":
		return r.Approval, message.New(r.Why)
	case r.LastRun == nil:
		return "never run", message.Message{}
	case r.LastRun.Fault != "":
		return "faulted", message.New(r.LastRun.Fault, message.Run("checkrein hooks doctor", ""))
	}
	return "ok", message.Message{}
}

// startable looks at the program of a command hook, without starting it.
func startable(env *console.Env, root string, h *checkrein.Hook) (word string, why message.Message) {
	missing := func(what string) (string, message.Message) {
		at := base.RelativePath(root, h.From.String())
		return "missing", message.New(what, message.Do("put the file there, or correct its path in "+at))
	}
	if h.Run != "command" {
		return "", why
	}
	if folder := rawjson.GetText(h.With, "hook_folder"); folder != "" {
		if _, err := hookmd.Script(folder); errors.Is(err, grammar.ErrNotExecutable) {
			return "not executable", message.Of(err)
		} else if err != nil {
			return missing(err.Error())
		}
		return "", why
	}
	var look coverage.Look
	at := coverage.Place{Root: root, Top: root, Home: environ.Home(env.Environ), Environ: env.Environ}
	for _, path := range coverage.Started(h, at, &look) {
		info, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return missing(base.RelativePath(root, path) + " does not exist")
		case err != nil:
			return missing(err.Error())
		case !info.Mode().IsRegular():
			return "not executable", message.New(base.RelativePath(root, path) + " is not a file")
		case runtime.GOOS != "windows" && info.Mode()&0o111 == 0:
			return "not executable", message.New("", message.Run("chmod +x "+base.RelativePath(root, path), ""))
		}
	}
	// Of shell text only the shell knows what a bare name is.
	argv, _ := rawjson.Get(h.With, "argv")
	name := ""
	rawjson.Elements(argv, func(_ int, val []byte) bool { name, _ = rawjson.Text(val); return false })
	if name != "" && !strings.ContainsAny(name, `/\$`) && !inPath(env, name) {
		return missing(name + " is not in PATH")
	}
	return "", why
}

// inPath reports whether a program is found by its bare name.
func inPath(env *console.Env, name string) bool {
	list, _ := environ.Lookup(env.Environ, "PATH")
	for _, dir := range filepath.SplitList(list) {
		if _, err := exec.LookPath(filepath.Join(dir, name)); err == nil && filepath.IsAbs(dir) {
			return true
		}
	}
	return false
}
