package approval

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// TestScriptChanges changes the script of an approved hook in every way.
func TestScriptChanges(t *testing.T) {
	t.Parallel()
	const script = "#!/bin/sh\nexit 0\n"
	other := strings.Replace(script, "0", "2", 1)
	tests := []struct {
		name  string
		alter func(p *project) error
		want  State
		why   string
	}{
		{"nothing", func(p *project) error { return nil }, Approved, ""},
		{"a byte", func(p *project) error {
			return os.WriteFile(p.path("scripts/guard.sh"), []byte(other), 0o755)
		}, Changed, "scripts/guard.sh changed"},
		{"there and back", func(p *project) error {
			return errors.Join(os.WriteFile(p.path("scripts/guard.sh"), []byte(other), 0o755),
				os.WriteFile(p.path("scripts/guard.sh"), []byte(script), 0o755))
		}, Approved, ""},
		{"content but neither size nor time", func(p *project) error {
			info, err := os.Stat(p.path("scripts/guard.sh"))
			if err != nil {
				return err
			}
			return errors.Join(os.WriteFile(p.path("scripts/guard.sh"), []byte(other), 0o755),
				os.Chtimes(p.path("scripts/guard.sh"), info.ModTime(), info.ModTime()))
		}, Changed, "scripts/guard.sh changed"},
		{"time alone", func(p *project) error {
			return os.Chtimes(p.path("scripts/guard.sh"), noon(), noon())
		}, Approved, ""},
		{"mode alone", func(p *project) error { return os.Chmod(p.path("scripts/guard.sh"), 0o600) }, Approved, ""},
		{"deleted", func(p *project) error { return os.Remove(p.path("scripts/guard.sh")) }, Changed, "scripts/guard.sh is missing"},
		{"directory deleted", func(p *project) error { return os.RemoveAll(p.path("scripts")) }, Changed, "scripts/guard.sh is missing"},
		{"now a directory", func(p *project) error {
			return errors.Join(os.Remove(p.path("scripts/guard.sh")), os.Mkdir(p.path("scripts/guard.sh"), 0o755))
		}, Changed, "scripts/guard.sh is not a regular file"},
		{"link to other content", func(p *project) error {
			p.write("elsewhere", other)
			return errors.Join(os.Remove(p.path("scripts/guard.sh")), os.Symlink(p.path("elsewhere"), p.path("scripts/guard.sh")))
		}, Changed, "scripts/guard.sh changed"},
		{"link to the same content", func(p *project) error {
			p.write("elsewhere", script)
			return errors.Join(os.Remove(p.path("scripts/guard.sh")), os.Symlink(p.path("elsewhere"), p.path("scripts/guard.sh")))
		}, Approved, ""},
		{"dangling link", func(p *project) error {
			return errors.Join(os.Remove(p.path("scripts/guard.sh")), os.Symlink("nowhere", p.path("scripts/guard.sh")))
		}, Changed, "scripts/guard.sh is missing"},
		{"another named file appears", func(p *project) error {
			p.write("scripts/extra.py", "pass\n")
			return nil
		}, Changed, "scripts/extra.py is new"},
		{"two things", func(p *project) error {
			p.write("scripts/extra.py", "pass\n")
			return os.Remove(p.path("scripts/guard.sh"))
		}, Changed, "scripts/guard.sh is missing, scripts/extra.py is new"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t)
			p.write("scripts/guard.sh", script)
			h := commandHook(p.root, "guard", "./scripts/guard.sh; [ -f scripts/extra.py ] && python3 scripts/extra.py")
			p.checkStates([]checkrein.Hook{h}, Unapproved)
			p.approve(h)
			p.checkStates([]checkrein.Hook{h}, Approved)
			s := p.store(h)
			if err := test.alter(p); err != nil {
				t.Fatal(err)
			}
			// A store that was loaded before sees it too.
			if got, why, _ := s.Check(&h); got != test.want || why.What != test.why {
				t.Errorf("got %d %q, want %d %q", got, why, test.want, test.why)
			}
		})
	}
}

