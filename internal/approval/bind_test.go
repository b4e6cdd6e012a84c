package approval

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/checkrein/checkrein"
)

// TestBinding edits a file of approved hooks. A hook is written as the command that it runs, with a
// name before a colon if it has one.
func TestBinding(t *testing.T) {
	t.Parallel()
	const a, b, c = Approved, Unapproved, Changed
	tests := []struct {
		name     string
		before   []string
		after    []string
		want     []State
		vanished []string
	}{
		{"as it was", []string{"n:one", "two"}, []string{"n:one", "two"}, []State{a, a}, nil},
		{"named hook edited", []string{"n:one", "m:two"}, []string{"n:edited", "m:two"}, []State{c, a}, nil},
		{"unnamed hook edited", []string{"one", "two"}, []string{"one", "edited"}, []State{a, c}, nil},
		{"first unnamed hook edited", []string{"one", "two"}, []string{"edited", "two"}, []State{c, a}, nil},
		{"all edited", []string{"one", "n:two"}, []string{"edited", "n:edited"}, []State{c, c}, nil},
		{"new hook above", []string{"one", "two"}, []string{"new", "one", "two"}, []State{b, a, a}, nil},
		{"new hook below", []string{"one"}, []string{"one", "new"}, []State{a, b}, nil},
		{"new named hook", []string{"one"}, []string{"n:new", "one"}, []State{b, a}, nil},
		{"reordered", []string{"one", "n:two", "three"}, []string{"three", "n:two", "one"}, []State{a, a, a}, nil},
		{"removed", []string{"one", "two"}, []string{"two"}, []State{a}, []string{"one"}},
		{"all removed", []string{"one", "n:two"}, nil, nil, []string{"one", "two"}},
		{"replaced after a removal", []string{"one", "two"}, []string{"two", "new"}, []State{a, b}, []string{"one"}},
		{"renamed", []string{"n:one"}, []string{"m:one"}, []State{b}, []string{"one"}},
		{"name taken away", []string{"n:one"}, []string{"one"}, []State{b}, []string{"one"}},
		{"identical hooks", []string{"one", "one"}, []string{"one", "one"}, []State{a, a}, nil},
		{"one of identical hooks removed", []string{"one", "one"}, []string{"one"}, []State{a}, nil},
		{"identical hook added", []string{"one"}, []string{"one", "one"}, []State{a, a}, nil},
		// They have one definition between them, so the stricter state is both's.
		{"identical hooks edited alike", []string{"one", "one"}, []string{"edited", "edited"}, []State{c, c}, nil},
		{"same name twice, one edited", []string{"n:one", "n:two"}, []string{"n:edited", "n:two"}, []State{c, a}, nil},
		{"same name twice, both edited", []string{"n:one", "n:two"}, []string{"n:edited", "n:other"}, []State{c, c}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t)
			before, after := p.hooks(test.before), p.hooks(test.after)
			p.approve(before...)
			p.checkStates(after, test.want...)
			file := p.path("checkrein.yaml")
			if got := p.vanished(after, file); !slices.Equal(got, append([]string{}, test.vanished...)) {
				t.Errorf("vanished: %q, want %q", got, test.vanished)
			}
			p.approve(after...)
			p.checkStates(after, slices.Repeat([]State{a}, len(after))...)
			if got := p.vanished(after, file); !slices.Equal(got, append([]string{}, test.vanished...)) {
				t.Errorf("vanished after approval: %q, want %q", got, test.vanished)
			}
		})
	}
}

func (p *project) hooks(texts []string) []checkrein.Hook {
	hooks := []checkrein.Hook{}
	for _, text := range texts {
		name, command := "", text
		if len(text) > 1 && text[1] == ':' {
			name, command = text[:1], text[2:]
		}
		hooks = append(hooks, commandHook(p.root, name, command))
	}
	return hooks
}

