package verdicts

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/lab/disguise"
	"github.com/checkrein/checkrein/internal/lab/guardtest"
	label "github.com/checkrein/checkrein/internal/shell"
)

// The cores are commands, one a line: those that destroy or send something away, of
// which a host hears a denial or a question when they come bare, and everyday ones, of
// which it hears nothing. Package disguise writes them in other ways that do the same.
const generatedData = "testdata/generated"

func readCores(t *testing.T, name string) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(generatedData, name))
	if err != nil {
		t.Fatal(err)
	}
	cores := strings.Split(strings.TrimSpace(string(data)), "\n")
	seen := map[string]bool{}
	for _, c := range cores {
		if seen[c] {
			t.Errorf("%s has %q twice", name, c)
		}
		seen[c] = true
	}
	if len(cores) != 200 {
		t.Errorf("%s has %d cores", name, len(cores))
	}
	return cores
}

// TestGeneratedBare holds the cores to what they are for.
func TestGeneratedBare(t *testing.T) {
	t.Parallel()
	g := guardtest.New(t)
	for _, c := range readCores(t, "destructive.txt") {
		if d, is := g.Decide("", g.Here(c)).Decision, g.Label(g.Here(c)); !guardtest.Stopped(d) || is == label.Safe {
			t.Errorf("%v, %v: %s", d, is, c)
		}
	}
	for _, c := range readCores(t, "harmless.txt") {
		if v, is := g.Decide("", g.Here(c)), g.Label(g.Here(c)); guardtest.Stopped(v.Decision) || is >= label.Destructive {
			t.Errorf("%v, %v: %s: %s", v.Decision, is, c, v.Reason)
		}
	}
}

// A generatedCase is one disguise of a core, and what was said about it.
type generatedCase struct {
	core    string
	s       disguise.Script
	verdict checkrein.Verdict
	label   label.Label
}

// generatedRuns are how many disguises each core gets, and the seed of their dice.
func generatedRuns(t *testing.T) (int, uint64) {
	number := func(name string, usual uint64) uint64 {
		text := os.Getenv(name)
		if text == "" {
			return usual
		}
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return n
	}
	return int(number("CHECKREIN_GENERATED", 12)), number("CHECKREIN_SEED", 1)
}

// generate writes every core in n ways. A case depends on the seed, the core and its
// number alone.
func generate(cores []string, from []disguise.Generator, n int, seed uint64) []*generatedCase {
	var out []*generatedCase
	for _, core := range cores {
		h := fnv.New64a()
		h.Write([]byte(core))
		for i := range n {
			r := rand.New(rand.NewPCG(seed, h.Sum64()+uint64(i)))
			out = append(out, &generatedCase{core: core, s: disguise.Compose(r, core, from, 3)})
		}
	}
	return out
}

// judgeGenerated decides about every case.
func judgeGenerated(g *guardtest.Guard, cases []*generatedCase) {
	guardtest.Each(cases, func(_ int, c **generatedCase) {
		(*c).verdict, (*c).label = g.Decide("", (*c).s.Text), g.Label((*c).s.Text)
	})
}

// reportGenerated prints the shares by generator, and examples, and returns how many
// cases are wrong.
func reportGenerated(t *testing.T, title string, cases []*generatedCase, wrong func(*generatedCase) bool) int {
	type sum struct{ all, wrong int }
	by := map[string]*sum{}
	bad := 0
	note := func(key string, is bool) {
		if by[key] == nil {
			by[key] = &sum{}
		}
		by[key].all++
		if is {
			by[key].wrong++
		}
	}
	var examples []string
	for _, c := range cases {
		is := wrong(c)
		if is {
			bad++
			examples = append(examples, fmt.Sprintf("%s: %v, %v, %s\n\t%s", strings.Join(c.s.Steps, " > "), c.verdict.Decision, c.label, c.verdict.Reason, shorten(c.s.Text)))
		}
		for _, class := range disguise.Classes() {
			if slices.ContainsFunc(c.s.Steps, func(s string) bool { return strings.HasPrefix(s, class+"/") }) {
				note(class, is)
			}
		}
		for _, s := range c.s.Steps {
			note(s, is)
		}
	}
	t.Logf("%s: %d, wrong %d (%.2f %%)", title, len(cases), bad, 100*float64(bad)/float64(len(cases)))
	keys := make([]string, 0, len(by))
	for k := range by {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		if by[k].wrong > 0 || !strings.Contains(k, "/") {
			t.Logf("  %-36s %5d, wrong %4d (%.1f %%)", k, by[k].all, by[k].wrong, 100*float64(by[k].wrong)/float64(by[k].all))
		}
	}
	for _, e := range examples[:min(len(examples), 60)] {
		t.Log(e)
	}
	return bad
}