func TestCheckTexts(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	h := commandHook(p.root, "it's; rm -rf ~\x1b[2J", "true")
	_, why, _ := p.store(h).Check(&h)
	if want := `checkrein hooks approve 'it'\''s; rm -rf ~\x1b[2J'`; len(why.Remedies) != 1 || why.Remedies[0].Command != want {
		t.Errorf("got %q, want …%q", why, want)
	}
	p.approve(h)
	h.Match = "shell"
	if got, why, _ := p.store(h).Check(&h); got != Changed || why.What != "its definition changed" {
		t.Errorf("got %d %q", got, why)
	}
	h.From.Approval = false
	if got, why, _ := p.store(h).Check(&h); got != Approved || why.What != "" {
		t.Errorf("a hook that needs no approval: %d %q", got, why)
	}
	unbound := commandHook(p.root, "unbound", "true")
	if got, _, _ := p.store(h).Check(&unbound); got != Unapproved {
		t.Errorf("a hook that was not bound: %d", got)
	}
	if got, _, _ := new(Store).Check(&unbound); got != Unapproved {
		t.Errorf("the zero store: %d", got)
	}
}

func TestManyReasons(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	for _, name := range []string{"a.sh", "b.sh", "c.sh", "d.sh", "e.sh"} {
		p.write(name, "1")
	}
	h := commandHook(p.root, "x", "for f in a b c d e; do sh $f.sh; done")
	p.approve(h)
	for _, name := range []string{"a.sh", "b.sh", "c.sh", "d.sh", "e.sh"} {
		p.write(name, "2")
	}
	if _, why, _ := p.store(h).Check(&h); why.What != "a.sh changed, b.sh changed, c.sh changed, and 2 more" {
		t.Errorf("got %q", why)
	}
}

func TestApproveRefuses(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.write("good.sh", "true")
	p.write("bad.sh", "true")
	if err := os.Truncate(p.path("bad.sh"), 64<<20+1); err != nil {
		t.Fatal(err)
	}
	var many strings.Builder
	for i := range 65 {
		name := string(rune('a'+i%26)) + string(rune('a'+i/26)) + ".sh"
		p.write(name, "true")
		many.WriteString(" " + name)
	}
	p.write("hooks/__main__.py", "pass")
	p.write("check.py", "pass")
	relative := commandHook(p.root, "x", "true")
	relative.From.File = "checkrein.yaml"
	tests := []struct {
		name string
		hook checkrein.Hook
		want string
	}{
		{"missing", commandHook(p.root, "gone", "./scripts/gone.sh"), `hook "gone": scripts/gone.sh is missing`},
		{"missing in argv", argvHook(p.root, "./gone.sh"), "gone.sh is missing"},
		{"too large", commandHook(p.root, "x", "sh bad.sh"), "bad.sh is larger than 64 MiB"},
		{"too many", commandHook(p.root, "x", "for f in"+many.String()+"; do sh $f; done"), "cannot tell: it runs more files than checkrein follows"},
		{"too deep", commandHook(p.root, "x", strings.Repeat("$(", 40)), "cannot tell: "},
		{"directory", commandHook(p.root, "x", "python3 hooks"), "cannot tell: python3 runs the directory hooks"},
		{"directory behind options", commandHook(p.root, "x", "env A=1 python3 -W ignore -u ./hooks --x"), "python3 runs the directory ./hooks"},
		{"directory behind a preload", commandHook(p.root, "x", "node -r ./check.py hooks"), "node runs the directory hooks"},
		{"directory as a module", commandHook(p.root, "x", "cd . && python3 -m hooks"), "this repository's package hooks"},
		{"directory in text", commandHook(p.root, "x", "flock x -c 'python3 hooks'"), "python3 runs the directory hooks"},
		{"the current directory", commandHook(p.root, "x", "node ."), "node runs the directory ."},
		{"directory in argv", argvHook(p.root, "python3", "hooks"), "python3 runs the directory hooks"},
		{"relative file", relative, "not absolute: checkrein.yaml"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := newDir(t)
			good := commandHook(p.root, "good", "./good.sh")
			list, err := Approve(dir, placeAt(p.root), noon(), []checkrein.Hook{good, test.hook}, nil)
			if err == nil || !strings.Contains(err.Error(), test.want) || len(list) != 1 {
				t.Errorf("got %v, %v; want %q", list, err, test.want)
			}
			if all, err := List(dir); len(all) != 1 || all[0].ID != "good" || err != nil {
				t.Errorf("the approvals are %v, %v; want the sound one alone", all, err)
			}
		})
	}
}

