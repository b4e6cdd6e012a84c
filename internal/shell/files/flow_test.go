package files

import (
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
)

func w(text string, from ...*shell.Call) shell.Word { return shell.Word{Text: text, From: from} }

// TestOutput has commands whose words are the output of other commands.
func TestOutput(t *testing.T) {
	for _, tt := range []struct {
		name, from string
		args       []string
		want       string
	}{
		{"mktemp", "mktemp -d", []string{"rm", "-rf", "@"}, "safe low"},
		{"mktemp below", "mktemp -d", []string{"rm", "-rf", "@/x"}, "safe low"},
		{"mktemp elsewhere", "mktemp -d -p /etc", []string{"rm", "-rf", "@"}, "destructive unknown"},
		{"pwd", "pwd", []string{"rm", "-rf", "@"}, "destructive high"},
		{"pwd/build", "pwd", []string{"rm", "-rf", "@/build"}, "safe low"},
		{"toplevel", "git rev-parse --show-toplevel", []string{"rm", "-rf", "@"}, "destructive high"},
		{"toplevel/dist", "git rev-parse --show-toplevel", []string{"rm", "-rf", "@/dist"}, "safe low"},
		{"find pyc", "find . -name '*.pyc'", []string{"rm", "-f", "@"}, "safe low"},
		{"find py", "find . -name '*.py'", []string{"rm", "@"}, "destructive medium"},
		{"find all", "find . -type f", []string{"rm", "@"}, "destructive high"},
		{"find root", "find / -name x", []string{"rm", "@"}, "destructive high"},
		{"find modules", "find . -type d -name node_modules -prune", []string{"rm", "-rf", "@"}, "safe low"},
		{"find alternatives", "find . -name '*.pyc' -o -name '*.py'", []string{"rm", "@"}, "destructive medium"},
		{"fd", "fd -e pyc", []string{"rm", "@"}, "safe low"},
		{"ls", "ls", []string{"rm", "-rf", "@"}, "destructive high"},
		{"ls src", "ls src", []string{"rm", "@"}, "destructive medium"},
		{"ls-files", "git ls-files", []string{"rm", "@"}, "destructive medium"},
		{"cat", "cat list.txt", []string{"rm", "@"}, "destructive unknown"},
		{"grep -l edit", "grep -rl foo src", []string{"sed", "-i", "s/a/b/", "@"}, "safe low"},
		{"rg -l edit", "rg -l foo", []string{"sed", "-i", "s/a/b/", "@"}, "safe low"},
		{"grep -l elsewhere", "grep -rl foo /etc", []string{"sed", "-i", "s/a/b/", "@"}, "unknown unknown"},
		{"git edit", "git ls-files", []string{"sed", "-i", "s/a/b/", "@"}, "safe low"},
		{"find chmod", "find / -type f", []string{"chmod", "777", "@"}, "destructive high"},
	} {
		from := call(t, tt.from)
		c := &shell.Call{Name: tt.args[0], Path: tt.args[0]}
		for _, a := range tt.args[1:] {
			if a[0] == '@' {
				c.Args = append(c.Args, w(holeText+a[1:], from))
			} else {
				c.Args = append(c.Args, w(a))
			}
		}
		e, _ := judged(c, &here)
		if got := e.Label.String() + " " + e.Radius.String(); got != tt.want {
			t.Errorf("%s: got %s (%s), want %s", tt.name, got, e.Reason, tt.want)
		}
	}
}

// TestGuessedPattern has the words that xargs gets from find: the pattern is a
// guess, the call knows better.
func TestGuessedPattern(t *testing.T) {
	find := call(t, `find . -path '*/__pycache__/*'`)
	c := &shell.Call{Name: "rm", Args: []shell.Word{w("-rf"), {Text: "./*", Glob: true, From: []*shell.Call{find}}}}
	if e, _ := judged(c, &here); e.Label != shell.Safe {
		t.Errorf("got %s %s", e.Label, e.Reason)
	}
	grep := call(t, "grep -v keep")
	find = call(t, `find . -name '*.py'`)
	c.Args[1].From = []*shell.Call{grep, find}
	if e, _ := judged(c, &here); e.Label != shell.Destructive || e.Radius != shell.RadiusMedium {
		t.Errorf("got %s %s", e.Label, e.Reason)
	}
}

