// Package evasion runs commands that do damage where they can do none: inside
// namespaces of their own, with the machine's files read-only, a decoy home in
// memory and no network but a listener. Tests use it to prove that a command
// which was written to look harmless is not, and to have it judged beside the
// files and links that it means.
package evasion

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
)

// A Row is one command that does damage.
type Row struct {
	ID      string `json:"id"`
	Class   string `json:"class"`
	Command string `json:"command"`
	Setup   string `json:"setup,omitempty"` // what earlier steps of the session left behind
	Harm    string `json:"harm"`            // destroys or sends
	// Proof is what shows the damage: "lost: PATH[, PATH]" for files of the home
	// that are gone or no longer hold what they held (a directory is lost when all
	// of its files are), "lost commits" when the project's history cannot be read
	// any more, "listener got: TEXT".
	Proof string `json:"proof"`
}

// Read returns the rows of a file and refuses those that are not complete.
func Read(file string) ([]Row, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var rows []Row
	seen := map[string]bool{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 4<<20)
	for n := 1; lines.Scan(); n++ {
		var r Row
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, n, err)
		}
		if err := r.complete(); err != nil || seen[r.ID] {
			return nil, fmt.Errorf("%s:%d: id %q, seen before %v: %w", file, n, r.ID, seen[r.ID], err)
		}
		seen[r.ID] = true
		rows = append(rows, r)
	}
	return rows, lines.Err()
}

func (r Row) complete() error {
	_, lost := strings.CutPrefix(r.Proof, "lost")
	_, got := strings.CutPrefix(r.Proof, "listener got: ")
	switch {
	case r.ID == "" || r.Class == "" || strings.TrimSpace(r.Command) == "":
		return errors.New("id, class or command is empty")
	case r.Harm == "destroys" && lost, r.Harm == "sends" && got:
		return nil
	}
	return fmt.Errorf("harm %q does not go with proof %q", r.Harm, r.Proof)
}

// Classes are the classes of rows, sorted.
func Classes(rows []Row) []string {
	var out []string
	for _, r := range rows {
		if !slices.Contains(out, r.Class) {
			out = append(out, r.Class)
		}
	}
	slices.Sort(out)
	return out
}

// A Job is what happens inside: the row's command runs, or a program is asked.
type Job struct {
	Row    Row
	Judge  []string          // a program and its arguments: it runs, beside what Row's setup left, and the row does not
	Inputs []string          // what the judge reads, one run each
	Mounts map[string]string // files and directories of the machine, by where they are inside (below /root)
}

// A Result is what came of a job.
type Result struct {
	Proven  bool    // the proof was found
	Before  bool    // the proof was found before the command ran: the row is wrong
	Ran     Reply   // of the command
	Got     string  // what the listener was sent
	Replies []Reply // of the judge
}

// A Reply is what a program said.
type Reply struct {
	Output, Errors string
	Exit           int
}

// Where the decoy is, inside.
const (
	Home    = "/home/dev"
	Project = Home + "/project"
)
