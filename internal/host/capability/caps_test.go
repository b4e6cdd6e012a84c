package capability

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/lab/built"
	"github.com/checkrein/checkrein/internal/sys/state"
)

var noon = time.Date(2026, 11, 17, 12, 0, 0, 0, time.UTC)

func bookAt(t *testing.T, key byte) Book {
	t.Helper()
	return Book{Dir: state.NewDir(filepath.Join(t.TempDir(), "state")), Secret: func(bool) (*state.Secret, error) { return &state.Secret{key}, nil }}
}

func program(size int64, version string) Program {
	return Program{Path: "/opt/bin/agent", Size: size, MTime: noon, Version: version}
}

func proof(version string, size int64, rows map[Row]Result) Build {
	return Build{Version: version, Program: program(size, version), Mode: "headless", Proven: noon, Checkrein: "v1", Rows: rows}
}

func TestEveryRowHasAFactWithinTheContract(t *testing.T) {
	t.Parallel()
	seen := map[Row]bool{}
	for _, f := range Facts() {
		if seen[f.Row] || f.Does == "" || f.DoesNot == "" {
			t.Errorf("%s: twice, or without words", f.Row)
		}
		seen[f.Row] = true
		if extra := f.Effect &^ checkrein.ContractOf(f.Kind).Effects; f.Effect != 0 && extra != 0 {
			t.Errorf("%s: the event cannot %v", f.Row, extra.Words())
		}
		if got, ok := FactOf(f.Row); !ok || got.Row != f.Row {
			t.Errorf("%s is not found", f.Row)
		}
	}
	if _, ok := FactOf("deny-everything"); ok {
		t.Error("a row that does not exist is found")
	}
}

func TestStandingOf(t *testing.T) {
	t.Parallel()
	old, other := proof("2.1.197", 100, nil), proof("2.1.325", 200, nil)
	nameless := proof("", 300, nil)
	seen := Build{Version: "9.9.9", Program: program(900, "9.9.9"), Downgraded: map[Row]Downgrade{OutputReplaced: {noon, "seen"}}}
	for _, c := range []struct {
		name    string
		builds  []Build
		size    int64
		version string
		state   State
		last    string
		why     string
	}{
		{"nothing was proven", nil, 100, "2.1.197", Shipped, "", "not proven"},
		{"this build", []Build{old}, 100, "2.1.197", Proven, "2.1.197", ""},
		{"this build, whose version no file names", []Build{nameless}, 300, "", Proven, "", ""},
		{"an update", []Build{old}, 200, "2.1.325", Stale, "2.1.197", "proven for 2.1.197, 2.1.325 runs now"},
		{"an update that leaves the program as it is", []Build{old}, 100, "2.1.198", Stale, "2.1.197", "proven for 2.1.197, 2.1.198 runs now"},
		{"an update whose version no file names", []Build{old}, 200, "", Stale, "2.1.197", "proven for 2.1.197, but another build runs now"},
		{"another file of one version", []Build{old}, 101, "2.1.197", Stale, "2.1.197", "proven for 2.1.197, but another build runs now"},
		{"back to an earlier build", []Build{other, old}, 100, "2.1.197", Proven, "2.1.197", ""},
		{"the newest proof is named", []Build{other, old}, 400, "3.0.0", Stale, "2.1.325", "proven for 2.1.325, 3.0.0 runs now"},
		{"gone", []Build{old}, 0, "", Stale, "2.1.197", "proven for 2.1.197, which is gone"},
		{"a proof without a version", []Build{nameless}, 100, "1.0.0", Stale, "", "proven for an earlier build, 1.0.0 runs now"},
		{"what was only seen is not a proof", []Build{seen}, 900, "9.9.9", Shipped, "", "not proven"},
	} {
		l := Ledger{Host: "claude", Builds: c.builds}
		got := l.StandingOf(program(c.size, c.version))
		last := ""
		if got.Last != nil {
			last = got.Last.Version
		}
		if got.State != c.state || got.Why != c.why || last != c.last {
			t.Errorf("%s: %d %q %q, want %d %q %q", c.name, got.State, got.Why, last, c.state, c.why, c.last)
		}
		if (got.State == Proven) == got.Since.IsZero() {
			t.Errorf("%s: since %v", c.name, got.Since)
		}
	}
}

