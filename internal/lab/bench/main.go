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

// Commands of the events: passing and denied are judged by the default packs, ruled is
// denied by the rules of fiftyRules.
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

// groups returns what can be measured, by the names that -rows takes.
func (b *bench) groups() []group {
	return []group{
		{"dispatch", b.measureDispatch},
		{"commands", b.measureCommandHooks},
		{"timeouts", b.measureTimeouts},
		{"eval", func() error {
			return b.measureCold(coldRow{what: "`checkrein eval`, one event, 50 rules", must: "≤ 1.6", ambition: "–", config: fiftyRules(), inputs: bashCommand(ruled), args: []string{"eval", "--json"}, says: "deny"})
		}},
		{"version", func() error {
			return b.measureCold(coldRow{what: "`checkrein version`", must: "–", ambition: "–", inputs: bashCommand(passing), args: []string{"version"}, says: "checkrein"})
		}},
		{"record", func() error { return b.measureAppend("one process, one durable record in the ledger", "appendledger") }},
		{"sqlite", func() error {
			return b.measureAppend("the same in SQLite (modernc, WAL, synchronous FULL)", "appendsqlite")
		}},
		{"append", b.measureRecordedDecision},
		{"rules", func() error {
			return b.measureCold(coldRow{what: "cold decision with durable record, 50 rules", must: "≤ 1.8", ambition: "≤ 1.5", config: fiftyRules(), inputs: bashCommand(ruled), host: "native", says: "deny"})
		}},
		{"passing", func() error {
			return b.measureCold(coldRow{what: "`hook claude`, a command that passes, default packs", must: "≤ 1.7", ambition: "≤ 1.5", inputs: bashCommand(passing)})
		}},
		{"denied", func() error {
			return b.measureCold(coldRow{what: "the same, a command that is denied, durable record", must: "≤ 1.9", ambition: "≤ 1.6", inputs: bashCommand(denied), says: denies})
		}},
		{"write", func() error {
			return b.measureCold(coldRow{what: "the same, a write of 50 KB", must: "≤ 2.5", ambition: "≤ 1.9", inputs: workplace.writeInputs})
		}},
		{"installed", b.measureInstalled},
		{"scripts", b.measureScripts},
		{"peers", b.measureAllPeers},
	}
}

// A group measures one or more rows of the table.
type group struct {
	name string
	run  func() error
}