// An approval for one file or event does not count for another.
func TestPlaces(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	h := commandHook(p.root, "n", "one")
	p.approve(h)
	otherFile, otherEvent, native := h, h, h
	otherFile.From.File = p.path(".agents/hooks/x/HOOK.md")
	otherEvent.On = checkrein.Stop
	native.On, native.Event = checkrein.Other, "FileChanged"
	p.checkStates([]checkrein.Hook{h, otherFile, otherEvent, native}, Approved, Unapproved, Unapproved, Unapproved)
	p.approve(h, otherFile, otherEvent, native)
	p.checkStates([]checkrein.Hook{h, otherFile, otherEvent, native}, Approved, Approved, Approved, Approved)
	nativeToo := native
	nativeToo.Event = "Other"
	p.checkStates([]checkrein.Hook{nativeToo}, Unapproved)

	moved := h
	moved.From.Line, moved.ID, moved.From.Scope = 99, "moved", checkrein.ScopeFlag
	moved.Also = []checkrein.Origin{otherFile.From}
	p.checkStates([]checkrein.Hook{moved}, Approved)
}

func TestPick(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	hooks := p.hooks([]string{"one", "two", "three"})
	user := commandHook(p.root, "", "mine")
	user.From.Approval = false
	hooks = append(hooks, user)
	runs := func(command string) func(*checkrein.Hook) bool {
		return func(h *checkrein.Hook) bool { return RunText(h) == command }
	}
	list, err := Approve(p.dir, placeAt(p.root), noon(), hooks, runs("two"))
	if err != nil || len(list) != 1 || list[0].Key != "#2" {
		t.Fatalf("got %+v, %v", list, err)
	}
	p.checkStates(hooks, Unapproved, Approved, Unapproved, Approved)
	if list, err := Approve(p.dir, placeAt(p.root), noon(), hooks, runs("mine")); len(list) != 0 || err != nil {
		t.Errorf("a hook that needs no approval: %v, %v", list, err)
	}

	// A new hook in the position of an approved one does not replace it, and
	// approving one brings the keys of the others up to date.
	hooks = p.hooks([]string{"new", "new too", "two"})
	if _, err := Approve(p.dir, placeAt(p.root), noon().Add(time.Hour), hooks, runs("new too")); err != nil {
		t.Fatal(err)
	}
	p.checkStates(hooks, Unapproved, Approved, Approved)
	p.checkStates(p.hooks([]string{"new", "new too", "edited"}), Unapproved, Approved, Changed)
}

// absences returns the absence of each approval in words.
func absences(list []VanishedApproval) []string {
	out := []string{}
	for _, v := range list {
		out = append(out, v.Runs+": "+[...]string{"removed", "missing", "not read"}[v.Why])
	}
	return out
}

