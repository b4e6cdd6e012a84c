package main

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/lab/disguise"
	"github.com/checkrein/checkrein/internal/lab/sampled"
	label "github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/classify"
	"github.com/checkrein/checkrein/internal/shell/gitconfig"
)

// The cores are commands, one a line: those that destroy or send something away, of
// which a host hears a denial or a question when they come bare, and everyday ones, of
// which it hears nothing. Package disguise writes them in other ways that do the same.
const generatedData = "testdata/generated"

// A generatedPlace judges commands in this process, as 'checkrein hook' does in one of
// its own, on a machine where nothing is configured.
type generatedPlace struct {
	verdictPlace
	kit   *app.Kit
	place label.Place
}

func newGeneratedPlace(t *testing.T) generatedPlace {
	t.Helper()
	p := newVerdictPlace(t)
	k, err := app.Open(app.Options{Dir: p.project, State: filepath.Join(p.home, "state"), Managed: app.NoManaged, Environ: p.env(), Peek: true})
	if err != nil {
		t.Fatal(err)
	}
	repo := func(dir string) *label.Repo { return gitconfig.Read(dir, p.home, p.env()) }
	return generatedPlace{p, k, label.Place{Dir: p.project, Root: p.project, Home: p.home, Repo: repo, Kind: kindOnDisk}}
}

// kindOnDisk says what lies at a path, as the guard does.
func kindOnDisk(path string) label.PathKind {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return label.NoPath
	case info.IsDir():
		return label.PathDir
	}
	return label.PathFile
}

// judge returns what a host hears of a command, and the command's label.
func (p *generatedPlace) judge(t *testing.T, command string) (checkrein.Decision, string, label.Label) {
	input, err := json.Marshal(map[string]any{"command": command})
	if err != nil {
		t.Fatal(err)
	}
	ev := checkrein.Event{Kind: checkrein.PreToolUse, Host: "claude", Session: checkrein.Session{Dir: p.project, Root: p.project}, Tool: &checkrein.Tool{Name: "Bash", Input: input}}
	v := p.kit.Decide(t.Context(), ev).Verdict
	return v.Decision, v.Reason, classify.Command(command, p.place).Label
}

func speaks(d checkrein.Decision) bool { return d == checkrein.Ask || d == checkrein.Deny }

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
	p := newGeneratedPlace(t)
	for _, c := range readCores(t, "destructive.txt") {
		if d, _, is := p.judge(t, p.here(c)); !speaks(d) || is == label.Safe {
			t.Errorf("%v, %v: %s", d, is, c)
		}
	}
	for _, c := range readCores(t, "harmless.txt") {
		if d, why, is := p.judge(t, p.here(c)); speaks(d) || is >= label.Destructive {
			t.Errorf("%v, %v: %s: %s", d, is, c, why)
		}
	}
}

// A generatedCase is one disguise of a core, and what was said about it.
type generatedCase struct {
	core  string
	s     disguise.Script
	heard checkrein.Decision
	why   string
	label label.Label
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
	return int(number("CHECKREIN_GENERATED", uint64(sampled.Count(12, 2)))), number("CHECKREIN_SEED", 1)
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

// judgeGenerated asks about every case.
func judgeGenerated(t *testing.T, p *generatedPlace, cases []*generatedCase) {
	var wg sync.WaitGroup
	work := make(chan *generatedCase)
	for range 4 {
		wg.Go(func() {
			for c := range work {
				c.heard, c.why, c.label = p.judge(t, c.s.Text)
			}
		})
	}
	for _, c := range cases {
		work <- c
	}
	close(work)
	wg.Wait()
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
			examples = append(examples, fmt.Sprintf("%s: %v, %v, %s\n\t%s", strings.Join(c.s.Steps, " > "), c.heard, c.label, c.why, shorten(c.s.Text)))
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

// here writes the corpora's home in cores as the test's.
func (p *generatedPlace) cores(t *testing.T, name string) []string {
	list := readCores(t, name)
	for i := range list {
		list[i] = p.here(list[i])
	}
	return list
}

// TestGeneratedDestructive writes what destroys in other ways: it is never safe, and
// the guard speaks.
func TestGeneratedDestructive(t *testing.T) {
	t.Parallel()
	p := newGeneratedPlace(t)
	n, seed := generatedRuns(t)
	cases := generate(p.cores(t, "destructive.txt"), disguise.All(), n, seed)
	judgeGenerated(t, &p, cases)
	if n := reportGenerated(t, "called safe", cases, func(c *generatedCase) bool { return c.label == label.Safe }); n > 0 {
		t.Errorf("%d commands that destroy are called safe", n)
	}
	silent := reportGenerated(t, "not spoken of", cases, func(c *generatedCase) bool { return !speaks(c.heard) })
	if 100*silent > 2*len(cases) {
		t.Errorf("the guard is silent on %d of %d commands that destroy, want at most 2 %%", silent, len(cases))
	}
}

// TestGeneratedHarmless writes everyday commands in other ways: they are never called
// destructive, and hardly ever touched.
func TestGeneratedHarmless(t *testing.T) {
	t.Parallel()
	p := newGeneratedPlace(t)
	n, seed := generatedRuns(t)
	cases := generate(p.cores(t, "harmless.txt"), everyday(), n, seed)
	judgeGenerated(t, &p, cases)
	if n := reportGenerated(t, "called destructive", cases, func(c *generatedCase) bool { return c.label >= label.Destructive }); n > 0 {
		t.Errorf("%d everyday commands are called destructive", n)
	}
	touched := reportGenerated(t, "touched", cases, func(c *generatedCase) bool { return speaks(c.heard) })
	if 100*touched > len(cases) {
		t.Errorf("%d of %d everyday commands are touched, want at most 1 %%", touched, len(cases))
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

// TestGeneratedHost asks the built program about some: a host hears what this process
// says.
func TestGeneratedHost(t *testing.T) {
	t.Parallel()
	p := newGeneratedPlace(t)
	_, seed := generatedRuns(t)
	cases := slices.Concat(generate(p.cores(t, "destructive.txt"), disguise.All(), 1, seed+1), generate(p.cores(t, "harmless.txt"), everyday(), 1, seed+1))
	r := rand.New(rand.NewPCG(seed, 1))
	r.Shuffle(len(cases), func(i, j int) { cases[i], cases[j] = cases[j], cases[i] })
	cases = cases[:150]
	judgeGenerated(t, &p, cases)
	for i, c := range cases {
		payload := strings.ReplaceAll(string(p.shellCall("claude", "", c.s.Text)), `"6f1d3c1e-8f0a-4f0e-9a57-2d0c5b1f7a10"`, fmt.Sprintf(`"6f1d3c1e-8f0a-4f0e-9a57-%012d"`, i))
		heard, reply := p.heard("claude", []byte(payload))
		if (heard == "none") == speaks(c.heard) || heard == "broken" { // without a terminal a question is a denial
			t.Errorf("%s: a host hears %s, here it is %v\n%s\n%s", strings.Join(c.s.Steps, " > "), heard, c.heard, shorten(c.s.Text), reply)
		}
	}
}