func TestDamaged(t *testing.T) {
	t.Parallel()
	const sum = "0123456789012345678901234567890123456789012345678901234567890123"
	record := func(s string) string { return `{"version":1,"approvals":[` + s + `]}` }
	for name, text := range map[string]string{
		"empty":             "",
		"cut":               `{"version":1,"approvals":[`,
		"no object":         `[]`,
		"no version":        `{}`,
		"another version":   `{"version":2}`,
		"switch":            `{"version":1,"off":"yes"}`,
		"no list":           `{"version":1,"approvals":{}}`,
		"no record":         record(`7`),
		"incomplete record": record(`{"file":"/f","event":"stop","key":"k"}`),
		"short digest":      record(`{"file":"/f","event":"stop","key":"k","digest":"00"}`),
		"wrong type":        record(`{"file":7,"event":"stop","key":"k","digest":"` + sum + `"}`),
		"time":              record(`{"file":"/f","event":"stop","key":"k","digest":"` + sum + `","at":"now"}`),
		"incomplete file":   record(`{"file":"/f","event":"stop","key":"k","digest":"` + sum + `","files":[{"path":"x"}]}`),
		"size":              record(`{"file":"/f","event":"stop","key":"k","digest":"` + sum + `","files":[{"path":"x","sha256":"` + sum + `","size":1.5}]}`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t)
			h := commandHook(p.root, "guard", "true")
			p.approve(h)
			if err := p.dir.WriteSealed(bookName, []byte(text), true); err != nil {
				t.Fatal(err)
			}
			written, err := p.dir.Read(bookName, bookLimit)
			if err != nil {
				t.Fatal(err)
			}
			s, err := Load(p.dir)
			if err == nil || !strings.Contains(err.Error(), p.dir.Path(bookName)) || !strings.Contains(err.Error(), state.ResealCommand) {
				t.Fatalf("error is %v", err)
			}
			s.Bind([]checkrein.Hook{h})
			if got, why, _ := s.Check(&h); got != Changed || !strings.Contains(why.What, "damaged") {
				t.Errorf("got %d %q", got, why)
			}
			if s.IsOff() || len(s.VanishedApprovals(ConfigRead{Read: []string{h.From.File}})) != 0 {
				t.Error("something was read")
			}
			_, listErr := List(p.dir)
			_, approveErr := Approve(p.dir, placeAt(p.root), noon(), []checkrein.Hook{h}, nil)
			_, revokeErr := Revoke(p.dir, func(Approval) bool { return true })
			for what, err := range map[string]error{"list": listErr, "approve": approveErr, "revoke": revokeErr, "off": SetOff(p.dir, true)} {
				if err == nil {
					t.Errorf("%s succeeded", what)
				}
			}
			if got, err := p.dir.Read(bookName, bookLimit); string(got) != string(written) || err != nil {
				t.Errorf("the file was touched: %q, %v", got, err)
			}
		})
	}
}

func TestMasterSwitch(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	h := commandHook(p.root, "guard", "true")
	if p.store().IsOff() {
		t.Error("off without a file")
	}
	if err := SetOff(p.dir, false); err != nil {
		t.Fatal(err)
	}
	if _, err := p.dir.Read(bookName, bookLimit); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what was on is written: %v", err)
	}
	p.approve(h)
	for _, off := range []bool{true, true, false, true} {
		if err := SetOff(p.dir, off); err != nil {
			t.Fatal(err)
		}
		if got := p.store().IsOff(); got != off {
			t.Errorf("got %v, want %v", got, off)
		}
		p.checkStates([]checkrein.Hook{h}, Approved)
	}
	p.approve(commandHook(p.root, "second", "true"))
	if !p.store().IsOff() {
		t.Error("an approval turned hooks on")
	}
	if err := SetOff(state.Dir{}, true); !errors.Is(err, state.ErrNoState) {
		t.Errorf("without a state directory: %v", err)
	}
	if s, err := Load(state.Dir{}); err != nil || s.IsOff() {
		t.Errorf("without a state directory: %v", err)
	}
}

