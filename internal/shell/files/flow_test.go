package files

import (
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
)

// newWord returns a word with the sources from.
func newWord(text string, from ...*shell.Call) shell.Word { return shell.Word{Text: text, From: from} }

// TestWordsFromOutput has commands whose words are the output of other commands, which @ stands for.
func TestWordsFromOutput(t *testing.T) {
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
		{"grep -l elsewhere", "grep -rl foo /etc", []string{"sed", "-i", "s/a/b/", "@"}, "destructive unknown"},
		{"git edit", "git ls-files", []string{"sed", "-i", "s/a/b/", "@"}, "safe low"},
		{"find chmod", "find / -type f", []string{"chmod", "777", "@"}, "destructive high"},
	} {
		from := parseCall(t, tt.from)
		c := &shell.Call{Name: tt.args[0], Path: tt.args[0]}
		for _, a := range tt.args[1:] {
			if a[0] == '@' {
				c.Args = append(c.Args, newWord(placeholder+a[1:], from))
			} else {
				c.Args = append(c.Args, newWord(a))
			}
		}
		e, _ := worstCallEffect(c, &here)
		if got := e.Label.String() + " " + e.Impact.String(); got != tt.want {
			t.Errorf("%s: got %s (%s), want %s", tt.name, got, e.Reason, tt.want)
		}
	}
}

// TestFindDeterminesXargsWords has words that xargs gets from find. The pattern in them is only a
// guess, and the call of find is more precise.
func TestFindDeterminesXargsWords(t *testing.T) {
	find := parseCall(t, `find . -path '*/__pycache__/*'`)
	c := &shell.Call{Name: "rm", Args: []shell.Word{newWord("-rf"), {Text: "./*/__pycache__/*", Glob: true, From: []*shell.Call{find}}}}
	if e, _ := worstCallEffect(c, &here); e.Label != shell.Safe {
		t.Errorf("got %s %s", e.Label, e.Reason)
	}
	grep := parseCall(t, "grep -v keep")
	find = parseCall(t, `find . -name '*.py'`)
	c.Args[1] = shell.Word{Text: "./*.py", Glob: true, From: []*shell.Call{grep, find}}
	if e, _ := worstCallEffect(c, &here); e.Label != shell.Destructive || e.Impact != shell.ImpactMedium {
		t.Errorf("got %s %s", e.Label, e.Reason)
	}
}

// TestChangedNames has words from find that a filter or other text around them changed.
func TestChangedNames(t *testing.T) {
	for pipe, want := range map[string]string{
		"find src -name '*.x' | sort":                  "destructive medium",
		`find src -name '*.x' | sed 's|^\./||'`:        "destructive medium",
		"find src -name '*.x' | sed 's|^|/etc/|'":      "destructive unknown",
		"find src -name '*.x' | awk '{print \"/\"$1}'": "destructive unknown",
	} {
		var from []*shell.Call
		for one := range strings.SplitSeq(pipe, " | ") {
			from = append([]*shell.Call{parseCall(t, one)}, from...)
		}
		c := &shell.Call{Name: "rm", Args: []shell.Word{{Text: "src/*.x", Glob: true, From: from}}}
		if e, _ := worstCallEffect(c, &here); e.Label.String()+" "+e.Impact.String() != want {
			t.Errorf("%s: got %s %s, want %s", pipe, e.Label, e.Impact, want)
		}
		c.Args[0].Text = "/etc/src/*.x"
		if e, _ := worstCallEffect(c, &here); e.Impact != shell.ImpactHigh {
			t.Errorf("%s with /etc: got %s %s", pipe, e.Label, e.Impact)
		}
	}
}

// TestPipedInput has commands whose verdict depends on their input.
func TestPipedInput(t *testing.T) {
	for _, tt := range []struct {
		cmd  string
		in   *shell.Flow
		want string
	}{
		{"tee x.txt", &shell.Flow{Text: "hi", Complete: true}, "safe low"},
		{"tee x.txt", &shell.Flow{Text: "", Complete: true}, "destructive medium"},
		{"tee x.txt", &shell.Flow{From: []*shell.Call{parseCall(t, "cat /dev/null")}}, "destructive medium"},
		{"tee build/x", &shell.Flow{Text: "", Complete: true}, "safe low"},
		{"rm -rf", &shell.Flow{From: []*shell.Call{parseCall(t, "cat x")}}, "destructive unknown"},
		{"rm -ri ~", &shell.Flow{Text: "y\n"}, "destructive high"},
	} {
		c := parseCall(t, tt.cmd)
		c.In = tt.in
		e, known := worstCallEffect(c, &here)
		if got := e.Label.String() + " " + e.Impact.String(); got != tt.want || !known {
			t.Errorf("%s: got %s (%s), want %s", tt.cmd, got, e.Reason, tt.want)
		}
	}
}

