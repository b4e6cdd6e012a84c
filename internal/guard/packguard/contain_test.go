package packguard

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/builtin"
	"github.com/checkrein/checkrein/internal/hook/setting"
)

// TestContain checks which commands run behind walls, with which network.
func TestContain(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.write("work/tool", "\x7fELF\n")
	b.write("work/docker", "\x7fELF\n")
	b.write("signed/main.go", "one\n")
	b.git(b.home, "init", "-q", "signed")
	b.git(b.home, "-C", "signed", "config", "commit.gpgsign", "true")
	const online, offline, bare = builtin.WallsOnline, builtin.WallsOffline, ""
	for _, tt := range []struct {
		command          string
		unknown, project string // with these settings
	}{
		{"./tool --x", bare, online},
		{"frobnicate x", online, online},
		{"eval \"$(head -c 20 data)\"", offline, offline},
		{"ls src", bare, offline},
		{"go test ./...", bare, online},
		{"git status", bare, offline},
		{"git commit -qm x", bare, offline},
		{"git commit -S -qm x", bare, bare},
		{"git push origin feature", bare, bare},
		{"git fetch origin", bare, bare},
		{"git config user.name x", bare, bare},
		{"docker build .", bare, bare},
		{"docker frobnicate .", bare, bare},
		{"docker build . && frobnicate", online, online},
		{"./docker build .", bare, online}, // only its name is that of a program outside
		{"ssh box ls", bare, bare},
		{"systemctl status nginx", bare, bare},
		{"npm install -g typescript", bare, bare},
		{"echo x > /srv/notes.txt", bare, bare},
		{"cd /srv/other && make", bare, bare},
		{"make -C /srv/other", bare, bare},
		{"git -C /srv/other commit -qm x", bare, bare},
		{"cd src && make", bare, online},
		{"echo 'print(1)' >tests/test_x.py && python3 -m unittest -q tests/test_x.py", online, online}, // runs what it wrote
		{"make && ls", bare, online},
		{"curl -s https://example.com/x.json", bare, online},
	} {
		for setting, want := range map[setting.Contain]string{setting.ContainUnknown: tt.unknown, setting.ContainProject: tt.project} {
			v := b.containedVerdict(tt.command, "work", setting, builtin.Contained, nil)
			if got := containment(&v); got != want || v.Decision != checkrein.NoOpinion {
				t.Errorf("%s with %s: %q, want %q: %+v", tt.command, setting, got, want, v)
			}
		}
	}
	v := b.containedVerdict("git commit -qm x", "signed", setting.ContainProject, builtin.Contained, nil)
	if got := containment(&v); got != bare {
		t.Errorf("a commit that is signed: %q", got)
	}
	if v := b.containedVerdict("./tool", "work", setting.ContainProject, builtin.Opened, nil); containment(&v) != bare || v.Decision != checkrein.NoOpinion {
		t.Errorf("opened: %+v", v)
	}
	if v := b.containedVerdict("./tool", "work", setting.ContainProject, builtin.NotContained, errors.New("no walls")); v.Decision != checkrein.Ask {
		t.Errorf("walls that cannot be built: %+v", v)
	}
	if v := b.containedVerdict("rm -rf ~; ./tool", "work", setting.ContainProject, builtin.Contained, nil); v.Decision != checkrein.Deny {
		t.Errorf("a denial beside it: %+v", v)
	}
}

// containedVerdict returns the verdict about command in the project, where walls answer can and err.
func (b *bench) containedVerdict(command, project string, which setting.Contain, can builtin.Containment, err error) checkrein.Verdict {
	b.t.Helper()
	input, _ := json.Marshal(map[string]string{"command": command})
	dir := b.home + "/" + project
	v, fault := b.packs(b.t.Context(), builtin.Call{
		Event: checkrein.Event{Kind: checkrein.PreToolUse, Session: checkrein.Session{Root: dir, Dir: dir}, Tool: &checkrein.Tool{Name: "Bash", Canonical: "shell", Input: input}},
		Dir:   dir, Machine: builtin.Machine{Home: b.home, Contain: which, Contains: func(context.Context, *checkrein.Event, []string) (builtin.Containment, error) {
			return can, err
		}},
	})
	if fault != nil {
		b.t.Fatal(fault)
	}
	return v
}

// containment returns the ID of the obligation to contain the command, or "".
func containment(v *checkrein.Verdict) string {
	i := slices.IndexFunc(v.Obligations, func(o checkrein.Obligation) bool { return o.Kind == "contain" })
	if i < 0 {
		return ""
	}
	return v.Obligations[i].ID
}