func TestRecord(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.write("guard.sh", "exit 0\n")
	if err := os.Chtimes(p.path("guard.sh"), noon(), noon()); err != nil {
		t.Fatal(err)
	}
	h := commandHook(p.root, "guard", "sh <guard.sh >/dev/null && echo \"<&>\u2028\"")
	got := p.approve(h)[0]
	want := Approval{
		File: h.From.File, Event: "pre_tool_use", Key: "guard", ID: "guard", Gate: true,
		Runs: `sh <guard.sh >/dev/null && echo "<&>\u2028"`, Digest: DefinitionHex(&h), At: noon(),
		Plan: planVersion, Parts: []FileDigest{{
			Path: p.path("guard.sh"), Size: 7, MTime: noon(),
			SHA256: fmt.Sprintf("%x", sha256.Sum256([]byte("exit 0\n"))),
		}},
	}
	list, err := List(p.dir)
	if err != nil || len(list) != 1 {
		t.Fatalf("got %v, %v", list, err)
	}
	for what, a := range map[string]Approval{"returned": got, "read back": list[0]} {
		if a.bindingKey() != want.bindingKey() || a.Key != want.Key || a.ID != want.ID || a.Runs != want.Runs || a.Gate != want.Gate ||
			!a.At.Equal(want.At) || !slices.EqualFunc(a.Parts, want.Parts, sameSum) || a.Plan != want.Plan {
			t.Errorf("%s: got %+v, want %+v", what, a, want)
		}
	}
}

func sameSum(a, b FileDigest) bool {
	return a.Path == b.Path && a.SHA256 == b.SHA256 && a.Size == b.Size && a.MTime.Equal(b.MTime)
}

// A file may have a modification time that JSON cannot represent.
func TestAbsurdTime(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.write("guard.sh", "exit 0\n")
	far := time.Date(12000, 1, 1, 0, 0, 0, 0, time.UTC)
	if err := os.Chtimes(p.path("guard.sh"), far, far); err != nil {
		t.Skip("the file system has no such time:", err)
	}
	h := commandHook(p.root, "guard", "./guard.sh")
	p.approve(h)
	p.checkStates([]checkrein.Hook{h}, Approved)
}

func TestConcurrentChecks(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.write("guard.sh", "exit 0\n")
	h := commandHook(p.root, "guard", "./guard.sh")
	p.approve(h)
	s := p.store(h)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 100 {
				if got, why, _ := s.Check(&h); got != Approved {
					t.Errorf("got %d %q", got, why)
				}
			}
		})
	}
	group.Wait()
}

// A directory that is an ordinary argument is not a script.
func TestDirectories(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.write("hooks/__main__.py", "pass")
	p.write("check.py", "pass")
	for _, command := range []string{
		"ls hooks", "python3 check.py hooks", "python3 -u check.py hooks", "bash -c 'ls \"$1\"' x hooks",
		"cat check.py | bash -s hooks", "timeout 5 ls hooks",
		"perl -ne 'print' hooks", "go -C hooks vet ./...", "cd hooks && ls",
	} {
		h := commandHook(p.root, "x", command)
		if _, err := Approve(newDir(t), placeAt(p.root), noon(), []checkrein.Hook{h}, nil); err != nil {
			t.Errorf("%s: %v", command, err)
		}
	}
}

// A file that one of these programs prints into a shell is covered, since its contents run.
func TestAnyNamedFile(t *testing.T) {
	t.Parallel()
	for _, command := range []string{
		"cat hooks/policy | sh", `sh -c "$(cat hooks/policy)"`, "flock d sh hooks/policy",
		"awk -f hooks/policy", "sed -f hooks/policy", "tail -n +1 hooks/policy | bash",
	} {
		p := newProject(t)
		writeFile(t, p.path("hooks/policy"), "exit 0\n", 0o644)
		h := commandHook(p.root, "guard", command)
		p.approve(h)
		p.checkStates([]checkrein.Hook{h}, Approved)
		writeFile(t, p.path("hooks/policy"), "exit 2\n", 0o644)
		if got, why, _ := p.store(h).Check(&h); got != Changed || why.What != "hooks/policy changed" {
			t.Errorf("%s: got %d %q", command, got, why)
		}
	}
}

func TestRemedy(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"guard":      "checkrein hooks approve guard",
		"a b":        "checkrein hooks approve 'a b'",
		"--all":      "checkrein hooks approve -- '--all'",
		"-c":         "checkrein hooks approve -- '-c'",
		"":           "checkrein hooks approve ''",
		"a\nb\x1b[m": `checkrein hooks approve 'a\nb\x1b[m'`,
	} {
		if got := RemedyCommand("approve", id); got != want {
			t.Errorf("%q: got %s, want %s", id, got, want)
		}
	}
}