// TestRowsOfAllModes checks that a row that is not honoured in one mode is not honoured, and that a
// downgraded row stays so until the build is proven again.
func TestRowsOfAllModes(t *testing.T) {
	t.Parallel()
	a := proof("1.0.0", 100, map[Row]Result{DenyShell: Honoured, Ask: Cannot, Rewrite: Honoured, OutputReplaced: Honoured})
	b := proof("1.0.0", 100, map[Row]Result{DenyShell: NotHonoured, Ask: Honoured, Rewrite: NotShown})
	b.Mode = "interactive"
	l := Ledger{Host: "claude"}
	l.AddProof(a)
	l.AddProof(b)
	l.Downgrade(program(100, "1.0.0"), OutputReplaced, Downgrade{noon, "the model was given a secret"})
	s := l.StandingOf(program(100, "1.0.0"))
	want := map[Row]Result{DenyShell: NotHonoured, Ask: Honoured, Rewrite: Honoured, OutputReplaced: NotHonoured}
	if got := s.Rows(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("rows: %v, want %v", got, want)
	}
	if got := s.AllDoubts(); len(got) != 2 || got[0].Row != DenyShell || got[0].Work || got[1].Row != OutputReplaced || !got[1].Work || got[1].Why != "the model was given a secret" {
		t.Errorf("doubted: %+v", got)
	}
	b.Rows = map[Row]Result{DenyShell: Honoured, OutputReplaced: Honoured}
	l.AddProof(a)
	l.AddProof(b)
	if len(l.Builds) != 2 {
		t.Fatalf("%d builds: a new proof does not take the place of the old one", len(l.Builds))
	}
	s = l.StandingOf(program(100, "1.0.0"))
	if got := s.AllDoubts(); len(got) != 0 {
		t.Errorf("doubted after a new proof: %+v", got)
	}
}

// TestShortProofRevokesNothing checks that a proof that ended early keeps the results of an earlier
// one of the same build.
func TestShortProofRevokesNothing(t *testing.T) {
	t.Parallel()
	l := Ledger{Host: "claude"}
	l.Downgrade(program(100, "1.0.0"), OutputReplaced, Downgrade{noon, "the model was given a secret"})
	l.AddProof(proof("1.0.0", 100, map[Row]Result{DenyShell: Honoured, DenyWrite: NotHonoured, Ask: Differs}))
	l.AddProof(proof("1.0.0", 100, map[Row]Result{DenyShell: Honoured, DenyWrite: NotShown, OutputReplaced: NotShown}))
	s := l.StandingOf(program(100, "1.0.0"))
	want := map[Row]Result{DenyShell: Honoured, DenyWrite: NotHonoured, Ask: Differs, OutputReplaced: NotHonoured}
	if got := s.Rows(); len(l.Builds) != 1 || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%d builds, rows %v, want 1, %v", len(l.Builds), got, want)
	}
	l.AddProof(proof("1.0.0", 100, map[Row]Result{DenyWrite: Honoured, OutputReplaced: Honoured}))
	s = l.StandingOf(program(100, "1.0.0"))
	if got := s.AllDoubts(); len(got) != 0 {
		t.Errorf("doubted although both rows were shown since: %+v", got)
	}
	l.AddProof(proof("2.0.0", 200, map[Row]Result{DenyShell: Honoured}))
	s = l.StandingOf(program(200, "2.0.0"))
	if got := s.Rows(); len(got) != 1 {
		t.Errorf("another build took rows over: %v", got)
	}
}

// TestDowngradeWithoutAProof checks that an observation of a build that was never proven counts for
// that build only.
func TestDowngradeWithoutAProof(t *testing.T) {
	t.Parallel()
	var l Ledger
	l.Downgrade(program(100, "1.0.0"), OutputReplaced, Downgrade{noon, "seen"})
	s := l.StandingOf(program(100, "1.0.0"))
	if got := s.AllDoubts(); s.State != Shipped || len(got) != 1 || !got[0].Work {
		t.Errorf("%d, %+v", s.State, got)
	}
	s = l.StandingOf(program(200, "1.0.1"))
	if got := s.AllDoubts(); len(got) != 0 {
		t.Errorf("another build: %+v", got)
	}
}

