//go:build unix

// Command bench measures what checkrein promises about speed, as ratios against
// a floor in the same loop, and prints the table of docs/benchmarks.md.
//
//	go run ./internal/lab/bench -programs bin
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/engine"
	_ "github.com/checkrein/checkrein/internal/text/yamldoc/parser"
)

// What the events ask for: commands of a session at work, and one that two of fifty
// rules deny.
const (
	passing = "git status --short && go test ./..."
	denied  = "rm -rf ~"
	ruled   = "ls -la danger49"
)

// A bench is one run of this program.
type bench struct {
	dir, programs string
	runs          int
	cpu           bool
	copied        map[string][]string
}

// rows are what can be measured, by the name that -rows takes.
func (b *bench) rows() []group {
	return []group{
		{"dispatch", b.dispatch},
		{"commands", b.commands},
		{"timeouts", b.timeouts},
		{"eval", func() error {
			return b.cold(cold{what: "`checkrein eval`, one event, 50 rules", must: "≤ 1.6", ambition: "–", config: fifty(), inputs: commandOf(ruled), args: []string{"eval", "--json"}, says: "deny"})
		}},
		{"version", func() error {
			return b.cold(cold{what: "`checkrein version`", must: "–", ambition: "–", inputs: commandOf(passing), args: []string{"version"}, says: "checkrein"})
		}},
		{"record", func() error { return b.appends("one process, one durable record in the ledger", "appendledger") }},
		{"sqlite", func() error { return b.appends("the same in SQLite (modernc, WAL, synchronous FULL)", "appendsqlite") }},
		{"append", b.decision},
		{"rules", func() error {
			return b.cold(cold{what: "cold decision with durable record, 50 rules", must: "≤ 1.8", ambition: "≤ 1.5", config: fifty(), inputs: commandOf(ruled), host: "native", says: "deny"})
		}},
		{"passing", func() error {
			return b.cold(cold{what: "`hook claude`, a command that passes, default packs", must: "≤ 1.7", ambition: "≤ 1.5", inputs: commandOf(passing)})
		}},
		{"denied", func() error {
			return b.cold(cold{what: "the same, a command that is denied, durable record", must: "≤ 1.9", ambition: "≤ 1.6", inputs: commandOf(denied), says: denies})
		}},
		{"write", func() error {
			return b.cold(cold{what: "the same, a write of 50 KB", must: "≤ 2.5", ambition: "≤ 1.9", inputs: workplace.writes})
		}},
		{"installed", b.measureInstalled},
		{"scripts", b.scripts},
		{"peers", b.peers},
	}
}

type group struct {
	name string
	run  func() error
}

