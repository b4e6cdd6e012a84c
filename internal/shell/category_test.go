package shell

import (
	"regexp"
	"testing"
)

// TestEveryCategoryHasARow holds what each row must say, and that names tell
// categories apart.
func TestEveryCategoryHasARow(t *testing.T) {
	name := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	seen := map[string]bool{}
	Categories(func(c Category, r *Row) {
		if !name.MatchString(r.Name) || r.Doc == "" || r.Pack == NoPack || r.Own != "" {
			t.Errorf("category %d: %+v is not complete", c, *r)
		}
		if seen[r.Name] {
			t.Errorf("%s: twice", r.Name)
		}
		seen[r.Name] = true
		if got, ok := CategoryNamed(r.Name); !ok || got != c {
			t.Errorf("%s is found as %v", r.Name, got)
		}
		if r.Policy == Pass && r.Label == Exfiltration {
			t.Errorf("%s: what leaves the machine never passes by itself", r.Name)
		}
	})
	if len(seen) < 100 {
		t.Errorf("%d categories", len(seen))
	}
}

// TestEveryPackGuardsSomething holds the two that do not against the rest.
func TestEveryPackGuardsSomething(t *testing.T) {
	for p := NoPack + 1; int(p) < len(packRows); p++ {
		if p.String() == "" || p.About() == "" || len(p.About()) > 52 {
			t.Errorf("pack %d has no name, or says nothing or too much about itself", p)
		}
		if free := p == PackDev || p == PackReads; p.Guards() == free {
			t.Errorf("%s guards: %v", p, p.Guards())
		}
		if _, ok := PackNamed(p.String()); ok != p.Guards() {
			t.Errorf("%s can be switched: %v", p, ok)
		}
	}
}
