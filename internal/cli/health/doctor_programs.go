package health

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/agent/model"
	"github.com/checkrein/checkrein/internal/agent/model/line"
	"github.com/checkrein/checkrein/internal/agent/team"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/doctor"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/host/install"
	"github.com/checkrein/checkrein/internal/host/setups"
	"github.com/checkrein/checkrein/internal/sys/build"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/sys/process"
	"github.com/checkrein/checkrein/internal/sys/userdirs"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/kit"
)

// versionTime is how long a program may take to say its version.
const versionTime = 10 * time.Second

// versions compares this program with the one beside it, and with what PATH
// leads to.
func versions(ctx context.Context, env *console.Env, r *doctor.Report) {
	front := doctor.Program{Path: base.HotProgram(env)}
	if front.Path == "" {
		return
	}
	name := filepath.Base(front.Path)
	front.Build, front.Err = versionOf(ctx, env, front.Path)
	inPath := ""
	for _, dir := range filepath.SplitList(base.Getenv(env)("PATH")) {
		found := filepath.Join(dir, name)
		info, err := os.Stat(found)
		if err != nil || info.IsDir() || !filepath.IsAbs(dir) {
			continue
		}
		if own, err := os.Stat(front.Path); err == nil && os.SameFile(own, info) {
			found = front.Path
		}
		inPath = found
		break
	}
	r.Versions(build.Version, front, inPath)
	if install.SystemDir() != "" {
		r.Changeable(userdirs.Changeable(front.Path), message.Run(base.SudoLine(env, false), ""))
	}
}

// examineModels looks at the program that calls models, and at who needs it.
func examineModels(ctx context.Context, env *console.Env, f *doctorFlags, r *doctor.Report) {
	front := base.HotProgram(env)
	k, err := base.OpenKit(env, kit.Options{Files: f.files, FilesByPlace: true, Peek: true})
	if front == "" || err != nil {
		return // that is said elsewhere
	}
	uses := k.ModelUses()
	r.Ignored(model.Steering(base.Getenv(env)), uses)
	for _, file := range f.files {
		uses = append(uses, agentModels(env.Path(file))...)
	}
	p := doctor.Program{Path: filepath.Join(filepath.Dir(front), line.Program+filepath.Ext(front))}
	p.Build, p.Err = versionOf(ctx, env, p.Path)
	r.Models(build.Version, p, uses)
}

// agentModels are the models that the agents of a file ask; none when it has no agents.
func agentModels(file string) []kit.ModelUse {
	t, err := team.Load(file)
	if err != nil {
		return nil
	}
	var out []kit.ModelUse
	for i := range t.Models {
		if m := &t.Models[i]; m.Provider != "scripted" {
			out = append(out, kit.ModelUse{Who: "an agent", Model: m.Provider + "/" + m.Model, From: file})
		}
	}
	return out
}

// versionOf asks one of the programs for its build: "checkrein VERSION (…)".
func versionOf(ctx context.Context, env *console.Env, path string) (string, error) {
	if _, err := os.Stat(path); err != nil {
		return "", errors.New("is missing")
	}
	ctx, cancel := context.WithTimeout(ctx, versionTime)
	defer cancel()
	res, err := process.Run(ctx, process.Spec{Argv: []string{path, "version"}, Env: env.Environ})
	words := strings.Fields(string(res.Stdout))
	switch {
	case err != nil:
		return "", err
	case res.Exit != 0 || len(words) < 2 || !strings.HasPrefix(words[0], "checkrein"):
		return "", fmt.Errorf("does not print its version (exit code %d)", res.Exit)
	}
	return words[1], nil
}

// foreignPlugins reads the plugins of other people inside hosts.
func foreignPlugins(env *console.Env) []doctor.Plugin {
	var out []doctor.Plugin
	at := &install.Machine{Home: environ.Home(env.Environ), Getenv: base.Getenv(env)}
	for _, s := range setups.Installs() {
		if s.Mistakes == nil {
			continue
		}
		of, _ := host.Named(s.Name)
		for _, m := range s.Mistakes(at) {
			out = append(out, doctor.Plugin{Host: of.Title, File: m.File, Line: m.Line, Async: m.Async, What: m.What})
		}
	}
	return out
}