func main() {
	programs := flag.String("programs", "bin", "directory of the built programs")
	only := flag.String("rows", "", "measure only these, by name, with commas between")
	b := &bench{copied: map[string][]string{}}
	flag.IntVar(&b.runs, "runs", 60, "runs of each copy of a program")
	flag.BoolVar(&b.cpu, "cpu", false, "tell the ratio of processor time as well, which a shared machine disturbs less")
	flag.Parse()
	ran, err := atTerminal()
	if !ran && err == nil {
		err = b.run(*programs, *only)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func (b *bench) run(programs, only string) (err error) {
	if b.dir, err = os.MkdirTemp("", "checkrein-bench"); err != nil {
		return err
	}
	defer os.RemoveAll(b.dir)
	if b.programs, err = filepath.Abs(programs); err != nil {
		return err
	}
	var names, wanted []string
	for _, g := range b.rows() {
		names = append(names, g.name)
	}
	if wanted = names; only != "" {
		wanted = strings.Split(only, ",")
	}
	for _, name := range wanted {
		if !slices.Contains(names, name) {
			return fmt.Errorf("no row has the name %q; there are %s", name, strings.Join(names, ", "))
		}
	}
	fmt.Printf("%s, %s/%s, %d cores\n\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	fmt.Println("| what | measured | must | ambition |")
	fmt.Println("|---|---|---|---|")
	for _, g := range b.rows() {
		if slices.Contains(wanted, g.name) {
			if err := g.run(); err != nil {
				return fmt.Errorf("%s: %w", g.name, err)
			}
		}
	}
	return nil
}

func row(what, measured, must, ambition string) {
	fmt.Printf("| %s | %s | %s | %s |\n", what, measured, must, ambition)
}

// shell is a shell call as hosts send it.
func shell(cmd string) checkrein.Event {
	input, _ := json.Marshal(map[string]string{"command": cmd})
	return checkrein.Event{Kind: checkrein.PreToolUse, Session: checkrein.Session{ID: "s", Dir: "/repo"},
		Tool: &checkrein.Tool{Name: "Bash", Canonical: "shell", CallID: "c1", Input: input}}
}

// open returns a kit with the given hooks and nothing else: a file that is given by
// name counts alone, so that neither the default packs nor self-protection are there.
func open(dir string, hooks ...checkrein.Hook) *app.Kit {
	file := filepath.Join(dir, "alone.yaml")
	if err := os.WriteFile(file, []byte("version: 1\n"), 0o600); err != nil {
		panic(err)
	}
	k, err := app.Open(app.Options{Dir: dir, Files: []string{file}, Hooks: hooks, State: filepath.Join(dir, "state"), Managed: app.NoManaged,
		Environ: []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH")}})
	if err != nil {
		panic(err)
	}
	return k
}

func rule(i int, match string) checkrein.Hook {
	return checkrein.Hook{ID: fmt.Sprint("rule", i), Name: fmt.Sprint("rule", i), On: checkrein.PreToolUse, Match: match, Run: "rule", Priority: 100,
		If:   checkrein.Condition(fmt.Sprintf(`{"command":{"contains":"ls %d"}}`, i%2)),
		With: json.RawMessage(`{"decision":"ask","reason":"sure?"}`)}
}

// dispatch measures the engine in a long-lived process.
func (b *bench) dispatch() error {
	ctx, ev := context.Background(), shell("ls 0")
	var ten, none []checkrein.Hook
	for i := range 10 {
		ten = append(ten, rule(i, "shell"))
		none = append(none, rule(i, fmt.Sprint("write_file_", i)))
	}
	measure := func(k *app.Kit) testing.BenchmarkResult {
		var out engine.Outcome
		return testing.Benchmark(func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				out = k.Decide(ctx, ev)
			}
			_ = out
		})
	}
	r := measure(open(b.dir, ten...))
	row("in-process dispatch, 10 rule hooks, half of them speaking", fmt.Sprintf("%.2f µs, %d allocations", perOp(r), r.AllocsPerOp()), "≤ 5 µs", "≤ 2.7 µs")
	r = measure(open(b.dir, checkrein.Hook{ID: "packs", Name: "packs", On: checkrein.PreToolUse, Run: "builtin", Priority: 100,
		With: json.RawMessage(`{"name":"packs","args":["filesystem","disk","git","exfiltration"]}`)}))
	row("the default packs on `ls 0`, classification included", fmt.Sprintf("%.2f µs, %d allocations", perOp(r), r.AllocsPerOp()), "≤ 20 µs", "≤ 10 µs")
	r = measure(open(b.dir, none...))
	row("dispatch when nothing matches, 10 matchers", fmt.Sprintf("%.2f µs, %d allocations", perOp(r), r.AllocsPerOp()), "≤ 0.5 µs, 0", "≤ 0.2 µs")
	return nil
}

func perOp(r testing.BenchmarkResult) float64 { return float64(r.T.Nanoseconds()) / float64(r.N) / 1e3 }

// commands measures a command hook against the same program under os/exec,
// with the same input, in turns.
func (b *bench) commands() error {
	payload := []byte(`{"hook_event_name":"pre_tool_use"}`)
	for _, prog := range [][]string{{"/bin/cat"}, {"/bin/sh", "-c", "cat >/dev/null"}} {
		argv, _ := json.Marshal(prog)
		k := open(b.dir, checkrein.Hook{ID: "c", On: checkrein.PreToolUse, Run: "command", Priority: 100, Rewrites: true,
			With: json.RawMessage(`{"argv":` + string(argv) + `}`)})
		ev := shell("ls")
		ev.Kind = checkrein.PreToolUse
		all, err := turns(400, one(func() error {
			k.Decide(context.Background(), ev)
			return nil
		}), one(func() error {
			c := exec.Command(prog[0], prog[1:]...)
			c.Stdin = bytes.NewReader(payload)
			_, err := c.Output()
			return err
		}))
		if err != nil {
			return err
		}
		row("command hook ÷ bare os/exec of `"+filepath.Base(prog[0])+"`", (&bench{}).ratio(all[0], all[1]), "≤ 1.25", "≤ 1.10")
	}
	return nil
}

// timeouts measures how long after its limit a stubborn hook returns.
func (b *bench) timeouts() error {
	for _, cmd := range []string{"sleep 6; true", "sleep 6 & wait", "trap '' TERM; sleep 6; true"} {
		with, _ := json.Marshal(map[string]string{"command": cmd})
		limit := 200 * time.Millisecond
		k := open(b.dir, checkrein.Hook{ID: "t", On: checkrein.PreToolUse, Run: "command", Timeout: limit, With: with})
		all, err := turns(9, one(func() error { k.Decide(context.Background(), shell("ls")); return nil }))
		if err != nil {
			return err
		}
		row("return after a timeout: `"+cmd+"`", fmt.Sprintf("+ %.0f ms", (all[0].quantile(0.5, wall)-limit).Seconds()*1e3), "+ 250 ms", "+ 50 ms")
	}
	return nil
}
