package desk

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/sys/build"
	"github.com/checkrein/checkrein/internal/text/visible"
	"github.com/spf13/cobra"
)

// A release is a release of checkrein, as an index of releases lists it.
type release struct {
	Version  string `json:"version"`
	Security bool   `json:"security,omitempty"` // it repairs a way around a guard
	Notes    string `json:"notes,omitempty"`
}

// selfCommand returns the self command.
func selfCommand(env *console.Env) *cobra.Command {
	self := &cobra.Command{Use: "self", Short: "Look after checkrein itself"}
	var index string
	check := &cobra.Command{
		Use: "check --index FILE", Short: "Compare this version with the releases in a file",
		Long:    "check compares this version with a list of releases that your organization or a\npackage keeps on this machine. checkrein never looks for updates by itself, and\nasks no server. Exit code 1: there is a newer release.\n\nThe file is JSON: [{\"version\": \"0.7.0\", \"security\": true, \"notes\": \"…\"}, …]",
		Example: "  checkrein self check --index /usr/share/checkrein/releases.json",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if index == "" {
				return errors.New("name the list of releases with --index FILE: checkrein asks no server")
			}
			return checkReleases(env, env.Path(index))
		},
	}
	check.Flags().StringVar(&index, "index", "", "the `FILE` with the list of releases")
	self.AddCommand(check)
	return self
}

// checkReleases prints the releases in the file index that are newer than this program.
func checkReleases(env *console.Env, index string) error {
	text, err := os.ReadFile(index)
	if err != nil {
		return base.AsRefusal(err)
	}
	var all []release
	if err := json.Unmarshal(text, &all); err != nil {
		return base.AsRefusal(fmt.Errorf("%s is not a list of releases: %w", visible.EscapeLine(index), err))
	}
	own, isRelease := parseVersion(build.Version)
	if !isRelease {
		return base.AsRefusal(fmt.Errorf("this program was built from source (%s), so releases are not compared with it", build.Version))
	}
	newer := 0
	for _, r := range all {
		v, ok := parseVersion(r.Version)
		if !ok {
			return base.AsRefusal(fmt.Errorf("%s: %q is not a version", visible.EscapeLine(index), r.Version))
		}
		if slices.Compare(own[:], v[:]) >= 0 {
			continue
		}
		newer++
		line := r.Version + " is newer than " + build.Version
		if r.Security {
			line += " and repairs a way around a guard"
		}
		if r.Notes != "" {
			line += ": " + visible.EscapeLine(r.Notes)
		}
		fmt.Fprintln(env.Stdout, line)
	}
	if newer > 0 {
		return &base.Exit{Code: console.Finding, Quiet: true}
	}
	fmt.Fprintf(env.Stdout, "%s is the newest release in %s\n", build.Version, visible.EscapeLine(index))
	return nil
}

// parseVersion returns the numbers of a release's version. It reports false if text is not one, as with
// builds between releases.
func parseVersion(text string) (v [3]int, ok bool) {
	parts := strings.Split(strings.TrimPrefix(text, "v"), ".")
	if len(parts) != len(v) {
		return v, false
	}
	for i, p := range parts {
		n, err := strconv.ParseUint(p, 10, 31)
		if err != nil {
			return v, false
		}
		v[i] = int(n)
	}
	return v, true
}