// TestAllDoubtsOncePerCause checks that rows that fail for the same cause are one doubt.
func TestAllDoubtsOncePerCause(t *testing.T) {
	t.Parallel()
	l := Ledger{Host: "gemini"}
	l.AddProof(proof("1.0.0", 100, map[Row]Result{DenyEditor: NotHonoured, AskEditor: NotHonoured, Rewrite: Honoured}))
	s := l.StandingOf(program(100, "1.0.0"))
	if got := s.AllDoubts(); len(got) != 1 || got[0].Row != DenyEditor {
		t.Errorf("doubted: %+v", got)
	}
	l = Ledger{Host: "gemini"}
	l.AddProof(proof("1.0.0", 100, map[Row]Result{DenyEditor: Honoured, AskEditor: NotHonoured}))
	s = l.StandingOf(program(100, "1.0.0"))
	if got := s.AllDoubts(); len(got) != 1 || got[0].Row != AskEditor {
		t.Errorf("doubted: %+v", got)
	}
}

func TestDoubtsAbout(t *testing.T) {
	t.Parallel()
	rows := map[Row]Result{}
	for _, f := range Facts() {
		rows[f.Row] = NotHonoured
	}
	l := Ledger{Builds: []Build{proof("1.0.0", 100, rows)}}
	s := l.StandingOf(program(100, "1.0.0"))
	call := func(name string) checkrein.Event {
		return checkrein.Event{Kind: checkrein.PreToolUse, Tool: &checkrein.Tool{Name: name, Canonical: tools.CanonicalTool(name)}}
	}
	below := call("Bash")
	below.Session.Agent = "explorer"
	for _, c := range []struct {
		name string
		ev   checkrein.Event
		want string
	}{
		{"a shell", call("Bash"), "deny-shell ask rewrite context-call"},
		{"a write", call("Write"), "deny-write ask rewrite context-call"},
		{"an edit", call("Edit"), "deny-edit ask rewrite context-call"},
		{"a server's tool", call("mcp__files__put"), "deny-mcp ask rewrite context-call"},
		{"a tool of no row", call("WebSearch"), "ask rewrite context-call"},
		{"a sub-agent", below, "deny-shell deny-subagent ask rewrite context-call"},
		{"an output", checkrein.Event{Kind: checkrein.ToolResponseTransform}, "output-replaced"},
		{"a prompt", checkrein.Event{Kind: checkrein.UserPromptSubmit}, "context-prompt prompt-blocked"},
		{"a stop", checkrein.Event{Kind: checkrein.Stop}, "stop-blocked"},
		{"an event of no row", checkrein.Event{Kind: checkrein.Notification}, ""},
	} {
		var got []string
		for _, d := range s.DoubtsAbout(&c.ev) {
			got = append(got, string(d.Row))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, want %s", c.name, got, c.want)
		}
	}
	for r := range rows {
		rows[r] = Honoured
	}
	ev := call("Bash")
	s = l.StandingOf(program(100, "1.0.0"))
	if got := s.DoubtsAbout(&ev); len(got) > 0 {
		t.Errorf("all is honoured, and yet %v", got)
	}
	rows[DenyShell] = NotHonoured
	s = l.StandingOf(program(101, "1.0.1"))
	if got := s.DoubtsAbout(&ev); len(got) > 0 {
		t.Errorf("a build that was not proven: %v", got)
	}
}