// A project keeps its approvals through whichever symlink it is reached.
func TestLinkedProject(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.write("p/guard.sh", "exit 0\n")
	p.write("p/checkrein.yaml", "version: 1\n")
	if err := os.Symlink(p.path("p"), p.path("link")); err != nil {
		t.Skip("no symbolic links:", err)
	}
	straight, linked := *p, *p
	straight.root, linked.root = p.path("p"), p.path("link")
	for _, test := range []struct {
		name     string
		approved project
		used     project
	}{{"approved through the link", linked, straight}, {"used through the link", straight, linked}} {
		test.approved.dir = newDir(t)
		test.used.dir = test.approved.dir
		command := "$CLAUDE_PROJECT_DIR/guard.sh && sh ./guard.sh"
		a, b := commandHook(test.approved.root, "guard", command), commandHook(test.used.root, "guard", command)
		list := test.approved.approve(a)
		if list[0].File != p.path("p/checkrein.yaml") || list[0].Root != p.path("p") || list[0].Parts[0].Path != p.path("p/guard.sh") {
			t.Errorf("%s: stored %+v", test.name, list[0])
		}
		test.used.checkStates([]checkrein.Hook{b}, Approved)
		for _, file := range []string{a.From.File, b.From.File} {
			if held, _ := test.used.store().ApprovalsOfUnreadable([]UnreadableFile{{Path: file}}, nil); len(held) != 1 {
				t.Errorf("%s: %s holds %v", test.name, file, held)
			}
		}
		if got := test.used.vanished(nil); len(got) != 1 {
			t.Errorf("%s: vanished: %q", test.name, got)
		}
		if got := test.used.vanished([]checkrein.Hook{b}, a.From.File); len(got) != 0 {
			t.Errorf("%s: vanished: %q", test.name, got)
		}
		s, err := Load(test.used.dir) // without a root
		if err != nil {
			t.Fatal(err)
		}
		s.Bind([]checkrein.Hook{b})
		if got, why, _ := s.Check(&b); got != Approved {
			t.Errorf("%s, without a root: %s", test.name, why)
		}
		b.Match = "shell"
		test.used.checkStates([]checkrein.Hook{b}, Changed)
		if fresh := test.used.approve(b); len(fresh) != 1 {
			t.Errorf("%s: %v", test.name, fresh)
		}
		if all, err := List(test.used.dir); len(all) != 1 || err != nil {
			t.Errorf("%s: the approval was not replaced: %v, %v", test.name, all, err)
		}
	}
}

// A repository cannot use another one's approvals through a symlink.
func TestLinkToAnotherProject(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.write("mine/checkrein.yaml", "version: 1\n")
	for _, name := range []string{"mine", "evil"} {
		p.write(name+"/lint", "")
	}
	mine, evil := *p, *p
	mine.root, evil.root = p.path("mine"), p.path("evil")
	if err := os.Symlink("../mine/checkrein.yaml", p.path("evil/checkrein.yaml")); err != nil {
		t.Skip("no symbolic links:", err)
	}
	mine.approve(commandHook(mine.root, "lint", "./lint"))
	evil.checkStates([]checkrein.Hook{commandHook(evil.root, "lint", "./lint")}, Unapproved)
}

