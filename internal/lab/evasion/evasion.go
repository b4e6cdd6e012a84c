// Package evasion runs harmful commands where they cannot do damage: in separate namespaces, with the
// machine's files read-only, a decoy home directory in memory and no network but a listener. Tests use
// it to prove that a command which looks harmless does damage, and to judge it in the presence of the
// files and symlinks that it refers to.
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
	Setup   string `json:"setup,omitempty"` // commands of earlier steps of the session, run first
	Harm    string `json:"harm"`            // destroys or sends
	// Proof is the condition that proves the damage: "lost: PATH[, PATH]" if these files of
	// the home directory are gone or no longer contain what they did (a directory is lost if
	// all of its files are), "lost commits" if the project's history can no longer be read,
	// or "listener got: TEXT".
	Proof string `json:"proof"`
}

// Read returns the rows of a file. It returns an error if a row is incomplete or an ID is repeated.
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
		if err := r.validate(); err != nil || seen[r.ID] {
			return nil, fmt.Errorf("%s:%d: id %q, seen before %v: %w", file, n, r.ID, seen[r.ID], err)
		}
		seen[r.ID] = true
		rows = append(rows, r)
	}
	return rows, lines.Err()
}

// validate returns an error if a field is missing or Proof does not fit Harm.
func (r Row) validate() error {
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

// Classes returns the classes of rows, sorted.
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

// A Job is what to run inside a jail: the row's command, or a judge.
type Job struct {
	Row    Row
	Judge  []string // a program and its arguments, run after Row's setup instead of Row's command
	Inputs []string // stdin of the judge, which runs once for each
	// Undo is a program and its arguments. If it is set, Row's setup and command run as steps of one
	// session: Run asks the judge before each, with the next of Inputs, and runs the step unless the
	// reply contains one of Stops. If the damage is done then, it runs Undo.
	// Without a Proof nothing is undone.
	Undo  []string
	Stops []string
	// Then, if it is set, is a program and its arguments that runs after the steps of a session.
	Then []string
	// Prepare, if it is set, runs before the first step, and the steps run through Wrapper, as Claude Code
	// does it. Env is added to the environment of all programs but Prepare's.
	Prepare []string
	Wrapper string
	After   []string // stdin of the judge after each step
	Env     []string
	Mounts  map[string]string // maps paths inside, below /root, to files and directories of the machine
}

// A Result is the result of a Job.
type Result struct {
	Proven  bool    // the proof was found
	Before  bool    // the proof was found before the command ran, so the row is wrong
	Ran     Reply   // result of the command
	Got     string  // data that the listener received
	Replies []Reply // results of the judge
	Stopped int     // the number of the step that the judge stopped, from 1; 0 = none
	Undone  bool    // the proof was found, and was not after Undo
}

// A Reply is the output and the exit code of a program.
type Reply struct {
	Output, Errors string
	Exit           int
}

// Paths of the decoy home directory and project inside the jail.
const (
	Home    = "/home/dev"
	Project = Home + "/project"
)