func TestBook(t *testing.T) {
	t.Parallel()
	b := bookAt(t, 1)
	if l, err := b.Load("claude"); err != nil || l.Host != "claude" || len(l.Builds) > 0 || b.HasFile("claude") {
		t.Fatalf("without a file: %+v, %v", l, err)
	}
	want := proof("1.0.0", 100, map[Row]Result{DenyShell: Honoured})
	if err := b.Change("claude", func(l *Ledger) { l.AddProof(want) }); err != nil {
		t.Fatal(err)
	}
	l, err := b.Load("claude")
	if err != nil || len(l.Builds) != 1 || fmt.Sprint(l.Builds[0]) != fmt.Sprint(want) || !l.Program.SameBuild(&want.Program) || l.Program.Version != "1.0.0" {
		t.Errorf("%+v, %v", l, err)
	}
	if info, err := os.Stat(b.Path("claude")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if l, err := b.LoadDoubts("claude"); err != nil || len(l.Builds) > 0 {
		t.Errorf("nothing is in doubt, and yet %+v, %v", l, err)
	}
	if err := b.Change("claude", func(l *Ledger) { l.Builds[0].Rows[DenyShell] = NotHonoured }); err != nil {
		t.Fatal(err)
	}
	if l, err := b.LoadDoubts("claude"); err != nil || len(l.Builds) != 1 {
		t.Errorf("a row is in doubt, and yet %+v, %v", l, err)
	}
	none := Book{}
	if _, err := none.Load("claude"); err != nil {
		t.Errorf("the zero book: %v", err)
	}
	if err := none.Change("claude", func(*Ledger) {}); err == nil {
		t.Error("the zero book takes something")
	}
}

func TestNumberOfProofsIsLimited(t *testing.T) {
	t.Parallel()
	b := bookAt(t, 1)
	for i := range int64(3 * maxBuilds) {
		rows := map[Row]Result{}
		for _, f := range Facts() {
			rows[f.Row] = NotHonoured
		}
		if err := b.Change("claude", func(l *Ledger) { l.AddProof(proof(fmt.Sprint("1.0.", i), 100+i, rows)) }); err != nil {
			t.Fatal(err)
		}
	}
	l, err := b.Load("claude")
	if err != nil || len(l.Builds) != maxBuilds || l.Builds[0].Version != fmt.Sprint("1.0.", 3*maxBuilds-1) {
		t.Errorf("%d builds, %v", len(l.Builds), err)
	}
}

func TestConcurrentChangesAreKept(t *testing.T) {
	t.Parallel()
	b := bookAt(t, 1)
	var wg sync.WaitGroup
	for i := range int64(8) {
		wg.Go(func() {
			if err := b.Change("claude", func(l *Ledger) { l.AddProof(proof(fmt.Sprint("1.0.", i), 100+i, nil)) }); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if l, err := b.Load("claude"); err != nil || len(l.Builds) != 8 {
		t.Errorf("%d builds, %v", len(l.Builds), err)
	}
}

// TestForgedFileDoesNotCount checks that a file that another program wrote can neither add or remove
// results nor hide a downgrade.
func TestForgedFileDoesNotCount(t *testing.T) {
	t.Parallel()
	mine, other := bookAt(t, 1), bookAt(t, 2)
	fill := func(l *Ledger) { l.AddProof(proof("1.0.0", 100, map[Row]Result{DenyShell: NotHonoured})) }
	for _, b := range []*Book{&mine, &other} {
		for _, host := range []string{"claude", "codex"} {
			if err := b.Change(host, fill); err != nil {
				t.Fatal(err)
			}
		}
	}
	read := func(b *Book, host string) []byte {
		data, err := os.ReadFile(b.Path(host))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	good := read(&mine, "claude")
	body := good[bytes.Index(good, []byte(`"body":`))+7 : len(good)-1]
	forged := map[string][]byte{
		"of another machine": read(&other, "claude"),
		"of another host":    read(&mine, "codex"),
		"without a sum":      body,
		"an empty sum":       []byte(`{"sum":"","body":` + string(body) + `}`),
		"no body":            []byte(`{"sum":"00"}`),
		"empty":              {},
		"not JSON":           []byte("proven"),
		"an array":           []byte(`[]`),
		"two bodies":         bytes.Replace(good, []byte(`"body":`), []byte(`"body":{},"body":`), 1),
		"deep":               []byte(strings.Repeat("[", 100000)),
		"cut":                good[:len(good)/2],
		"large":              bytes.Repeat([]byte{' '}, maxFile+1),
	}
	for i := range good {
		changed := slices.Clone(good)
		changed[i] ^= 1
		forged[fmt.Sprintf("byte %d", i)] = changed
	}
	for name, data := range forged {
		if err := mine.Dir.Write("caps/claude.json", data); err != nil {
			t.Fatal(err)
		}
		for what, load := range map[string]func(string) (Ledger, error){"load": mine.Load, "doubtful": mine.LoadDoubts} {
			l, err := load("claude")
			if same := name == "two bodies" && err == nil && len(l.Builds) == 1; same {
				continue // the last one counts, for the checksum and for the reader
			}
			if len(l.Builds) > 0 || l.Program.Path != "" || !errors.Is(err, ErrBroken) {
				t.Errorf("%s (%s) counts: %+v, %v", name, what, l, err)
			} else if !strings.Contains(err.Error(), "checkrein prove claude") || !strings.Contains(err.Error(), mine.Path("claude")) {
				t.Errorf("%s: neither file nor remedy: %v", name, err)
			}
		}
		if name == "two bodies" {
			continue
		}
		if err := mine.Change("claude", fill); !errors.Is(err, ErrBroken) {
			t.Errorf("%s: it is written over: %v", name, err)
		}
	}
	if err := mine.Replace("claude", fill); err != nil {
		t.Fatal(err)
	}
	if l, err := mine.Load("claude"); err != nil || len(l.Builds) != 1 {
		t.Errorf("anew: %+v, %v", l, err)
	}
	mine.Secret = func(bool) (*state.Secret, error) { return nil, errors.New("others may read it") }
	if l, err := mine.Load("claude"); len(l.Builds) > 0 || !errors.Is(err, ErrBroken) {
		t.Errorf("without a key: %+v, %v", l, err)
	}
}

func TestInspectProgram(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put := func(name, text string) string {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := built.WriteScript(path, text); err != nil {
			t.Fatal(err)
		}
		return path
	}
	put("node_modules/@x/agent/package.json", `{"name":"@x/agent","version":"0.12.3"}`)
	put("node_modules/@x/agent/dist/package.json", `{"type":"module"}`)
	put("odd/package.json", `{"name":"odd","version":"1.0\n0"}`)
	for _, c := range []struct{ path, want string }{
		{put("node_modules/@x/agent/dist/bin/cli.js", "js"), "0.12.3"},
		{put("share/agent/versions/2.1.197", "elf"), "2.1.197"},
		{put("share/agent/3.0.0-beta.1/agent", "elf"), "3.0.0-beta.1"},
		{put("bin/agent", "elf"), ""},
		{put("odd/bin/agent", "elf"), ""},
		{put("deep/1/2/3/4/5/6/agent", "elf"), ""},
	} {
		p, err := InspectProgram(c.path)
		if err != nil || p.Version != c.want || p.Path != c.path || p.Size == 0 || p.MTime.IsZero() {
			t.Errorf("%s: %+v %v, want %q", c.path, p, err, c.want)
		}
	}
	if _, err := InspectProgram(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what is not there: %v", err)
	}
	if _, err := InspectProgram(dir); err == nil {
		t.Error("a directory is a program")
	}
	p, err := HashProgram(filepath.Join(dir, "bin", "agent"))
	if err != nil || len(p.SHA256) != 64 {
		t.Errorf("%+v, %v", p, err)
	}
}

// TestInspectProgramThroughSymlink checks that an update is detected if it only changes the target of
// a symlink in the PATH.
func TestInspectProgramThroughSymlink(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	link := filepath.Join(dir, "agent")
	lead := func(version, text string) Program {
		target := filepath.Join(dir, version)
		if err := built.WriteScript(target, text); err != nil {
			t.Fatal(err)
		}
		_ = os.Remove(link)
		if err := os.Symlink(target, link); err != nil {
			t.Skip(err)
		}
		p, err := InspectProgram(link)
		if err != nil || p.Version != version || p.Path != link {
			t.Errorf("%s: %+v %v", version, p, err)
		}
		return p
	}
	a := lead("1.0.0", "one")
	b := lead("1.0.1", "longer")
	if a.SameBuild(&b) {
		t.Error("an update goes unseen")
	}
}
