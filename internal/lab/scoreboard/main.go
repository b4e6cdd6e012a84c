// Command scoreboard writes docs/scoreboard.md: what it proves of builds of hosts, what
// the corpora say, and what a cold decision costs, each number with its command. What
// cannot be shown here is said, with the reason.
//
//	go run ./internal/lab/scoreboard
//	go run ./internal/lab/scoreboard -keep FILE    keeps the proofs that `checkrein prove --json` printed, and writes no page
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/lab/proven"
)

// Where things lie in the repository.
const (
	pages  = "docs"
	builds = "internal/lab/proven/builds"
)

func main() {
	keep := flag.String("keep", "", "import the proofs from this `FILE` (the output of checkrein prove --json), and do not write any pages")
	outputs := flag.String("outputs", "", "store the output of commands in this `FOLDER`, and do not run a command again whose output is there")
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
	proofs, err := proofs(outputs)
	if err != nil {
		return err
	}
	all, err := proven.Read(os.DirFS(filepath.Dir(builds)))
	if err != nil {
		return err
	}
	failed := proofs.failed
	var ran []output
	for _, s := range sections {
		o, err := s.run(outputs)
		if err != nil {
			return err
		}
		failed = errors.Join(failed, o.failed)
		ran = append(ran, o)
	}
	return errors.Join(os.WriteFile(filepath.Join(pages, "scoreboard.md"), []byte(render(all, proofs, ran)), 0o644), failed)
}

// proofs has the lab prove its hosts, and keeps what it shows.
func proofs(outputs string) (output, error) {
	dir, err := filepath.Abs(filepath.Join(outputs, "proofs"))
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err == nil {
		err = os.Setenv("CHECKREIN_PROOFS", dir)
	}
	if err != nil {
		return output{}, err
	}
	o, err := hostsSection.run(outputs)
	if err != nil {
		return o, err
	}
	made, err := filepath.Glob(filepath.Join(dir, "*.json"))
	for _, file := range made {
		err = errors.Join(err, keepProofs(file))
	}
	return o, err
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
	// failed is how the command ended, if not well; what it printed counts all the same.
	failed error
}

// run runs the command of a section, unless its output is there already.
func (s section) run(dir string) (output, error) {
	o := output{section: s}
	file := filepath.Join(dir, s.name+".out")
	text, err := os.ReadFile(file)
	o.at = time.Now().UTC()
	switch info, statErr := os.Stat(file); {
	case err == nil && statErr == nil:
		o.at = info.ModTime().UTC()
	default:
		fmt.Fprintln(os.Stderr, s.command)
		before := load()
		text, err = exec.Command("sh", "-c", s.command).CombinedOutput()
		marked := fmt.Appendf(text, "\n%s%s, %s\n", loadMark, before, load())
		if err != nil {
			o.failed = fmt.Errorf("%s: %w\n%s", s.command, err, last(string(text), 20))
		} else if err := os.WriteFile(file, marked, 0o600); err != nil { // what failed is run again
			return o, err
		}
		text = marked
	}
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
