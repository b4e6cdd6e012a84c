// Package proven holds what the lab has proven about builds of hosts: the rows and the date of the
// latest proof, in a file per build. docs/hosts and docs/scoreboard.md show them.
//
// A file consists of what `checkrein prove HOST --json` prints, without paths and evidence, which
// belong to the machine on which the proof was made.
package proven

import (
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/host/capability"
)

//go:embed builds/*.json
var files embed.FS

// A Build is one build of a host with its latest proof.
type Build struct {
	Host      string                               `json:"host"`
	Title     string                               `json:"title"`
	Version   string                               `json:"version"` // as the build itself reports it
	SHA256    string                               `json:"sha256"`  // digest of its program
	Mode      string                               `json:"mode"`
	Proven    time.Time                            `json:"proven"`
	Took      float64                              `json:"took"`      // seconds
	Checkrein string                               `json:"checkrein"` // the build that proved it
	Rows      map[capability.Row]capability.Result `json:"rows"`
	// Said describes, for the rows that are not honoured, what was observed.
	Said map[capability.Row]string `json:"said,omitempty"`
}

// File returns the name of the build's file.
func (b *Build) File() string { return b.Host + "-" + b.Version + ".json" }

// Count returns the number of rows that have the result r.
func (b *Build) Count(r capability.Result) int {
	n := 0
	for _, got := range b.Rows {
		if got == r {
			n++
		}
	}
	return n
}

// All returns all builds, sorted by host, and those of a host by date, latest first.
func All() ([]Build, error) { return Read(files) }

// Read is like All, but reads the files in the directory builds of from.
func Read(from fs.FS) ([]Build, error) {
	names, err := fs.Glob(from, "builds/*.json")
	if err != nil {
		return nil, err
	}
	var all []Build
	for _, name := range names {
		text, err := fs.ReadFile(from, name)
		if err != nil {
			return nil, err
		}
		var b Build
		if err := json.Unmarshal(text, &b); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if name != "builds/"+b.File() {
			return nil, fmt.Errorf("%s is about %s %s: name it builds/%s", name, b.Host, b.Version, b.File())
		}
		all = append(all, b)
	}
	slices.SortStableFunc(all, func(a, b Build) int {
		if a.Host != b.Host {
			return strings.Compare(a.Host, b.Host)
		}
		return b.Proven.Compare(a.Proven)
	})
	return all, nil
}

// validName matches valid names of hosts and versions, which are part of file names.
var validName = regexp.MustCompile(`^[0-9a-z][0-9A-Za-z.+-]*$`)

// ParseProofs parses the output of `checkrein prove --json`.
func ParseProofs(r io.Reader) ([]Build, error) {
	var printed struct {
		Proofs []struct {
			Host, Title, Version, Mode, Checkrein string
			Program                               struct{ SHA256 string }
			Began                                 time.Time
			Took                                  float64
			Outcomes                              []struct {
				Row    capability.Row
				Result capability.Result
				Said   string
			}
		}
	}
	if err := json.NewDecoder(r).Decode(&printed); err != nil {
		return nil, fmt.Errorf("reading proofs: %w", err)
	}
	var all []Build
	for _, p := range printed.Proofs {
		if !validName.MatchString(p.Host) || !validName.MatchString(p.Version) || len(p.Outcomes) == 0 {
			return nil, fmt.Errorf("the proof of %q %q has no rows or no proper name: print it with checkrein prove AGENT --json", p.Host, p.Version)
		}
		b := Build{
			Host: p.Host, Title: p.Title, Version: p.Version, SHA256: p.Program.SHA256, Mode: p.Mode,
			Proven: p.Began.UTC(), Took: float64(int(p.Took*10)) / 10, Checkrein: p.Checkrein,
			Rows: map[capability.Row]capability.Result{}, Said: map[capability.Row]string{},
		}
		for _, o := range p.Outcomes {
			b.Rows[o.Row] = o.Result
			if o.Result != capability.Honoured {
				b.Said[o.Row] = o.Said
			}
		}
		all = append(all, b)
	}
	return all, nil
}
