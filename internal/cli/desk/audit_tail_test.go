package desk

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/lab/clitest"
)

// A lineCounter is a writer that signals when enough lines were written.
type lineCounter struct {
	mu    sync.Mutex
	text  bytes.Buffer
	lines chan string
}

func (g *lineCounter) Write(p []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.text.Write(p)
	for {
		line, err := g.text.ReadString('\n')
		if err != nil {
			g.text.Reset()
			g.text.WriteString(line)
			return len(p), nil
		}
		g.lines <- line
	}
}

// tail -f shows every record once, even across segments, and the first one if it starts before there
// is a ledger.
func TestFollowSeesEveryRecordOnce(t *testing.T) {
	t.Parallel()
	for _, before := range []int{0, 3} {
		t.Run(fmt.Sprint(before, " before"), func(t *testing.T) {
			t.Parallel()
			b := clitest.NewBook(t, 10_000)
			b.Fill(t, before)
			env, _, _ := b.Env("audit", "tail", "-f", "-n", "2", "--json")
			out, errs := &lineCounter{lines: make(chan string, 100)}, &lineCounter{lines: make(chan string, 100)}
			env.Stdout, env.Stderr = out, errs
			ctx, cancel := context.WithCancel(t.Context())
			code := make(chan int)
			go func() { code <- Run(ctx, env) }()
			next := func(want int) {
				t.Helper()
				select {
				case got := <-out.lines:
					if !strings.Contains(got, fmt.Sprintf(`"reason":"reason %d"`, want)) {
						t.Errorf("got %.300q, want reason %d", got, want)
					}
				case c := <-code:
					t.Fatalf("it ended with %d", c)
				}
			}
			if before > 0 {
				next(1)
				next(2)
			} else if said := <-errs.lines; !strings.Contains(said, "no ledger") {
				t.Errorf("without a ledger it says %q", said)
			}
			for i := range 12 {
				r := clitest.DeniedRecord()
				r.Reason = fmt.Sprintf("reason %d", 100+i)
				b.Add(t, r)
				if i%5 == 4 { // some records are added together
					for j := i - 4; j <= i; j++ {
						next(100 + j)
					}
				}
			}
			next(110)
			next(111)
			cancel()
			if c := <-code; c != console.Done {
				t.Errorf("exit %d after Ctrl-C", c)
			}
		})
	}
}

func TestExportFile(t *testing.T) {
	t.Parallel()
	b := clitest.NewBook(t, 10_000)
	b.Fill(t, 9)
	dir := filepath.Dir(b.Home)
	all, err := filepath.Glob(filepath.Join(b.Dir(), "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var want []byte
	for _, path := range all { // current.jsonl sorts last
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, data...)
	}
	code, out, errs := runOnBook(b, "audit", "export", "-o", "all.jsonl")
	if code != console.Done || out != "" {
		t.Errorf("exit %d, %q", code, out)
	}
	clitest.MustContain(t, errs, "exported 12 records to "+filepath.Join(dir, "all.jsonl"))
	if got, err := os.ReadFile(filepath.Join(dir, "all.jsonl")); err != nil || !bytes.Equal(got, want) {
		t.Errorf("the export is not the ledger: %v", err)
	}
	code, out, errs = runOnBook(b, "audit", "export", "--format", "csv", "--decision", "deny", "-n", "4")
	if code != console.Done || strings.Count(out, "\n") < 5 || !strings.HasPrefix(out, "seq,time,") {
		t.Errorf("csv: %d\n%s", code, out)
	}
	clitest.MustContain(t, errs, "exported 4 records to stdout")
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"--format", "jsonn"}, `unknown format "jsonn", did you mean "jsonl"? (must be one of jsonl, csv, cef, ocsf, otlp)`},
		{[]string{"--format", "parquet"}, "duckdb -c"},
		{[]string{"--format", "otlp", "-o", "x"}, "-o cannot be used here: --format otlp sends"},
		{[]string{"--format", "otlp"}, "needs --endpoint URL"},
		{[]string{"--format", "otlp", "--endpoint", "nowhere"}, "OTLP endpoint"},
		{[]string{"--endpoint", "http://localhost"}, "can only be used with --format otlp"},
	} {
		code, _, errs := runOnBook(b, append([]string{"audit", "export"}, tt.args...)...)
		if code != console.Usage || !strings.Contains(errs, tt.want) {
			t.Errorf("%q: exit %d, %s", tt.args, code, errs)
		}
	}
	if code, _, errs := runOnBook(b, "audit", "export", "-o", "nowhere/x"); code != console.Finding || !strings.Contains(errs, "writing ") {
		t.Errorf("into nowhere: %d %s", code, errs)
	}
}

// Ctrl-C leaves the file unchanged, and no temporary file behind.
func TestExportInterrupted(t *testing.T) {
	t.Parallel()
	b := clitest.NewBook(t, 0)
	b.Fill(t, 3)
	dir := filepath.Dir(b.Home)
	if err := os.WriteFile(filepath.Join(dir, "out.csv"), []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	env, _, errs := b.Env("audit", "export", "--format", "csv", "-o", "out.csv")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if code := Run(ctx, env); code != console.Finding || !strings.Contains(errs.String(), "interrupted") {
		t.Errorf("exit %d, %s", code, errs)
	}
	names, err := os.ReadDir(dir)
	if err != nil || len(names) != 2 {
		t.Errorf("left behind: %v, %v", names, err)
	}
	if got, _ := os.ReadFile(filepath.Join(dir, "out.csv")); string(got) != "old" {
		t.Errorf("the file is now %q", got)
	}
}
