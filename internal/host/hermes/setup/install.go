// Package setup describes how checkrein is installed in Hermes Agent.
package setup

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/checkrein/checkrein/internal/host/install"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
	_ "github.com/checkrein/checkrein/internal/text/yamldoc/parser"
)

// Install describes how checkrein is installed in Hermes Agent.
var Install = install.Spec{
	Name: "hermes", Scopes: []install.Scope{install.User},
	Folders: []string{".hermes"}, Programs: []string{"hermes"},
	Timeout: 300, Within: 300 - install.Margin, // the maximum in Hermes
	// Hermes splits the line itself, without a shell; fail_closed denies if checkrein fails.
	Files: func(m *install.Machine, _ install.Scope, want []install.Entry) ([]install.File, error) {
		allowed := sync.OnceValue(func() func(install.Entry) bool { return allowedEntries(m) })
		form := install.YAMLForm{Host: "hermes", Hook: hookLines, Runs: func(e install.Entry) bool { return allowed()(e) }}
		return []install.File{{Path: profileFile(m, "config.yaml"), Form: form, Want: want, Trust: "start hermes once and accept them, or start it with --accept-hooks"}}, nil
	},
	Repeats: install.RunsUnknown,
	Trusted: checkTrusted,
	After:   []string{"Hermes asks about each hook on its first use. Without a terminal, it silently skips hooks that you have not accepted: start hermes once and accept them, or start it with --accept-hooks. To check that it is done, run checkrein status hermes."},
}

func profileFile(m *install.Machine, name string) string {
	return filepath.Join(m.DirFromEnv("HERMES_HOME", ".hermes"), name)
}

func hookLines(e install.Entry) []string {
	lines := []string{"command: " + string(install.EncodeJSON(e.Command)), fmt.Sprintf("timeout: %d", e.Timeout)}
	if e.Closed {
		lines = append(lines, "fail_closed: true")
	}
	return lines
}

// acceptsAll reports whether Hermes accepts every hook without asking.
func acceptsAll(m *install.Machine) bool {
	src, err := install.ReadHostFile(profileFile(m, "config.yaml"))
	if err != nil {
		return false
	}
	root, _, err := yamldoc.Parse(src)
	return err == nil && root.Get("hooks_auto_accept").ScalarText() == "true"
}

// allowedEntries returns a function that reports whether the user allowed an entry. Hermes stores
// approvals by event and command line.
func allowedEntries(m *install.Machine) func(install.Entry) bool {
	if acceptsAll(m) {
		return func(install.Entry) bool { return true }
	}
	allowed := map[[2]string]bool{}
	for _, pair := range install.SettingPairs(profileFile(m, "shell-hooks-allowlist.json"), "approvals", "event", "command") {
		allowed[pair] = true
	}
	return func(e install.Entry) bool { return allowed[[2]string{e.Event, e.Command}] }
}

func checkTrusted(m *install.Machine, at []install.Site) install.Check {
	if acceptsAll(m) {
		return install.Check{State: install.Yes, Why: "hooks_auto_accept is on"}
	}
	allowed := allowedEntries(m)
	var missing, older []string
	for _, site := range at {
		for _, f := range site.Files {
			for _, e := range f.Entries {
				switch {
				case allowed(e):
				case slices.ContainsFunc(f.Entries, func(o install.Entry) bool { return o.Event == e.Event && allowed(o) }):
					older = append(older, e.Event)
				default:
					missing = append(missing, e.Event)
				}
			}
		}
	}
	accept := message.Do("start hermes once and accept them, or start it with --accept-hooks")
	if len(missing) == 0 && len(older) > 0 {
		return install.NewCheck(install.NotYet, "Hermes runs the older lines that you accepted, but not the new ones for "+strings.Join(older, ", "),
			accept, message.Run("checkrein install hermes", "then, to remove the older ones"))
	}
	if len(missing) > 0 {
		return install.NewCheck(install.NotYet, "you have not accepted these hooks in Hermes: "+strings.Join(missing, ", "), accept)
	}
	return install.Check{State: install.Yes}
}
