//go:build ignore

package install

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/checkrein/checkrein/internal/text/yamldoc"
	"github.com/tailscale/hujson"
)

var hermes = spec{
	name: "hermes", scopes: []Scope{User},
	folders: []string{".hermes"}, programs: []string{"hermes"},
	timeout: 300, within: 300 - margin, // Hermes takes no more
	// It splits the line itself, without a shell; fail_closed denies in our stead.
	files: func(m *Machine, _ Scope, want []entry) ([]file, error) {
		allowed := sync.OnceValue(func() func(entry) bool { return hermesAllowed(m) })
		form := yamlForm{"hermes", hermesHook, func(e entry) bool { return allowed()(e) }}
		return []file{{path: hermesFile(m, "config.yaml"), form: form, want: want, trust: "start hermes once and accept them, or start it with --accept-hooks"}}, nil
	},
	repeats: unknown,
	trusted: hermesTrusted,
	after:   []string{"Hermes asks about each hook on its first use. Without a terminal, it silently skips hooks that you have not accepted: start hermes once and accept them, or start it with --accept-hooks. To check that it is done, run checkrein status hermes."},
}

func hermesFile(m *Machine, name string) string {
	return filepath.Join(m.dir("HERMES_HOME", ".hermes"), name)
}

func hermesHook(e entry) []string {
	lines := []string{"command: " + string(encode(e.command)), fmt.Sprintf("timeout: %d", e.timeout)}
	if e.closed {
		lines = append(lines, "fail_closed: true")
	}
	return lines
}

// hermesAccepts reports whether Hermes takes every hook without asking.
func hermesAccepts(m *Machine) bool {
	src, err := read(hermesFile(m, "config.yaml"))
	if err != nil {
		return false
	}
	root, _, err := yamldoc.Parse(src)
	return err == nil && root.Get("hooks_auto_accept").Plain() == "true"
}

// hermesAllowed looks for the person's consent, which Hermes keeps by event and
// command line.
func hermesAllowed(m *Machine) func(entry) bool {
	if hermesAccepts(m) {
		return func(entry) bool { return true }
	}
	allowed := map[[2]string]bool{}
	if v := settingAt(hermesFile(m, "shell-hooks-allowlist.json"), "approvals"); v != nil {
		if a, ok := v.Value.(*hujson.Array); ok {
			for i := range a.Elements {
				allowed[[2]string{text(&a.Elements[i], "event"), text(&a.Elements[i], "command")}] = true
			}
		}
	}
	return func(e entry) bool { return allowed[[2]string{e.event, e.command}] }
}

func hermesTrusted(m *Machine, at []Site) Check {
	if hermesAccepts(m) {
		return Check{Yes, "hooks_auto_accept is on"}
	}
	allowed := hermesAllowed(m)
	var missing, older []string
	for _, site := range at {
		for _, f := range site.Files {
			for _, e := range f.entries {
				switch {
				case allowed(e):
				case slices.ContainsFunc(f.entries, func(o entry) bool { return o.event == e.event && allowed(o) }):
					older = append(older, e.event)
				default:
					missing = append(missing, e.event)
				}
			}
		}
	}
	if len(missing) == 0 && len(older) > 0 {
		return Check{NotYet, fmt.Sprintf("Hermes runs the older lines that you accepted, but not the new ones for %s: start hermes once and accept them, or start it with --accept-hooks, then run checkrein install hermes to remove the older ones", strings.Join(older, ", "))}
	}
	if len(missing) > 0 {
		return Check{NotYet, fmt.Sprintf("you have not accepted these hooks in Hermes: %s. Start hermes once and accept them, or start it with --accept-hooks", strings.Join(missing, ", "))}
	}
	return Check{Yes, ""}
}
