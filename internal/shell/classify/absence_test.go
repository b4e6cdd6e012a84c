package classify

import (
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
)

// TestAbsence checks that a command overwrites nothing if a test before it found no file there.
func TestAbsence(t *testing.T) {
	where := shell.Place{Dir: "/home/jo/app", Root: "/home/jo/app", Home: "/home/jo", Kind: func(path string) shell.PathKind {
		if strings.HasSuffix(path, "/dir") {
			return shell.PathDir
		}
		return shell.PathFile
	}, List: func(string) ([]shell.Entry, bool) { return nil, true }}
	for command, passes := range map[string]bool{
		"test -f .env || cp .env.example .env":    true,
		"[ -e notes.md ] || cp a.md notes.md":     true,
		"[ ! -f notes.md ] && cp a.md notes.md":   true,
		"! test -e notes.md && cp a.md notes.md":  true,
		"test -s .env || cp a .env":               true,
		"test -f notes.md || cp a.md ./notes.md":  true,
		"[ -e ~/notes.md ] || cp a.md ~/notes.md": true,
		"cp a .env":                                     false,
		"test -f .env && cp a .env":                     false,
		"[ ! -f .env ] || cp a .env":                    false,
		"test -f other.go || cp a .env":                 false,
		"test -f \"$X\" || cp a .env":                   false,
		"test -f .env || true; cp a .env":               false,
		"test -f .env || cp -f b.go a.go && cp a .env":  false,
		"test -f dir || rm -rf dir":                     false,
		"test -f src || sh -c 'cp a .env'":              false,
		"test -e x || { mv src x; rm -rf x; }":          false,
		"test() { false; }; test -f .env || cp a .env":  false,
		"cd sub; test -f .env || (cd .. && cp a .env)":  false,
		"test -f .env -o -f x || cp a .env":             false,
		"false && test -f .env || cp a .env":            false,
		"test -f /dev/sda || cp a.img /dev/sda":         false,
		"test -f .env || cp a .env other.go /home/jo/x": false,
	} {
		r := Command(command, where)
		if got := r.Label < shell.Destructive || r.Impact == shell.ImpactLow; got != passes {
			t.Errorf("%s: %s %s (%s), want to pass: %v", command, r.Label, r.Impact, r.Reason, passes)
		}
	}
}
