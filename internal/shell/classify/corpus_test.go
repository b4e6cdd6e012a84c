package classify_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/classify"
)

// Rates that the classifier must reach on its own corpus, the same as on the held-out
// corpus.
const (
	leastRecall    = 0.99  // of destructive and exfiltration commands
	mostFlagged    = 0.005 // of benign commands that are labelled destructive or exfiltration
	mostUnknown    = 0.10  // of benign commands that are labelled unknown
	mostUnresolved = 0.05  // of commands with unknown effects that are labelled safe
)

// A sample is one line of the corpus.
type sample struct {
	Command  string `json:"command"`
	Label    labels `json:"label"`
	Category string `json:"category"`
	Dialect  string `json:"dialect"`
	Why      string `json:"why"`

	at string // file:line
}

// labels are the acceptable labels of a sample: usually one, and several if people may disagree.
type labels []string

// UnmarshalJSON accepts a string or a list of strings.
func (l *labels) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		*l = labels{one}
		return nil
	}
	return json.Unmarshal(b, (*[]string)(l))
}

// has reports whether want is one of the labels.
func (l labels) has(want shell.Label) bool { return slices.Contains(l, want.String()) }

// isBenign reports whether the command may be labelled safe.
func (s *sample) isBenign() bool { return s.Label.has(shell.Safe) }

// isHarmful reports whether the command does harm, so that labelling it safe is a miss.
func (s *sample) isHarmful() bool {
	return !s.isBenign() && (s.Label.has(shell.Destructive) || s.Label.has(shell.Exfiltration))
}

// report classifies the command of the sample.
func (s *sample) report() shell.Report {
	p := shell.Place{Dir: "/home/u/proj", Root: "/home/u/proj", Home: "/home/u"}
	switch s.Dialect {
	case "powershell":
		p.Dialect = shell.PowerShell
	case "cmd":
		p.Dialect = shell.Cmd
	}
	return classify.Command(s.Command, p)
}

// isHarmLabel reports whether l is destructive or exfiltration.
func isHarmLabel(l shell.Label) bool { return l == shell.Destructive || l == shell.Exfiltration }

// readCorpus returns the samples in all files of the corpus.
func readCorpus(tb testing.TB) []*sample {
	tb.Helper()
	files, err := filepath.Glob("testdata/corpus/*.jsonl")
	if err != nil || len(files) == 0 {
		tb.Fatalf("no corpus: %v", err)
	}
	var all []*sample
	for _, file := range files {
		all = append(all, readSamples(tb, file)...)
	}
	return all
}

// readSamples returns the samples in file.
func readSamples(tb testing.TB, file string) []*sample {
	tb.Helper()
	f, err := os.Open(file)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	var all []*sample
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		s := &sample{at: fmt.Sprintf("%s:%d", filepath.Base(file), n)}
		if err := json.Unmarshal(lines.Bytes(), s); err != nil {
			tb.Fatalf("%s: %v", s.at, err)
		}
		all = append(all, s)
	}
	if err := lines.Err(); err != nil {
		tb.Fatal(err)
	}
	return all
}

// A tally counts the results for a file or for the whole corpus.
type tally struct {
	bad, caught              int
	benign, flagged, unknown int
	unresolved, calledSafe   int
}

// add counts the label got for s and returns what is wrong with it, or "" if it is right. asked means
// that the report has an opaque effect, about which a guard asks.
func (c *tally) add(s *sample, got shell.Label, asked bool) string {
	switch {
	case s.isHarmful():
		c.bad++
		if isHarmLabel(got) || s.Label.has(got) || asked {
			c.caught++
			return ""
		}
		return "missed"
	case s.isBenign():
		c.benign++
		switch {
		case s.Label.has(got):
			return ""
		case isHarmLabel(got):
			c.flagged++
			return "flagged"
		}
		c.unknown++
		return "left unknown"
	}
	c.unresolved++
	if got == shell.Safe {
		c.calledSafe++
		return "called safe"
	}
	return ""
}

func (c *tally) String() string {
	return fmt.Sprintf("caught %d of %d (%.2f %%), benign flagged %d (%.2f %%) and unknown %d (%.2f %%) of %d, unresolved called safe %d of %d",
		c.caught, c.bad, 100*ratio(c.caught, c.bad), c.flagged, 100*ratio(c.flagged, c.benign),
		c.unknown, 100*ratio(c.unknown, c.benign), c.benign, c.calledSafe, c.unresolved)
}

// ratio returns part divided by all, or 0 if all is 0.
func ratio(part, all int) float64 {
	if all == 0 {
		return 0
	}
	return float64(part) / float64(all)
}

