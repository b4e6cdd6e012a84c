package approval

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
)

// keptContents returns the digests of the approved contents that are stored.
func (p *project) keptContents() []string {
	p.t.Helper()
	names, err := p.dir.Names(contentFolder)
	if err != nil && !os.IsNotExist(err) {
		p.t.Fatal(err)
	}
	slices.Sort(names)
	return names
}

func (p *project) review(hooks ...checkrein.Hook) *Review {
	p.t.Helper()
	r, err := NewReview(p.dir, placeAt(p.root), noon(), hooks, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	return r
}

// A review shows what was approved and what exists now, byte for byte.
func TestReview(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.write("guard.sh", "old\n")
	p.write("gone.sh", "gone\n")
	before := commandHook(p.root, "guard", "./guard.sh && ./gone.sh")

	first := p.review(before)
	if it := first.Items[0]; it.Old != nil || string(it.Definition.New) != DefinitionText(&before) || len(it.Files) != 2 || string(it.Files[0].New) != "old\n" {
		t.Errorf("the first review is %+v", it)
	}
	if _, err := first.Approve(nil); err != nil {
		t.Fatal(err)
	}
	p.write("guard.sh", "new\n")
	p.write("more.sh", "more\n")
	after := commandHook(p.root, "guard", "./guard.sh && ./more.sh")
	it := p.review(after).Items[0]
	if it.Old == nil || string(it.Definition.Old) != DefinitionText(&before) || string(it.Definition.New) != DefinitionText(&after) || !it.Definition.OldKept {
		t.Errorf("definitions: %+v", it.Definition)
	}
	var got []string
	for _, f := range it.Files {
		got = append(got, strings.TrimPrefix(f.Path, p.root)+" "+strings.TrimSpace(string(f.Old))+">"+strings.TrimSpace(string(f.New)))
	}
	if want := []string{"/guard.sh old>new", "/more.sh >more", "/gone.sh gone>"}; !slices.Equal(got, want) {
		t.Errorf("files %q, want %q", got, want)
	}
}

// Approve approves what the review shows. A file that changes after the review counts as changed.
func TestReviewApprovesWhatItShows(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.write("guard.sh", "shown\n")
	h := commandHook(p.root, "guard", "./guard.sh")
	r := p.review(h)
	p.write("guard.sh", "swapped\n")
	if _, err := r.Approve(nil); err != nil {
		t.Fatal(err)
	}
	p.checkStates([]checkrein.Hook{h}, Changed)
	p.write("guard.sh", "shown\n")
	p.checkStates([]checkrein.Hook{h}, Approved)
}

// Approve fails if the approval that the review compared with is no longer the last one.
func TestReviewIsOutdated(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.write("guard.sh", "one\n")
	h := commandHook(p.root, "guard", "./guard.sh")
	r := p.review(h)
	p.approve(h)
	if _, err := r.Approve(nil); !errors.Is(err, errApprovalsChanged) {
		t.Errorf("approved meanwhile: %v", err)
	}
	r = p.review(h)
	if _, err := Revoke(p.dir, func(Approval) bool { return true }); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Approve(nil); !errors.Is(err, errApprovalsChanged) {
		t.Errorf("revoked meanwhile: %v", err)
	}
	p.checkStates([]checkrein.Hook{h}, Unapproved)
}

// Contents stay as long as an approval names them, and are ignored if they were changed.
func TestContentIsKept(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.write("guard.sh", "one\n")
	p.write("large.sh", strings.Repeat("x", maxKept+1))
	a, b := commandHook(p.root, "a", "./guard.sh"), commandHook(p.root, "b", "./guard.sh; ./large.sh")
	list := p.approve(a, b)
	script := list[0].Parts[0].SHA256
	if want := []string{script, list[0].Text, list[1].Text}; !slices.Equal(p.keptContents(), sorted(want)) {
		t.Errorf("kept %q, want %q", p.keptContents(), sorted(want))
	}
	if it := p.review(a, b).Items[1]; it.Files[1].OldKept || it.Files[1].NewKept || !it.Files[0].OldKept {
		t.Errorf("of a large file more is known than its digest: %+v", it.Files)
	}
	if _, err := Revoke(p.dir, func(x Approval) bool { return x.ID == "a" }); err != nil {
		t.Fatal(err)
	}
	if want := []string{script, list[1].Text}; !slices.Equal(p.keptContents(), sorted(want)) {
		t.Errorf("kept %q after one was revoked, want %q", p.keptContents(), sorted(want))
	}
	if err := p.dir.Write(contentFolder+"/"+script, []byte("forged\n")); err != nil {
		t.Fatal(err)
	}
	if it := p.review(a, b).Items[1]; it.Files[0].OldKept {
		t.Errorf("forged content counts: %q", it.Files[0].Old)
	}
	if _, err := Revoke(p.dir, func(Approval) bool { return true }); err != nil {
		t.Fatal(err)
	}
	if got := p.keptContents(); len(got) != 0 {
		t.Errorf("kept %q of nothing", got)
	}
}

func sorted(list []string) []string {
	slices.Sort(list)
	return list
}

func TestDrift(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.write("guard.sh", "one\n")
	h := commandHook(p.root, "guard", "./guard.sh")
	if _, _, ok := p.store(h).DriftOf(&h); ok {
		t.Error("what nobody approved has drifted")
	}
	p.approve(h)
	if a, d, ok := p.store(h).DriftOf(&h); !ok || len(d) != 0 || !a.At.Equal(noon()) {
		t.Errorf("approved as it is: %v, %v", a, d)
	}
	p.write("guard.sh", "two\n")
	edited := commandHook(p.root, "guard", "./guard.sh now")
	_, d, _ := p.store(edited).DriftOf(&edited)
	if len(d) != 2 || d[0].Path != "" || d[0].Why != "changed" || d[1].Name != "guard.sh" || d[1].Why != "changed" || d[1].Now.IsZero() || d[1].Then.IsZero() {
		t.Errorf("drifted: %+v", d)
	}
}
