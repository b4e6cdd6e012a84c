// Command scoreboard writes docs/scoreboard.md: what it proves about builds of hosts, the scores on
// the corpora, and the cost of a cold decision, each with its command. If something cannot be shown,
// the page gives the reason.
//
//	go run ./internal/lab/scoreboard
//	go run ./internal/lab/scoreboard -keep FILE    imports the proofs that `checkrein prove --json` printed, and writes no page
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

// Directories in the repository.
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
		return importProofs(keep)
	}
	if outputs == "" {
		if outputs, err = os.MkdirTemp("", "checkrein-scoreboard-*"); err != nil {
			return err
		}
		defer os.RemoveAll(outputs)
	}
	proofs, err := proveHosts(outputs)
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
	return errors.Join(os.WriteFile(filepath.Join(pages, "scoreboard.md"), []byte(renderPage(all, proofs, ran)), 0o644), failed)
}

// proveHosts proves the lab's hosts and imports the proofs.
func proveHosts(outputs string) (output, error) {
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
		err = errors.Join(err, importProofs(file))
	}
	return o, err
}

// importProofs writes a file for each proof in file. It replaces an earlier proof of the same build.
func importProofs(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	all, err := proven.ParseProofs(f)
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
	load string // load of the machine before and after
	// failed is the command's error, or nil. Its output is used even if it failed.
	failed error
}

// run runs the command of a section, unless dir has its output. It stores the output there if the
// command succeeds.
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
		before := loadAverage()
		text, err = exec.Command("sh", "-c", s.command).CombinedOutput()
		marked := fmt.Appendf(text, "\n%s%s, %s\n", loadMark, before, loadAverage())
		if err != nil {
			o.failed = fmt.Errorf("%s: %w\n%s", s.command, err, lastLines(string(text), 20))
		} else if err := os.WriteFile(file, marked, 0o600); err != nil { // failed commands are run again next time
			return o, err
		}
		text = marked
	}
	o.text, o.load, _ = strings.Cut(string(text), loadMark)
	o.load = strings.TrimSpace(o.load)
	return o, nil
}

// loadMark begins the line about the machine's load, which follows a command's output.
const loadMark = "load before and after: "

// loadAverage returns the machine's load average of the last minute, or "unknown".
func loadAverage() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	first, _, _ := strings.Cut(string(text), " ")
	return first
}

// lastLines returns the last n lines of text.
func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