func TestRealPath(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.write("a/f", "")
	if err := os.Symlink("a", p.path("b")); err != nil {
		t.Skip("no symbolic links:", err)
	}
	for path, want := range map[string]string{
		p.path("b/f"): p.path("a/f"), p.path("b/gone/x"): p.path("a/gone/x"), p.path("gone"): p.path("gone"), "/": "/", "gone": "gone",
	} {
		if got := RealPath(path); got != filepath.Clean(filepath.FromSlash(want)) && path != "/" {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}

// The scripts of a HOOK.md folder are covered, and the folder may be reached through a symlink.
func TestFolder(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.write("p/.agents/hooks/x/scripts/run.sh", "exit 0\n")
	hook := func(root string) checkrein.Hook {
		dir := filepath.Join(root, ".agents", "hooks", "x")
		h := commandHook(root, "x", "")
		with, err := json.Marshal(map[string]string{"hook_folder": dir})
		if err != nil {
			t.Fatal(err)
		}
		h.With, h.From.File = with, filepath.Join(dir, "HOOK.md")
		return h
	}
	straight, linked := *p, *p
	straight.root, linked.root = p.path("p"), p.path("link")
	h := hook(straight.root)
	straight.approve(h)
	straight.checkStates([]checkrein.Hook{h}, Approved)
	if err := os.Symlink(p.path("p"), p.path("link")); err == nil {
		linked.checkStates([]checkrein.Hook{hook(linked.root)}, Approved)
	}
	p.write("p/.agents/hooks/x/scripts/run", "#!/bin/sh\nexit 0\n") // goes first
	straight.checkStates([]checkrein.Hook{h}, Changed)
}

// The whole file of a task runner is covered, and so is what the target runs.
func TestParts(t *testing.T) {
	t.Parallel()
	const makefile = "FLAGS = -q\nlint: lib\n\t./lint.sh $(FLAGS)\nlib:\n\ttrue\nother:\n\t./other.sh\n"
	for _, test := range []struct {
		name, file, text string
		want             State
		why              string
	}{
		{"nothing", "Makefile", makefile, Approved, ""},
		{"another target", "Makefile", strings.Replace(makefile, "./other.sh", "false", 1), Changed, "Makefile changed"},
		{"a comment", "Makefile", makefile + "# more\n", Changed, "Makefile changed"},
		{"the recipe", "Makefile", strings.Replace(makefile, "\t./lint.sh", "\ttrue; ./lint.sh", 1), Changed, "Makefile changed"},
		{"a prerequisite", "Makefile", strings.Replace(makefile, "\ttrue", "\tfalse", 1), Changed, "Makefile changed"},
		{"a variable", "Makefile", strings.Replace(makefile, "-q", "-v", 1), Changed, "Makefile changed"},
		{"what it runs", "lint.sh", "exit 1\n", Changed, "lint.sh changed"},
		{"what another target runs", "other.sh", "exit 1\n", Approved, ""},
		{"what is only read", "notes.txt", "more\n", Approved, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t)
			p.write("Makefile", makefile)
			p.write("lint.sh", "exit 0\n")
			p.write("other.sh", "exit 0\n")
			p.write("notes.txt", "secret\n")
			h := commandHook(p.root, "lint", "grep -q FREEZE notes.txt || make lint")
			list := p.approve(h)
			for _, f := range list[0].Parts {
				if strings.HasSuffix(f.Path, "notes.txt") {
					t.Error("what is only read is covered")
				}
			}
			for _, digest := range p.keptContents() {
				if text, _ := readContent(p.dir, digest); strings.Contains(string(text), "secret") {
					t.Errorf("kept: %q", text)
				}
			}
			p.write(test.file, test.text)
			if got, why, _ := p.store(h).Check(&h); got != test.want || why.What != test.why {
				t.Errorf("got %d %q, want %d %q", got, why, test.want, test.why)
			}
		})
	}
}

// The file with the scripted answers of a hook's model is covered.
func TestScriptOfAModel(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	h := commandHook(p.root, "judge", "")
	h.Run, h.With = "model", json.RawMessage(`{"model":"scripted/judges/j.json","prompt":"?"}`)
	const denies, allows = `{"steps":[{"text":"deny"}]}`, `{"steps":[{"text":"allow"}]}`
	p.write("judges/j.json", denies)
	p.approve(h)
	p.checkStates([]checkrein.Hook{h}, Approved)
	p.write("judges/j.json", allows)
	p.checkStates([]checkrein.Hook{h}, Changed)
	p.write("judges/j.json", denies)
	p.checkStates([]checkrein.Hook{h}, Approved)
	if err := os.Remove(p.path("judges/j.json")); err != nil {
		t.Fatal(err)
	}
	p.checkStates([]checkrein.Hook{h}, Changed)
	p.write("other.json", allows)
	if err := os.Symlink("../other.json", p.path("judges/j.json")); err != nil {
		t.Skip(err)
	}
	p.checkStates([]checkrein.Hook{h}, Changed)

	for _, ref := range []string{"scripted/demo", "openai/gpt-4o-mini"} {
		h.With = json.RawMessage(`{"model":"` + ref + `","prompt":"?"}`)
		p.approve(h)
		p.checkStates([]checkrein.Hook{h}, Approved)
	}
}
