package endtoend

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/host"

	"github.com/checkrein/checkrein/internal/host/setups"
)

var update = flag.Bool("update", false, "write the transcripts in docs anew")

// A transcript is what the model and the person saw of a block and its remedy.
type transcript struct {
	w                              *world
	handle                         string
	told                           []string // the model, of its three calls
	granted, list, explain, verify string   // the person
}

// transcribedHosts lists the hosts whose transcripts are in docs.
var transcribedHosts = []string{"claude", "codex", "gemini"}

const transcripts = "../../../docs/transcripts"

// check compares the transcript with the one in docs, or rewrites that.
func (tr *transcript) check() {
	w := tr.w
	w.t.Helper()
	path := filepath.Join(transcripts, "allow-"+w.name+".txt")
	got := tr.String()
	w.t.Log(got)
	switch {
	case !slices.Contains(transcribedHosts, w.name) || w.t.Failed():
		return
	case *update:
		if err := os.MkdirAll(transcripts, 0o755); err != nil {
			w.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			w.t.Fatal(err)
		}
		return
	case w.Host.Version != setups.Labs().ForHost(w.Host.Name).Version:
		w.t.Logf("NOTE: %s is of another version", path)
		return
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != got {
		w.t.Errorf("%s is not what happened (%v); to write it anew: go test -run TestHostRemedy -update", path, err)
	}
}

func (tr *transcript) String() string {
	var b strings.Builder
	part := func(title, text string) {
		fmt.Fprintf(&b, "\n== %s\n", title)
		for line := range strings.Lines(strings.TrimRight(tr.scrub(text), "\n") + "\n") {
			b.WriteString(strings.TrimRight(line, " \n") + "\n")
		}
	}
	h, _ := host.Find(tr.w.name)
	fmt.Fprintf(&b, "A real run of %s %s with the default guard and a scripted model. Names, paths, ids and\ntimes are replaced. TestHostRemedy wrote this.\n", h.Title, tr.w.Host.Version)
	part("the model calls its shell", forcePush)
	part("what the model is told", tr.told[0])
	part("main of origin", "theirs")
	part("a person, in another terminal", tr.granted)
	part("the model calls it again, and is told", tr.told[1])
	part("main of origin", "mine")
	part("the model calls it a third time, and is told", tr.told[2])
	part("main of origin", "mine")
	part("the person", tr.list)
	part("the person", tr.explain)
	part("the person", tr.verify)
	return b.String()
}

// A replacement replaces text that differs between runs or machines.
type replacement struct {
	re *regexp.Regexp
	by string
}

var swaps = []replacement{
	{regexp.MustCompile(`\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`), "0198f3c2-7a51-7c04-9d1e-3b6f52a8e410"},
	{regexp.MustCompile(`\S+ on /dev/pts/\d+`), "ann on /dev/pts/1"},
	{regexp.MustCompile(`\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?(Z|[+-]\d\d:?\d\d)?`), "2026-01-02 15:04:05"},
	{regexp.MustCompile(`\b\d+(\.\d+)? ?(ms|µs)`), "2 ms"},
	{regexp.MustCompile(`\b(just now|\d+ (s|min) ago)\b( +)?`), "just now$3"},
	{regexp.MustCompile(`(GIVEN|just now) {2,}`), "$1  "},
	{regexp.MustCompile(`\b[0-9a-f]{7}\.\.\.[0-9a-f]{7}\b`), "3881fbb...65a5167"},
	{regexp.MustCompile(`Chunk ID: \w+`), "Chunk ID: 6c41d2"},
	{regexp.MustCompile(`Wall time: [\d.]+`), "Wall time: 0.1000"},
	{regexp.MustCompile(`Original token count: \d+`), "Original token count: 30"},
	{regexp.MustCompile(`PGID: \d+`), "PGID: 4242"},
	{regexp.MustCompile(`\b[0-9a-f]{32}\b`), strings.Repeat("0", 32)},
}

func (tr *transcript) scrub(text string) string {
	w := tr.w
	text = strings.NewReplacer(filepath.Join(w.Dir, "origin.git"), "/srv/git/shop.git", w.Project, "/home/ann/shop", w.Home, "/home/ann", w.Bin, "/usr/local/bin").Replace(text)
	text = strings.ReplaceAll(text, tr.handle, "4f2a")
	for _, s := range swaps {
		text = s.re.ReplaceAllString(text, s.by)
	}
	return text
}
