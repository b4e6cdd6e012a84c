package shell

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestEveryCategoryHasARow checks that the row of each category is complete and has a unique name.
func TestEveryCategoryHasARow(t *testing.T) {
	name := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	seen := map[string]bool{}
	EachCategory(func(c Category, r *Row) {
		if !name.MatchString(r.Name) || r.Doc == "" || r.Pack == NoPack || r.Own != "" {
			t.Errorf("category %d: %+v is not complete", c, *r)
		}
		if seen[r.Name] {
			t.Errorf("%s: is listed twice", r.Name)
		}
		seen[r.Name] = true
		if got, ok := CategoryNamed(r.Name); !ok || got != c {
			t.Errorf("%s is found as %v", r.Name, got)
		}
		if r.Policy == Pass && r.Label == Exfiltration {
			t.Errorf("%s: exfiltration must not pass", r.Name)
		}
	})
	if len(seen) < 100 {
		t.Errorf("%d categories", len(seen))
	}
}

// TestEveryPackGuardsSomething checks that all packs but two guard a category, and can be turned on
// and off.
func TestEveryPackGuardsSomething(t *testing.T) {
	for p := NoPack + 1; int(p) < len(packRows); p++ {
		if p.String() == "" || p.About() == "" || len(p.About()) > 52 {
			t.Errorf("pack %d has no name, or its description is empty or too long", p)
		}
		if free := p == PackDev || p == PackReads; p.Guards() == free {
			t.Errorf("%s guards: %v", p, p.Guards())
		}
		if _, ok := PackNamed(p.String()); ok != p.Guards() {
			t.Errorf("%s can be turned on and off: %v", p, ok)
		}
	}
}

// TestReadOnlyCategories checks which categories only read: those with names that end in -read and
// those of the reads pack, but none that is guarded.
func TestReadOnlyCategories(t *testing.T) {
	EachCategory(func(_ Category, r *Row) {
		named := strings.HasSuffix(r.Name, "-read") || r.Pack == PackReads || r.Name == "secret-list"
		if want := named && r.Label == Safe; r.Reads != want {
			t.Errorf("%s reads: %v, want %v", r.Name, r.Reads, want)
		}
		if r.Reads && r.isGuarded() {
			t.Errorf("%s only reads, but is guarded", r.Name)
		}
	})
	read := Effect{Kind: "read", Category: FSRead}
	for name, e := range map[string]Effect{
		"another label":  {Kind: "read", Category: FSRead, Label: Unknown},
		"another kind":   {Kind: "download", Category: NetRead},
		"another row":    {Kind: "read", Category: Edit},
		"not known":      {Kind: "read", Category: FSRead, Uncertain: true},
		"somewhere else": {Kind: "read", Category: FSRead, Foreign: true},
	} {
		if r := NewReport([]Effect{read, e}, 0); e.IsReadOnly() || r.OnlyReads() || r.FirstAction() == nil {
			t.Errorf("%s counts as a read", name)
		}
	}
	if r := NewReport([]Effect{read}, 0); !r.OnlyReads() {
		t.Error("a report with a single read does not count as read-only")
	}
	var gaps Gaps
	gaps.Add(GapUnread)
	if r := NewReport([]Effect{read}, gaps); r.OnlyReads() {
		t.Error("a report with a gap counts as read-only")
	}
	if r := NewReport(slices.Repeat([]Effect{read}, MaxEffects), 0); r.OnlyReads() {
		t.Error("a report with the maximum number of effects counts as read-only")
	}
}