// TestCorpus classifies the corpus and checks the rates above.
func TestCorpus(t *testing.T) {
	var total tally
	files := map[string]*tally{}
	for _, s := range readCorpus(t) {
		r := s.report()
		asked := slices.ContainsFunc(r.Effects, func(e shell.Effect) bool { return e.Category == shell.Opaque })
		wrong := total.add(s, r.Label, asked)
		name, _, _ := strings.Cut(s.at, ":")
		if files[name] == nil {
			files[name] = &tally{}
		}
		files[name].add(s, r.Label, asked)
		if wrong != "" {
			t.Logf("%s: %s: %q (%s)\n%s", s.at, wrong, s.Command, s.Why, describe(r))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		t.Logf("%-34s %v", name, files[name])
	}
	t.Logf("%-34s %v", "all", &total)
	if got := ratio(total.caught, total.bad); got < leastRecall {
		t.Errorf("recall %.4f, want at least %v", got, leastRecall)
	}
	if got := ratio(total.flagged, total.benign); got > mostFlagged {
		t.Errorf("benign flagged %.4f, want at most %v", got, mostFlagged)
	}
	if got := ratio(total.unknown, total.benign); got > mostUnknown {
		t.Errorf("benign left unknown %.4f, want at most %v", got, mostUnknown)
	}
	if got := ratio(total.calledSafe, total.unresolved); got > mostUnresolved {
		t.Errorf("unresolved called safe %.4f, want at most %v", got, mostUnresolved)
	}
}

// describe returns r in a few lines.
func describe(r shell.Report) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\t%v %s %v: %s\n", r.Label, r.Category, r.Impact, r.Reason)
	for i, e := range r.Effects {
		if i == 8 {
			fmt.Fprintf(&b, "\t  … %d more\n", len(r.Effects)-i)
			break
		}
		fmt.Fprintf(&b, "\t  %v %s/%s %s %q %v %v: %s\n", e.Label, e.Row().PackName(), e.Rule, e.Category, e.Words, e.Paths, e.Hosts, e.Reason)
	}
	return b.String()
}

// TestCorpusCategories checks the categories of reports. Denial memory and users' settings are keyed
// by them, so a harmful command must be caught for the right reason.
func TestCorpusCategories(t *testing.T) {
	listed := 0
	for _, s := range readCorpus(t) {
		if s.Category == "" {
			continue
		}
		listed++
		r := s.report()
		if r.Category != s.Category && (isHarmLabel(r.Label) || !s.isHarmful()) { // TestCorpus reports misses
			t.Errorf("%s: %q: category %q, want %q\n%s", s.at, s.Command, r.Category, s.Category, describe(r))
		}
	}
	if listed < 400 {
		t.Errorf("only %d commands have an expected category", listed)
	}
}

// TestCorpusIsValid checks that the samples are complete and unique.
func TestCorpusIsValid(t *testing.T) {
	seen := map[string]string{}
	lists := 0
	all := readCorpus(t)
	for _, s := range all {
		for _, l := range s.Label {
			if !slices.Contains([]string{"destructive", "exfiltration", "safe", "unknown"}, l) {
				t.Errorf("%s: label %q", s.at, l)
			}
		}
		if len(s.Label) == 0 || s.Why == "" || strings.TrimSpace(s.Command) == "" {
			t.Errorf("%s: command, label and why are needed", s.at)
		}
		if len(s.Label) > 1 {
			lists++
		}
		key := s.Dialect + "\x00" + s.Command
		if seen[key] != "" {
			t.Errorf("%s: same command as %s", s.at, seen[key])
		}
		seen[key] = s.at
	}
	if len(all) < 1200 {
		t.Errorf("%d commands, want at least 1200", len(all))
	}
	if ratio(lists, len(all)) > 0.05 {
		t.Errorf("%d commands of %d have more than one label", lists, len(all))
	}
}

// TestCorpusIsDeterministic checks that a command has the same report each time, also if several
// goroutines classify at once.
func TestCorpusIsDeterministic(t *testing.T) {
	all := readCorpus(t)
	first := make([]shell.Report, len(all))
	for i, s := range all {
		first[i] = s.report()
	}
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range all {
				i := (i + g*len(all)/4) % len(all) // the goroutines start at different commands
				if r := all[i].report(); !reflect.DeepEqual(r, first[i]) {
					t.Errorf("%s: %q:\n%s then\n%s", all[i].at, all[i].Command, describe(first[i]), describe(r))
				}
			}
		})
	}
	wg.Wait()
}

// TestWorstEffectDecides checks that the label, category and reason of a report are those of its worst
// effect.
func TestWorstEffectDecides(t *testing.T) {
	for _, s := range readCorpus(t) {
		r := s.report()
		worst := shell.Safe
		found := len(r.Effects) == 0
		for _, e := range r.Effects {
			worst = max(worst, e.Label)
			if e.Row().PackName() == "" {
				t.Errorf("%s: %q: an effect without a row: %+v", s.at, s.Command, e)
			}
			found = found || e.Label == r.Label && e.Row().Name == r.Category && e.Impact == r.Impact && e.Reason == r.Reason
		}
		switch {
		case r.Label != worst:
			t.Errorf("%s: %q: label %v, but its worst effect is %v\n%s", s.at, s.Command, r.Label, worst, describe(r))
		case !found:
			t.Errorf("%s: %q: no effect is the one that decides\n%s", s.at, s.Command, describe(r))
		case r.Label != shell.Safe && r.Reason == "":
			t.Errorf("%s: %q: no reason\n%s", s.at, s.Command, describe(r))
		}
	}
}

func BenchmarkCorpus(b *testing.B) {
	all := readCorpus(b)
	b.ReportAllocs()
	for b.Loop() {
		for _, s := range all {
			s.report()
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(all)), "µs/command")
}
