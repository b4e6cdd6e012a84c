package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/cli/rebuild"
	"github.com/checkrein/checkrein/internal/lab/built"
	"github.com/checkrein/checkrein/internal/lab/evasion"
	_ "github.com/checkrein/checkrein/internal/text/yamldoc/parser" // for tests that read files in this process
	"github.com/rogpeppe/go-internal/testscript"
)

// programs is the directory of the built programs, which scripts run.
var programs string

// TestMain builds both programs as users get them.
func TestMain(m *testing.M) {
	evasion.Enter()
	if os.Getenv(playFilter) != "" {
		fmt.Fprintln(os.Stderr, asFiltered(os.Args[1:])) // unless it became another program
		os.Exit(1)
	}
	if name := os.Getenv(playHost); name != "" {
		if err := asHost(name); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if input := os.Getenv(liveHost); input != "" {
		if err := asLiveHost(input); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if os.Getenv(playAgent) != "" {
		if err := asAgent(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if program := os.Getenv(playJudge); program != "" {
		if err := asJudge(program); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	built.Main(m, &programs, "checkrein", "checkreind", "checkrein-models", "checkrein-shell")
}

// TestScripts runs every promise of the command line as a script, in a home of
// its own.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		Condition:           condition,
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, "home")
			if err := os.MkdirAll(home, 0o700); err != nil {
				return err
			}
			env.Setenv("HOME", home)
			env.Setenv("PATH", programs+string(os.PathListSeparator)+os.Getenv("PATH"))
			env.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
			env.Setenv("GIT_CONFIG_SYSTEM", os.DevNull)
			env.Defer(func() {
				if list := foreignFiles(filepath.Join(home, ".local", "state", "checkrein")); list != nil {
					env.T().Fatal("files of the state directory that are in no table of internal/cli/rebuild:", list)
				}
			})
			return nil
		},
	})
}

// foreignFiles lists the files in a state directory that are not declared as derived or not. A store
// that is not declared would never be verified. Scripts keep their own files there with the suffix
// .bak.
func foreignFiles(dir string) []string {
	var out []string
	_ = filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		name, _ := filepath.Rel(dir, path)
		if err != nil || e.IsDir() || strings.HasSuffix(name, ".bak") {
			return nil
		}
		if _, ok := rebuild.FileOf(filepath.ToSlash(name)); !ok {
			out = append(out, name)
		}
		return nil
	})
	return out
}
