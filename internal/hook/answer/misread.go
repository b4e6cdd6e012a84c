package answer

import (
	"errors"
	"fmt"
	"strings"

	"github.com/checkrein/checkrein"
)

// ErrMisread is the fault of a hook that continued although its JSON reader failed, so that its answer
// does not depend on the payload.
var ErrMisread = errors.New("the hook continued although it could not read its payload (use printf '%s' \"$INPUT\" instead of echo, and set -e)")

// ErrNoReader is the fault of a hook that continued although the program that reads its payload is
// missing.
var ErrNoReader = errors.New("the hook continued without the program that reads its payload (install that program, and use set -e)")

// An ExitError is the fault of a hook whose program failed.
type ExitError struct {
	Code   int
	Line   string // the first line on stderr
	Signal string // the signal that ended it, or ""
}

func (e *ExitError) Error() string {
	if e.Signal != "" {
		return "ended by signal " + e.Signal
	}
	return strings.TrimSuffix(fmt.Sprintf("exit code %d: %s", e.Code, e.Line), ": ")
}

// An UnreadableError is the fault of a hook whose answer is malformed.
type UnreadableError struct{ error }

func (e *UnreadableError) Unwrap() error { return e.error }

// Unreadablef returns an UnreadableError whose text is formatted as by [fmt.Errorf].
func Unreadablef(format string, args ...any) error {
	return &UnreadableError{fmt.Errorf(format, args...)}
}

// jsonReaders lists programs with which shell scripts parse JSON.
var jsonReaders = []string{"jq", "gojq", "jaq", "yq"}

// FindMissingReader returns the line of log in which a shell reports that a JSON reader is not
// installed, or "".
func FindMissingReader(log string) string {
	if !strings.Contains(log, "not found") {
		return ""
	}
	for line := range strings.Lines(log) {
		line = strings.TrimSpace(line)
		for _, name := range jsonReaders {
			// the messages of dash and busybox, bash and ksh, and zsh
			if line == name+": not found" || strings.HasSuffix(line, ": "+name+": command not found") || strings.HasSuffix(line, ": "+name+": not found") || strings.HasSuffix(line, "command not found: "+name) {
				return line
			}
		}
	}
	return ""
}

// FindReadError returns the line of log in which a JSON reader reports that its input is not JSON, or
// "". Errors about JSON with an unexpected structure do not count.
func FindReadError(log string) string {
	if !strings.Contains(log, "JSON") && !strings.Contains(log, "parse error") && !strings.Contains(log, "json") {
		return ""
	}
	for line := range strings.Lines(log) {
		line = strings.TrimSpace(line)
		rest := strings.TrimPrefix(line, "jq: ")
		switch {
		case strings.HasPrefix(rest, "parse error: ") && strings.Contains(rest, " at line "), // jq
			strings.HasPrefix(line, "gojq: invalid json"),
			strings.HasPrefix(line, "json.decoder.JSONDecodeError: "),                                                                   // Python
			strings.HasPrefix(line, "SyntaxError: ") && strings.Contains(line, " JSON"), strings.Contains(line, "in JSON at position "), // JavaScript
			strings.Contains(line, "JSON::ParserError"): // Ruby
			return line
		}
	}
	return ""
}

// consents reports whether the hook could deny but did not.
func consents(h *checkrein.Hook, ans *checkrein.Answer, out *Output) bool {
	return out.Exit == 0 && ans.Decision != checkrein.Deny && checkrein.ContractOf(h.On).Can(checkrein.CanDeny)
}