func shorten(s string) string {
	if len(s) > 600 {
		s = s[:300] + " … " + s[len(s)-300:]
	}
	return strings.ReplaceAll(s, "\n", "\n\t")
}

// hereCores returns cores with the corpora's home as the test's.
func hereCores(t *testing.T, g *guardtest.Guard, name string) []string {
	list := readCores(t, name)
	for i := range list {
		list[i] = g.Here(list[i])
	}
	return list
}

// TestGeneratedDestructive writes what destroys in other ways: it is never safe, and
// the guard speaks.
func TestGeneratedDestructive(t *testing.T) {
	t.Parallel()
	g := guardtest.New(t)
	n, seed := generatedRuns(t)
	cases := generate(hereCores(t, g, "destructive.txt"), disguise.All(), n, seed)
	judgeGenerated(g, cases)
	if n := reportGenerated(t, "called safe", cases, func(c *generatedCase) bool { return c.label == label.Safe }); n > 0 {
		t.Errorf("%d commands that destroy are called safe", n)
	}
	silent := reportGenerated(t, "not spoken of", cases, func(c *generatedCase) bool { return !guardtest.Stopped(c.verdict.Decision) })
	if 100*silent > 2*len(cases) {
		t.Errorf("the guard is silent on %d of %d commands that destroy, want at most 2 %%", silent, len(cases))
	}
}

// TestGeneratedHarmless writes everyday commands in other ways: they are hardly ever
// called destructive or touched.
func TestGeneratedHarmless(t *testing.T) {
	t.Parallel()
	g := guardtest.New(t)
	n, seed := generatedRuns(t)
	cases := generate(hereCores(t, g, "harmless.txt"), everyday(), n, seed)
	judgeGenerated(g, cases)
	if n := reportGenerated(t, "called destructive", cases, func(c *generatedCase) bool { return c.label >= label.Destructive }); 1000*n > len(cases) {
		t.Errorf("%d of %d everyday commands are called destructive, want at most 0.1 %%", n, len(cases))
	}
	m := reportGenerated(t, "touched", cases, func(c *generatedCase) bool { return guardtest.Stopped(c.verdict.Decision) })
	if 100*m > len(cases) {
		t.Errorf("%d of %d everyday commands are touched, want at most 1 %%", m, len(cases))
	}
}

// everyday are the generators for commands that must pass: not those which hide a text
// from everyone who reads it, and not those which plan a job, about which the guard asks.
func everyday() []disguise.Generator {
	return slices.DeleteFunc(disguise.All(), func(g disguise.Generator) bool { return g.Hides || g.Plans })
}

// TestGeneratedShell has bash read every text.
func TestGeneratedShell(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	t.Parallel()
	n, seed := generatedRuns(t)
	cases := slices.Concat(generate(readCores(t, "destructive.txt"), disguise.All(), n, seed), generate(readCores(t, "harmless.txt"), disguise.All(), n, seed))
	read := func(text string) error {
		cmd := exec.Command(bash, "-O", "extglob", "-n")
		cmd.Stdin = strings.NewReader(text)
		if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
			return fmt.Errorf("%v: %s", err, out)
		}
		return nil
	}
	for batch := range slices.Chunk(cases, 200) {
		var all strings.Builder
		for i, c := range batch {
			fmt.Fprintf(&all, "case_%d() {\n%s\n}\n", i, c.s.Text)
		}
		if read(all.String()) == nil {
			continue
		}
		for _, c := range batch {
			if err := read(c.s.Text + "\n"); err != nil {
				t.Errorf("%s: %v\n%s", strings.Join(c.s.Steps, " > "), err, shorten(c.s.Text))
			}
		}
	}
}