func TestPipedIn(t *testing.T) {
	for _, tt := range []struct {
		cmd  string
		in   *shell.Flow
		want string
	}{
		{"tee x.txt", &shell.Flow{Text: "hi", Sure: true}, "safe low"},
		{"tee x.txt", &shell.Flow{Text: "", Sure: true}, "destructive medium"},
		{"tee x.txt", &shell.Flow{From: []*shell.Call{call(t, "cat /dev/null")}}, "destructive medium"},
		{"tee build/x", &shell.Flow{Text: "", Sure: true}, "safe low"},
		{"rm -rf", &shell.Flow{From: []*shell.Call{call(t, "cat x")}}, "destructive unknown"},
		{"rm -ri ~", &shell.Flow{Text: "y\n"}, "destructive high"},
		{"crontab", &shell.Flow{Text: "x"}, "destructive medium"},
	} {
		c := call(t, tt.cmd)
		c.In = tt.in
		e, known := judged(c, &here)
		if got := e.Label.String() + " " + e.Radius.String(); got != tt.want || !known {
			t.Errorf("%s: got %s (%s), want %s", tt.cmd, got, e.Reason, tt.want)
		}
	}
}

func TestFound(t *testing.T) {
	for _, tt := range []struct {
		cmd, want string
		at        int
	}{
		{"find . -name '*.pyc' -exec rm {} ;", "./*.pyc", 3},
		{"find . -name a -o -name b -exec rm {} ;", "./b", 6},
		{"find / -exec rm {} ;", "/*", 1},
		{"find . -exec ls {} ; -name x -exec rm {} ;", "./x", 7},
		{"find . -path '*/node_modules/*' -exec rm {} +", "./*/node_modules/*", 3},
		{"fd -e pyc -x rm", "./*.pyc", 2},
	} {
		if got := Found(call(t, tt.cmd), tt.at); len(got) != 1 || got[0] != tt.want {
			t.Errorf("%s: got %q, want %q", tt.cmd, got, tt.want)
		}
	}
}

// TestPaths has the paths of effects normalised.
func TestPaths(t *testing.T) {
	for cmd, want := range map[string]string{
		"rm -rf ./src/../lib/": "/work/app/lib",
		"rm -rf ~/x//y":        "/home/me/x/y",
		"echo x > ./a/./b":     "/work/app/a/b",
		"cd sub && rm -rf x":   "/work/app/sub/x",
		"rm -rf ~bob/x":        "/home/bob/x",
		"rm -rf ~/*":           "/home/me/*",
	} {
		if e, _ := verdictOf(t, cmd, &here); len(e.Paths) != 1 || e.Paths[0] != want {
			t.Errorf("%s: got %q, want %q", cmd, e.Paths, want)
		}
	}
	if e, _ := verdictOf(t, "rm -rf ~/x/../y", &shell.Place{}); e.Paths[0] != "~/y" {
		t.Errorf("without a home: %q", e.Paths)
	}
	e, _ := verdictOf(t, "rm a b c", &here)
	if len(e.Paths) != 3 || e.Words != "rm a b c" || e.Rule != "delete-project" || e.Pack != "filesystem" {
		t.Errorf("got %+v", e)
	}
	if e, _ := verdictOf(t, "rm -rf ~", &here); e.Reason != "deletes the home directory and everything in it" {
		t.Errorf("got %q", e.Reason)
	}
}

// TestUnknown has programs that belong to others.
func TestUnknown(t *testing.T) {
	for _, cmd := range []string{"ls", "git status", "docker run --rm x", "echo rm -rf /", "perl -pi -e s/a/b/ main.go", "curl -o x http://x", "go build -o app ."} {
		if e, known := Effects(call(t, cmd), &here); known || len(e) != 0 {
			t.Errorf("%s: got %v %v", cmd, e, known)
		}
	}
}