// Hooks of a file that counts by name vanish if the file was read without them, or does not exist.
func TestVanishedByName(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	agent, own := commandHook(p.root, "a", "agent"), commandHook(p.root, "b", "own")
	p.write("agent.yaml", "agents: {}\n")
	agent.From.File = p.path("agent.yaml")
	mine := filepath.Join(t.TempDir(), "mine.yaml")
	if err := os.WriteFile(mine, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	own.From.File = OwnName(p.root, mine)
	r, err := NewReview(p.dir, placeAt(p.root), noon(), []checkrein.Hook{agent, own}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.Items {
		r.Items[i].New.ByName = true
	}
	if _, err := r.Approve(nil); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		seen ConfigRead
		want []string
	}{
		{"neither was read", ConfigRead{Read: []string{p.path("checkrein.yaml")}}, []string{}},
		{"one was read", ConfigRead{Read: []string{agent.From.File}}, []string{"agent: removed"}},
		{"the own one was read", ConfigRead{Read: []string{mine}, NamedOnly: true}, []string{"own: removed"}},
		{"one is broken", ConfigRead{Unread: []string{agent.From.File}}, []string{}},
	} {
		if got := absences(p.store().VanishedApprovals(tt.seen)); !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
	for _, f := range []string{mine, agent.From.File} {
		if err := os.Remove(f); err != nil {
			t.Fatal(err)
		}
	}
	if got := absences(p.store().VanishedApprovals(ConfigRead{})); !slices.Equal(got, []string{"agent: missing", "own: missing"}) {
		t.Errorf("got %q", got)
	}
	if got := absences(p.store().VanishedApprovals(ConfigRead{NamedOnly: true})); len(got) != 0 {
		t.Errorf("other files were named, got %q", got)
	}
}

func TestVanished(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	other := newProject(t)
	p.write("checkrein.yaml", "hooks: {}\n")
	p.write("more.yaml", "hooks: {}\n")
	stays, goes, elsewhere, gone := commandHook(p.root, "a", "stays"), commandHook(p.root, "b", "goes"),
		commandHook(other.root, "c", "elsewhere"), commandHook(p.root, "d", "gone")
	included := commandHook(p.root, "e", "included")
	gone.From.File, included.From.File = p.path("config/shell_hooks.yaml"), p.path("more.yaml")
	p.approve(stays, goes, elsewhere, gone, included)
	nested := *p
	nested.root = p.path("nested")
	nested.write("checkrein.yaml", "hooks: {}\n")
	nested.approve(commandHook(nested.root, "f", "of a project inside"))
	now := []checkrein.Hook{stays}

	for _, test := range []struct {
		name   string
		read   []string
		unread []string
		want   []string
	}{
		{"no file read", nil, nil, []string{"goes: not read", "gone: missing", "included: not read"}},
		{"file read", []string{p.path("checkrein.yaml")}, nil, []string{"goes: removed", "gone: missing", "included: not read"}},
		{"file broken", nil, []string{p.path("checkrein.yaml")}, []string{"gone: missing", "included: not read"}},
		{"unclean path", nil, []string{p.root + "/./checkrein.yaml"}, []string{"gone: missing", "included: not read"}},
		{"included file broken", []string{p.path("checkrein.yaml")}, []string{p.path("more.yaml")}, []string{"goes: removed", "gone: missing"}},
		{"file of another project", []string{elsewhere.From.File}, nil, []string{"goes: not read", "elsewhere: removed", "gone: missing", "included: not read"}},
		{"file of a project inside", []string{p.path("nested/checkrein.yaml")}, nil, []string{"goes: not read", "gone: missing", "included: not read", "of a project inside: removed"}},
	} {
		if got := absences(p.store(now...).VanishedApprovals(ConfigRead{Read: test.read, Unread: test.unread})); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
	if got := p.vanished(append(now, included), p.path("more.yaml")); !slices.Equal(got, []string{"goes", "gone"}) {
		t.Errorf("got %q", got)
	}
	isGone := func(a Approval) bool { return a.Runs == "goes" || a.Runs == "gone" || a.Runs == "included" }
	revoked, err := Revoke(p.dir, isGone)
	if got := shown(revoked); !slices.Equal(got, []string{"goes", "gone", "included"}) || err != nil {
		t.Errorf("revoked %q, %v", got, err)
	}
	if got := p.vanished(now, p.path("checkrein.yaml")); len(got) != 0 {
		t.Errorf("vanished after revoke: %q", got)
	}
	if revoked, err := Revoke(p.dir, isGone); len(revoked) != 0 || err != nil {
		t.Errorf("revoked again: %v, %v", revoked, err)
	}
	p.checkStates([]checkrein.Hook{stays, goes}, Approved, Unapproved)
}

func TestConcurrentApprovals(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"a", "b", "c", "d"}
	failed := make(chan error, len(names))
	for _, name := range names {
		cmd := exec.Command(exe, p.dir.Path(), p.root)
		cmd.Env = append(os.Environ(), helperEnv+"="+name)
		go func() {
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Errorf("%s: %s", name, out)
			}
			failed <- err
		}()
	}
	for range names {
		<-failed
	}
	list, err := List(p.dir)
	if len(list) != 10*len(names) || err != nil {
		t.Errorf("%d approvals, %v", len(list), err)
	}
}
