//go:build unix

// Command bench measures what checkrein promises about speed, as ratios against
// a floor in the same loop, and prints the table of docs/benchmarks.md.
//
//	go run ./internal/bench -programs bin
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/engine"
	"github.com/checkrein/checkrein/kit"
)

func main() {
	programs := flag.String("programs", "bin", "directory of the built programs")
	runs := flag.Int("runs", 300, "runs of each program")
	flag.Parse()
	if err := run(*programs, *runs); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(programs string, runs int) error {
	dir, err := os.MkdirTemp("", "checkrein-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	programs, err = filepath.Abs(programs)
	if err != nil {
		return err
	}
	fmt.Printf("%s, %s/%s, %d cores\n\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	fmt.Println("| what | measured | must | ambition |")
	fmt.Println("|---|---|---|---|")
	dispatch(dir)
	if err := commands(dir); err != nil {
		return err
	}
	if err := timeouts(dir); err != nil {
		return err
	}
	if err := starts(dir, programs, runs); err != nil {
		return err
	}
	if err := appends(dir, runs); err != nil {
		return err
	}
	return hosts(dir, programs, runs)
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

// open returns a kit with the given hooks and nothing else of this machine.
func open(dir string, hooks ...checkrein.Hook) *kit.Kit {
	own := filepath.Join(dir, ".config", "checkrein")
	if err := os.MkdirAll(own, 0o700); err != nil {
		panic(err)
	}
	if err := os.WriteFile(filepath.Join(own, "checkrein.yaml"), []byte("version: 1\npacks: []\n"), 0o600); err != nil { // the default packs have a row of their own
		panic(err)
	}
	k, err := kit.Open(kit.Options{Dir: dir, Hooks: hooks, State: filepath.Join(dir, "state"), Managed: kit.NoManaged,
		Environ: []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH")}})
	if err != nil {
		panic(err)
	}
	return k
}

func rule(i int, match string) checkrein.Hook {
	return checkrein.Hook{ID: fmt.Sprint("rule", i), Name: fmt.Sprint("rule", i), On: checkrein.PreToolUse, Match: match, Run: "rule", Priority: 100,
		If:   json.RawMessage(fmt.Sprintf(`{"command":{"contains":"ls %d"}}`, i%2)),
		With: json.RawMessage(`{"decision":"ask","reason":"sure?"}`)}
}

// dispatch measures the engine in a long-lived process.
func dispatch(dir string) {
	ctx, ev := context.Background(), shell("ls 0")
	var ten, none []checkrein.Hook
	for i := range 10 {
		ten = append(ten, rule(i, "shell"))
		none = append(none, rule(i, fmt.Sprint("write_file_", i)))
	}
	measure := func(k *kit.Kit) testing.BenchmarkResult {
		var out engine.Outcome
		return testing.Benchmark(func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				out = k.Decide(ctx, ev)
			}
			_ = out
		})
	}
	r := measure(open(dir, ten...))
	row("in-process dispatch, 10 rule hooks, half of them speaking", fmt.Sprintf("%.2f µs, %d allocations", perOp(r), r.AllocsPerOp()), "≤ 7 µs", "≤ 2.7 µs")
	r = measure(open(dir, checkrein.Hook{ID: "packs", Name: "packs", On: checkrein.PreToolUse, Run: "builtin", Priority: 100,
		With: json.RawMessage(`{"name":"packs","args":["filesystem","disk","git","exfiltration"]}`)}))
	row("the default packs on `ls 0`, classification included", fmt.Sprintf("%.2f µs, %d allocations", perOp(r), r.AllocsPerOp()), "≤ 20 µs", "≤ 10 µs")
	r = measure(open(dir, none...))
	row("dispatch when nothing matches, 10 matchers", fmt.Sprintf("%.2f µs, %d allocations", perOp(r), r.AllocsPerOp()), "≤ 0.5 µs, 0", "≤ 0.2 µs")
}

func perOp(r testing.BenchmarkResult) float64 { return float64(r.T.Nanoseconds()) / float64(r.N) / 1e3 }

// commands measures a command hook against the same program under os/exec,
// with the same input, in turns.
func commands(dir string) error {
	payload := []byte(`{"hook_event_name":"pre_tool_use"}`)
	for _, prog := range [][]string{{"/bin/cat"}, {"/bin/sh", "-c", "cat >/dev/null"}} {
		argv, _ := json.Marshal(prog)
		k := open(dir, checkrein.Hook{ID: "c", On: checkrein.PreToolUse, Run: "command", Priority: 100, Rewrites: true,
			With: json.RawMessage(`{"argv":` + string(argv) + `}`)})
		ev := shell("ls")
		ev.Kind = checkrein.PreToolUse
		hook, bare := series(400, func() error {
			k.Decide(context.Background(), ev)
			return nil
		}, func() error {
			c := exec.Command(prog[0], prog[1:]...)
			c.Stdin = reader(payload)
			_, err := c.Output()
			return err
		})
		row("command hook ÷ bare os/exec of `"+filepath.Base(prog[0])+"`", ratio(hook, bare), "≤ 1.25", "≤ 1.10")
	}
	return nil
}

// timeouts measures how long after its limit a stubborn hook returns.
func timeouts(dir string) error {
	for _, cmd := range []string{"sleep 6; true", "sleep 6 & wait", "trap '' TERM; sleep 6; true"} {
		with, _ := json.Marshal(map[string]string{"command": cmd})
		limit := 200 * time.Millisecond
		k := open(dir, checkrein.Hook{ID: "t", On: checkrein.PreToolUse, Run: "command", Timeout: limit, With: with})
		late, _ := series(9, func() error { k.Decide(context.Background(), shell("ls")); return nil }, nil)
		row("return after a timeout: `"+cmd+"`", fmt.Sprintf("+ %.0f ms", (late.median()-limit).Seconds()*1e3), "+ 250 ms", "+ 50 ms")
	}
	return nil
}
