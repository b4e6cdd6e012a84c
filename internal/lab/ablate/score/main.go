// Command score judges the commands of all corpora as a machine does on which nothing is
// configured, in this process, and prints a line of JSON for each.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/lab/corpora"
	_ "github.com/checkrein/checkrein/internal/text/yamldoc/parser"
)

func main() {
	if err := score(); err != nil {
		fmt.Fprintln(os.Stderr, "score:", err)
		os.Exit(1)
	}
}

func score() error {
	dir, err := corpora.MakeHome()
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	p, err := corpora.NewPlace(dir)
	if err != nil {
		return err
	}
	k, err := app.Open(app.Options{Dir: p.Project, State: filepath.Join(p.Home, "state"), Managed: app.NoManaged, Environ: p.Environ(), Peek: true})
	if err != nil {
		return err
	}
	out := bufio.NewWriter(os.Stdout)
	lines := json.NewEncoder(out)
	for _, set := range corpora.Sets() {
		cases, err := set.Read(".")
		if err != nil {
			return err
		}
		for _, r := range judge(k, p, set.Name, cases) {
			if err := lines.Encode(r); err != nil {
				return err
			}
		}
	}
	return out.Flush()
}

// judge returns the verdicts about all cases, in their order.
func judge(k *app.Kit, p corpora.Place, set string, cases []corpora.Case) []corpora.Verdict {
	out := make([]corpora.Verdict, len(cases))
	var wg sync.WaitGroup
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := range next {
				out[i] = verdict(k, p, set, &cases[i])
			}
		})
	}
	for i := range cases {
		next <- i
	}
	close(next)
	wg.Wait()
	return out
}

func verdict(k *app.Kit, p corpora.Place, set string, c *corpora.Case) corpora.Verdict {
	tool := "Bash"
	if c.Dialect == "powershell" {
		tool = "PowerShell"
	}
	input, _ := json.Marshal(map[string]any{"command": p.Here(c.Command)}) // of strings
	v := k.Decide(context.Background(), checkrein.Event{
		Kind: checkrein.PreToolUse, Host: "claude", Session: checkrein.Session{Dir: p.Project, Root: p.Project},
		Tool: &checkrein.Tool{Name: tool, Input: input},
	}).Verdict
	return corpora.Verdict{Set: set, Command: c.Command, Decision: v.Decision.String()}
}
