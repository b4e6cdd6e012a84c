package liveagents

import (
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/sys/process"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// isOurLine reports whether line begins like a command line of checkrein, and whether it has the
// current format, with unset before it.
func isOurLine(line string) (ok, today bool) {
	rest, today := strings.CutPrefix(line, "unset X; ")
	return strings.HasPrefix(rest, "checkrein hook "), today
}

func TestRouteToken(t *testing.T) {
	t.Parallel()
	at := func(args ...string) string { return routeToken(&process.Ancestor{Args: args}, isOurLine) }
	for _, args := range [][]string{{"sh", "-c", "unset X; checkrein hook claude || exit 2"}, {"/bin/bash", "-lc", "unset X; checkrein hook claude"}} {
		if got := at(args...); got != viaOurs {
			t.Errorf("%q: %s, want ours", args, got)
		}
	}
	if got := at("sh", "-c", "checkrein hook claude"); got != viaOld {
		t.Errorf("an old line: %s", got)
	}
	for _, args := range [][]string{
		{"sh", "-c", "unset X; checkrein hook claude < forged"},
		{"sh", "-c", "unset X; checkrein hook claude | cat"},
		{"sh", "-c", "unset X; checkrein hook claude", "word"},
		{"sh", "script", "-c", "unset X; checkrein hook claude"},
		{"timeout", "-c", "unset X; checkrein hook claude"},
		{"sh", "-c", "unset X; checkrein hook claude " + strings.Repeat("x", maxLine)},
	} {
		if got := at(args...); got == viaOurs || got == viaOld || got == "" {
			t.Errorf("%.60q: %s, want another", args, got)
		}
	}
	if a, b := at("timeout", "9", "checkrein", "hook", "x", "--event", "A", "--within", "1"), at("timeout", "9", "checkrein", "hook", "x", "--event", "B", "--within", "2"); a != b {
		t.Errorf("two events of one wrapper differ: %s, %s", a, b)
	}
	if a, b := at("sh", "-c", "wrap checkrein hook x --event A"), at("sh", "-c", "wrap checkrein hook x --event B"); a != b {
		t.Errorf("two events of one wrapped line differ: %s, %s", a, b)
	}
	if a, b := at("bash", "-c", "one"), at("bash", "-c", "two"); a == b || !strings.HasPrefix(a, "bash ") {
		t.Errorf("two texts of a shell are %s and %s", a, b)
	}
}

// TestStartsWrapper checks that a shell that starts a line of checkrein with checkrein-shell counts as
// no part of a route, and no other shell.
func TestStartsWrapper(t *testing.T) {
	t.Parallel()
	dir := state.NewDir("/s")
	for line, want := range map[string]bool{
		"/s/walls/claude/checkrein-shell 'unset X; checkrein hook claude'":       true,
		"/other/walls/claude/checkrein-shell 'unset X; checkrein hook claude'":   false,
		"/s/walls/claude/checkrein-shell ls":                                     false,
		"/s/walls/claude/checkrein-shell 'unset X; checkrein hook claude'; true": false,
		"unset X; checkrein hook claude":                                         false,
	} {
		if got := startsWrapper(&process.Ancestor{Args: []string{"/bin/sh", "-c", line}}, dir, isOurLine); got != want {
			t.Errorf("%s: %v", line, got)
		}
	}
}

func TestMatchesRoute(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		noted, now string
		want       bool
	}{
		{"", "bash 12|file|in", true}, // the first
		{"ours|host|in", "ours|host|in", true},
		{"wrap 12|host|in", "wrap 12|host|in", true},
		{"wrap 12|host|in", "ours|host|in", true}, // installed anew
		{"old|host|in", "ours|host|in", true},
		{"old|host|in", "|host|in", true}, // a shell that became us
		{"|host|in", "old|host|in", true},

		{"ours|host|in", "|host|in", false},
		{"ours|host|in", "ours|pipe|in", false},
		{"ours|host|in", "ours|host|out", false},
		{"ours|host|in", "bash 12|host|in", false},
		{"ours|host|in", "ours,bash 12|host|in", false},
		{"wrap 12|host|in", "wrap 13|host|in", false},
		{"wrap 12|host|in", "|host|in", false},
		{"self", "ours|host|in", false}, // a runtime calls nobody
		{"self", "|pipe|in", false},
	} {
		past, rest, _ := strings.Cut(tt.now, "|")
		input, in, _ := strings.Cut(rest, "|")
		c := Call{notedRoute: tt.noted, route: route{via: past, input: input, sameSession: in == "in"}}
		if got := c.MatchesRoute(); got != tt.want {
			t.Errorf("first %s, then %s: %t", tt.noted, tt.now, got)
		}
	}
}
