// Package base holds what the commands for people share: exit codes, the check that a person runs a
// command, the directories and the kit of a command, and text formatting.
package base

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/text/term"
	"github.com/checkrein/checkrein/internal/text/visible"
)

// AsRefusal returns err with exit code 4. Since err may quote files, control characters in its text
// are made visible.
func AsRefusal(err error) error {
	if text := err.Error(); visible.EscapeText(text) != text {
		err = errors.New(visible.EscapeText(text))
	}
	return &Exit{Code: console.Refused, Err: err}
}

// AsFailure returns err with exit code 1. It returns err unchanged if it is nil or has an exit code.
func AsFailure(err error) error {
	var e *Exit
	if err == nil || errors.As(err, &e) {
		return err
	}
	return &Exit{Code: console.Finding, Err: err}
}

// OrFinding returns err. If err is nil and so is set, it returns an error with exit code 1 that is not
// printed, because a report has shown the finding.
func OrFinding(err error, so bool, what string) error {
	if err == nil && so {
		return &Exit{Code: console.Finding, Err: errors.New(what), Quiet: true}
	}
	return err
}

// An Exit is an error with an exit code. It is not printed if Quiet is set.
type Exit struct {
	Code  int
	Err   error
	Quiet bool
}

// Error returns the text of the error.
func (e *Exit) Error() string { return e.Err.Error() }

// Unwrap returns e.Err.
func (e *Exit) Unwrap() error { return e.Err }

// FileExists reports whether path exists, as a file of any type.
func FileExists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// AbsolutePaths returns the absolute paths of files that are named on the command line.
func AbsolutePaths(env *console.Env, files []string) []string {
	out := make([]string, len(files))
	for i, f := range files {
		out[i] = env.Path(f)
	}
	return out
}

// HookPlace returns a line that identifies a hook by its event, id and place.
func HookPlace(event, id, where string) string {
	return visible.EscapeLine(event) + "  " + visible.EscapeLine(id) + "  " + visible.EscapeLine(where)
}

// Amount returns a number with its noun, such as "1 record" or "12,345 records".
func Amount[N int | int64 | uint64](n N, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return term.FormatNumber(int(n)) + " " + thing
}

// PrintJSON prints v as JSON to stdout. It escapes all characters that a terminal might act on, even
// those that JSON allows unescaped.
func PrintJSON(env *console.Env, v any) error {
	var buf bytes.Buffer
	if err := json.NewEncoder(&buf).Encode(v); err != nil {
		return err
	}
	var out strings.Builder
	for _, r := range buf.String() {
		if r == '\n' || unicode.IsPrint(r) {
			out.WriteRune(r)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			fmt.Fprintf(&out, "\\u%04x", unit)
		}
	}
	_, err := io.WriteString(env.Stdout, out.String())
	return err
}

// MaxCell is how many characters of a cell a table shows.
const MaxCell = 48

// Truncate returns s, shortened to n characters with an ellipsis if it is longer.
func Truncate(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// OneLine returns s with each run of white space replaced by one space, and none at its ends.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// RelativePath returns path relative to root if it lies below it, and path itself otherwise.
func RelativePath(root, path string) string {
	if rel, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return path
}

// SplitErrors returns the errors that were joined into err, without duplicates. Both the reader of a
// file and the engine may report the same mistake in a hook.
func SplitErrors(err error) []error {
	var out []error
	seen := map[string]bool{}
	var walk func(error)
	walk = func(err error) {
		if err == nil {
			return
		}
		if many, ok := err.(interface{ Unwrap() []error }); ok {
			for _, e := range many.Unwrap() {
				walk(e)
			}
			return
		}
		if s := err.Error(); !seen[s] {
			seen[s] = true
			out = append(out, err)
		}
	}
	walk(err)
	return out
}
