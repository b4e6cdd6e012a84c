// Command score judges the commands of all corpora in this process, as on a machine where nothing is
// configured, and prints a line of JSON for each. With -sweep, in a build of ablate, it judges them
// again without each of the functions that a file lists.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"

	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/lab/corpora"
	"github.com/checkrein/checkrein/internal/lab/guardtest"
)

func main() {
	functions := flag.String("sweep", "", "a file with the names of functions, in JSON")
	walls := flag.Bool("walls", false, "judge as where walls are installed")
	flag.Parse()
	if err := score(*functions, *walls); err != nil {
		fmt.Fprintln(os.Stderr, "score:", err)
		os.Exit(1)
	}
}

// score judges all corpora and prints the verdicts. If functions is not "", it sweeps the functions
// that this file lists instead. walls means that walls are installed.
func score(functions string, walls bool) error {
	dir, err := corpora.MakeHome()
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	p, err := corpora.BuildPlace(dir)
	if err != nil {
		return err
	}
	g, err := guardtest.Open(p)
	if err != nil {
		return err
	}
	if walls {
		if err := g.InstallWalls(); err != nil {
			return err
		}
	}
	if functions != "" {
		return sweep(functions, p, g)
	}
	out := bufio.NewWriter(os.Stdout)
	lines := json.NewEncoder(out)
	for _, set := range corpora.Sets() {
		cases, err := set.ReadWithoutSetup(".")
		if err != nil {
			return err
		}
		verdicts := make([]corpora.Verdict, len(cases))
		guardtest.Each(cases, func(i int, c *corpora.Case) {
			v := g.Decide(c.Dialect, p.Localize(c.Command))
			verdicts[i] = corpora.Verdict{Set: set.Name, Command: c.Command, Answer: engine.AnswerWord(&v)}
		})
		for _, v := range verdicts {
			if err := lines.Encode(v); err != nil {
				return err
			}
		}
	}
	return out.Flush()
}