func main() {
	programs := flag.String("programs", "bin", "directory of the built programs")
	only := flag.String("rows", "", "measure only these rows: a comma-separated list of names")
	b := &bench{copied: map[string][]string{}}
	flag.IntVar(&b.runs, "runs", 60, "runs of each copy of a program")
	flag.BoolVar(&b.cpu, "cpu", false, "also print the ratio of processor time, which other load on the machine affects less")
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
	for _, g := range b.groups() {
		names = append(names, g.name)
	}
	if wanted = names; only != "" {
		wanted = strings.Split(only, ",")
	}
	for _, name := range wanted {
		if !slices.Contains(names, name) {
			return fmt.Errorf("unknown row %q; the rows are %s", name, strings.Join(names, ", "))
		}
	}
	fmt.Printf("%s, %s/%s, %d cores\n\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	fmt.Println("| what | measured | must | ambition |")
	fmt.Println("|---|---|---|---|")
	for _, g := range b.groups() {
		if slices.Contains(wanted, g.name) {
			if err := g.run(); err != nil {
				return fmt.Errorf("%s: %w", g.name, err)
			}
		}
	}
	return nil
}

// printRow prints a row of the table.
func printRow(what, measured, must, ambition string) {
	fmt.Printf("| %s | %s | %s | %s |\n", what, measured, must, ambition)
}

// shellEvent returns the event before a shell call, as hosts send it.
func shellEvent(cmd string) checkrein.Event {
	input, _ := json.Marshal(map[string]string{"command": cmd})
	return checkrein.Event{Kind: checkrein.PreToolUse, Session: checkrein.Session{ID: "s", Dir: "/repo"},
		Tool: &checkrein.Tool{Name: "Bash", Canonical: "shell", CallID: "c1", Input: input}}
}

// openKit returns a kit with the given hooks only. Because a configuration file is given by name,
// neither the default packs nor self-protection are loaded.
func openKit(dir string, hooks ...checkrein.Hook) *app.Kit {
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

// askRule returns a rule hook that asks about commands containing "ls 0" if i is even, "ls 1" if it is
// odd.
func askRule(i int, match string) checkrein.Hook {
	return checkrein.Hook{ID: fmt.Sprint("rule", i), Name: fmt.Sprint("rule", i), On: checkrein.PreToolUse, Match: match, Run: "rule", Priority: 100,
		If:   checkrein.Condition(fmt.Sprintf(`{"command":{"contains":"ls %d"}}`, i%2)),
		With: json.RawMessage(`{"decision":"ask","reason":"sure?"}`)}
}

// measureDispatch measures the engine in a long-lived process.
func (b *bench) measureDispatch() error {
	ctx, ev := context.Background(), shellEvent("ls 0")
	var ten, none []checkrein.Hook
	for i := range 10 {
		ten = append(ten, askRule(i, "shell"))
		none = append(none, askRule(i, fmt.Sprint("write_file_", i)))
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
	r := measure(openKit(b.dir, ten...))
	printRow("in-process dispatch, 10 rule hooks, half of them speaking", fmt.Sprintf("%.2f µs, %d allocations", microsPerOp(r), r.AllocsPerOp()), "≤ 5 µs", "≤ 2.7 µs")
	r = measure(openKit(b.dir, checkrein.Hook{ID: "packs", Name: "packs", On: checkrein.PreToolUse, Run: "builtin", Priority: 100,
		With: json.RawMessage(`{"name":"packs","args":["filesystem","disk","git","exfiltration"]}`)}))
	printRow("the default packs on `ls 0`, classification included", fmt.Sprintf("%.2f µs, %d allocations", microsPerOp(r), r.AllocsPerOp()), "≤ 20 µs", "≤ 10 µs")
	r = measure(openKit(b.dir, none...))
	printRow("dispatch when nothing matches, 10 matchers", fmt.Sprintf("%.2f µs, %d allocations", microsPerOp(r), r.AllocsPerOp()), "≤ 0.5 µs, 0", "≤ 0.2 µs")
	return nil
}

// microsPerOp returns the microseconds per operation.
func microsPerOp(r testing.BenchmarkResult) float64 {
	return float64(r.T.Nanoseconds()) / float64(r.N) / 1e3
}

// measureCommandHooks measures a command hook against the same program under os/exec, with the same
// input, in turns.
func (b *bench) measureCommandHooks() error {
	payload := []byte(`{"hook_event_name":"pre_tool_use"}`)
	for _, prog := range [][]string{{"/bin/cat"}, {"/bin/sh", "-c", "cat >/dev/null"}} {
		argv, _ := json.Marshal(prog)
		k := openKit(b.dir, checkrein.Hook{ID: "c", On: checkrein.PreToolUse, Run: "command", Priority: 100, Rewrites: true,
			With: json.RawMessage(`{"argv":` + string(argv) + `}`)})
		ev := shellEvent("ls")
		ev.Kind = checkrein.PreToolUse
		all, err := runInTurns(400, inProcess(func() error {
			k.Decide(context.Background(), ev)
			return nil
		}), inProcess(func() error {
			c := exec.Command(prog[0], prog[1:]...)
			c.Stdin = bytes.NewReader(payload)
			_, err := c.Output()
			return err
		}))
		if err != nil {
			return err
		}
		printRow("command hook ÷ bare os/exec of `"+filepath.Base(prog[0])+"`", (&bench{}).formatRatio(all[0], all[1]), "≤ 1.25", "≤ 1.10")
	}
	return nil
}

// measureTimeouts measures how long after its timeout a hook that does not stop returns.
func (b *bench) measureTimeouts() error {
	for _, cmd := range []string{"sleep 6; true", "sleep 6 & wait", "trap '' TERM; sleep 6; true"} {
		with, _ := json.Marshal(map[string]string{"command": cmd})
		limit := 200 * time.Millisecond
		k := openKit(b.dir, checkrein.Hook{ID: "t", On: checkrein.PreToolUse, Run: "command", Timeout: limit, With: with})
		all, err := runInTurns(9, inProcess(func() error { k.Decide(context.Background(), shellEvent("ls")); return nil }))
		if err != nil {
			return err
		}
		printRow("return after a timeout: `"+cmd+"`", fmt.Sprintf("+ %.0f ms", (all[0].quantile(0.5, wall)-limit).Seconds()*1e3), "+ 250 ms", "+ 50 ms")
	}
	return nil
}
