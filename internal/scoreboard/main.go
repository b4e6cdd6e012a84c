// Command scoreboard writes docs/scoreboard.md: what was proven of builds of hosts, what
// the corpora say, and what a cold decision costs, each number with its command.
//
//	go run ./internal/scoreboard
//	go run ./internal/scoreboard -keep FILE    first keeps the proofs that `checkrein prove --json` printed
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/proven"
)

// Where things lie in the repository.
const (
	pages  = "docs"
	builds = "internal/proven/builds"
)

func main() {
	keep := flag.String("keep", "", "keep the proofs of this file, which checkrein prove --json printed, and write no page")
	outputs := flag.String("outputs", "", "keep what commands print in this folder, and do not run those again whose output is there")
	flag.Parse()
	err := run(*keep, *outputs)
	if err != nil {
		fmt.Fprintln(os.Stderr, "scoreboard:", err)
		os.Exit(1)
	}
}

func run(keep, outputs string) (err error) {
	if _, err := os.Stat("go.mod"); err != nil {
		return fmt.Errorf("run it in the repository's root: %w", err)
	}
	if keep != "" {
		return keepProofs(keep)
	}
	if outputs == "" {
		if outputs, err = os.MkdirTemp("", "checkrein-scoreboard-*"); err != nil {
			return err
		}
		defer os.RemoveAll(outputs)
	}
	all, err := proven.All()
	if err != nil {
		return err
	}
	var ran []output
	for _, s := range sections {
		o, err := s.run(outputs)
		if err != nil {
			return err
		}
		ran = append(ran, o)
	}
	return os.WriteFile(filepath.Join(pages, "scoreboard.md"), []byte(render(all, ran)), 0o644)
}

// keepProofs makes a file of each proof, in place of an earlier one of that build.
func keepProofs(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	all, err := proven.From(f)
	if err != nil {
		return err
	}
	for i := range all {
		text, err := json.MarshalIndent(&all[i], "", "  ")
		if err != nil {
			return err
		}
		path := filepath.Join(builds, all[i].File())
		if err := os.WriteFile(path, append(text, '\n'), 0o644); err != nil {
			return err
		}
		fmt.Println(path)
	}
	return nil
}

// An output is what the command of a section printed.
type output struct {
	section
	text string
	at   time.Time
	load string // of the machine when it began and ended
}

// run runs the command of a section, unless its output is there already.
func (s section) run(dir string) (output, error) {
	o := output{section: s}
	file := filepath.Join(dir, s.name+".out")
	if _, err := os.Stat(file); err != nil {
		fmt.Fprintln(os.Stderr, s.command)
		before := load()
		text, err := exec.Command("sh", "-c", s.command).CombinedOutput()
		if err != nil {
			return o, fmt.Errorf("%s: %w\n%s", s.command, err, last(string(text), 20))
		}
		text = fmt.Appendf(text, "\n%s%s, %s\n", loadMark, before, load())
		if err := os.WriteFile(file, text, 0o600); err != nil {
			return o, err
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return o, err
	}
	info, err := os.Stat(file)
	if err != nil {
		return o, err
	}
	o.at = info.ModTime().UTC()
	o.text, o.load, _ = strings.Cut(string(text), loadMark)
	o.load = strings.TrimSpace(o.load)
	return o, nil
}

// loadMark begins the line about the machine, behind what a command printed.
const loadMark = "load before and after: "

// load is how many processes wanted a processor in the last minute.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	first, _, _ := strings.Cut(string(text), " ")
	return first
}

func last(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