// TestEffectPathsAreNormalised checks the paths, words and reasons of effects.
func TestEffectPathsAreNormalised(t *testing.T) {
	for cmd, want := range map[string]string{
		"rm -rf ./src/../lib/": "/work/app/lib",
		"rm -rf ~/x//y":        "/home/me/x/y",
		"echo x > ./a/./b":     "/work/app/a/b",
		"cd sub && rm -rf x":   "/work/app/sub/x",
		"rm -rf ~bob/x":        "/home/bob/x",
		"rm -rf ~/*":           "/home/me/*",
	} {
		if e, _ := worstEffect(t, cmd, &here); len(e.Paths) != 1 || e.Paths[0] != want {
			t.Errorf("%s: got %q, want %q", cmd, e.Paths, want)
		}
	}
	if e, _ := worstEffect(t, "rm -rf ~/x/../y", &shell.Place{}); e.Paths[0] != "~/y" {
		t.Errorf("without a home: %q", e.Paths)
	}
	e, _ := worstEffect(t, "rm a b c", &here)
	if len(e.Paths) != 3 || e.Words != "rm a b c" || e.Rule != "delete-project" || e.Category != shell.FSDelete {
		t.Errorf("got %+v", e)
	}
	if e, _ := worstEffect(t, "rm -rf ~", &here); e.Reason != "deletes the home directory and everything in it" {
		t.Errorf("got %q", e.Reason)
	}
}

// TestOtherProgramsHaveNoEffects has programs that other packages judge.
func TestOtherProgramsHaveNoEffects(t *testing.T) {
	for _, cmd := range []string{"ls", "git status", "docker run --rm x", "echo rm -rf /", "perl -pi -e s/a/b/ main.go", "curl -o x http://x", "go build -o app ."} {
		if e, known := Effects(parseCall(t, cmd), &here); known || len(e) != 0 {
			t.Errorf("%s: got %v %v", cmd, e, known)
		}
	}
}

// TestCreatedFilesAreSafe has commands that change files which the same command created.
func TestCreatedFilesAreSafe(t *testing.T) {
	for _, tt := range []struct{ cmd, made, want string }{
		{"rm a.txt", "a.txt", "safe low"},
		{"rm ./a.txt", "a.txt", "safe low"},
		{"rm -rf d", "d", "safe low"},
		{"rm -rf d/", "d", "safe low"},
		{"rm -rf d/*", "d", "safe low"},
		{"rm d/x", "d", "safe low"},
		{"rm ~/x", "~/x", "safe low"},
		{"rm -rf /data/x", "/data/x", "safe low"},
		{"shred -u a.txt", "a.txt", "safe low"},
		{"truncate -s 0 a.txt", "a.txt", "safe low"},
		{": > a.txt", "a.txt", "safe low"},
		{"dd if=/dev/zero of=a.txt", "a.txt", "safe low"},
		{"chmod 000 a.txt", "a.txt", "safe low"},
		{"chmod -R 777 d", "d", "safe low"},
		{"mv -f a.txt b.txt", "b.txt", "safe low"},
		{"ln -sf a b", "b", "safe low"},
		{"rm -rf a.txt src", "a.txt", "destructive medium"},
		{"rm -rf d/../src", "d", "destructive medium"},
		{"rm -rf dx", "d", "destructive medium"},
		{"rm -rf .", ".", "destructive high"},
		{"rm -rf ~", "~", "destructive high"},
		{"rm -rf /etc", "/etc", "destructive high"},
		{"rm -rf ..", "..", "destructive high"},
		{"rm -rf .git", ".git", "destructive high"},
		{"rm -rf ~/.ssh", "~/.ssh", "destructive high"},
		{"rm .claude/settings.json", ".claude/settings.json", "destructive medium"},
		{"chmod u+s a.txt", "a.txt", "destructive medium"},
		{"dd if=/dev/zero of=/dev/sda", "/dev/sda", "destructive high"},
		{"echo x > /etc/passwd", "/etc/passwd", "destructive high"},
	} {
		c := parseCall(t, tt.cmd)
		c.Files = []shell.File{{Path: tt.made, Created: true}}
		e, _ := worstCallEffect(c, &here)
		if got := e.Label.String() + " " + e.Impact.String(); got != tt.want {
			t.Errorf("%s with its own %s: got %s (%s), want %s", tt.cmd, tt.made, got, e.Reason, tt.want)
		}
		if c.Files[0].Created = false; tt.want != "safe low" {
			continue
		}
		if e, _ := worstCallEffect(c, &here); e.Label == shell.Safe {
			t.Errorf("%s with a %s that existed before is safe", tt.cmd, tt.made)
		}
	}
}

// TestGrepNarrowsFind has commands on the output of find that grep filters.
func TestGrepNarrowsFind(t *testing.T) {
	for _, tt := range []struct{ find, grep, want string }{
		{"find .", `grep -E '(__pycache__|\.pyc|\.pyo$)'`, "safe"},
		{"find .", `grep -E '__pycache__|\.py$'`, "destructive"},
		{"find .", `grep -v '\.pyc$'`, "destructive"},
		{"find .", `grep node_modules`, "safe"},
		{"find /", `grep passwd`, "destructive"},
	} {
		c := &shell.Call{Name: "rm", Args: []shell.Word{newWord("-rf"), newWord(placeholder, parseCall(t, tt.grep), parseCall(t, tt.find))}}
		if e, _ := worstCallEffect(c, &here); e.Label.String() != tt.want {
			t.Errorf("%s | %s: got %s (%s), want %s", tt.find, tt.grep, e.Label, e.Reason, tt.want)
		}
	}
}
