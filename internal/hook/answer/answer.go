// Package answer reads the answers of hooks in every dialect and from every transport.
//
// A hook answers by its exit code, by a JSON object on stdout, or by plain text. Systems spell and
// nest keys differently. All spellings are accepted, and keys without a meaning are listed in
// Answer.Ignored.
package answer

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// An Output is the output and exit code of a hook's program.
type Output struct {
	Stdout, Stderr []byte
	Exit           int
}

// maxReason limits the length of a reason that is taken from stderr.
const maxReason = 16 << 10

// ReadOutput returns the answer of h in its output. An error is a fault: the output contains no
// reliable answer.
func ReadOutput(h *checkrein.Hook, form *hookfile.AnswerForm, out Output) (checkrein.Answer, error) {
	ans, err := readByExitCode(h, form, out)
	if err != nil {
		return ans, err
	}
	if consents(h, &ans, &out) {
		if line := FindReadError(ans.Log); line != "" {
			return checkrein.Answer{Raw: ans.Raw, Log: ans.Log, Ignored: ans.Ignored}, fmt.Errorf("%w: %s", ErrMisread, line)
		}
		if line := FindMissingReader(ans.Log); line != "" {
			return checkrein.Answer{Raw: ans.Raw, Log: ans.Log, Ignored: ans.Ignored}, fmt.Errorf("%w: %s", ErrNoReader, line)
		}
	}
	adaptDenial(h, form, &ans)
	return ans, nil
}

// adaptDenial turns a decision or halt into what the hook's own system would make of it on this event:
// nothing, or context for the model.
func adaptDenial(h *checkrein.Hook, form *hookfile.AnswerForm, ans *checkrein.Answer) {
	switch {
	case ans.Decision == checkrein.NoOpinion && !ans.Halt:
	case slices.Contains(form.ObserveOn, h.On):
		word := ans.Decision.String()
		if ans.Decision == checkrein.NoOpinion {
			word = "halt"
		}
		ans.Ignored = append(ans.Ignored, word+" (a hook of "+checkrein.ContractOf(h.On).Name+" only observes here)")
		ans.Decision, ans.Reason, ans.Halt = checkrein.NoOpinion, "", false
	case slices.Contains(form.RemindOn, h.On) && ans.Decision == checkrein.Deny && !ans.Halt:
		ans.Context = slices.Insert(ans.Context, 0, ans.Reason)
		ans.Decision, ans.Reason = checkrein.NoOpinion, ""
	}
}

// readByExitCode reads the answer in out as its exit code requires.
func readByExitCode(h *checkrein.Hook, form *hookfile.AnswerForm, out Output) (checkrein.Answer, error) {
	ans := checkrein.Answer{Raw: out.Stdout, Log: printable(out.Stderr)}
	if form.AnyExit && out.Exit != 0 {
		if said, err := readStdout(h, form, ans); err == nil && said.Decision == checkrein.Deny {
			return said, nil
		}
	}
	switch out.Exit {
	case 0:
		return readStdout(h, form, ans)
	case 2:
		return blockAnswer(h, form, ans, out), nil
	}
	line, _, _ := strings.Cut(ans.Log, "\n")
	return ans, &ExitError{Code: out.Exit, Line: line}
}

// blockAnswer returns the answer of a hook that exited with code 2. Its reason is the text on stderr,
// or the reason in its JSON, or else a default, and so is never empty. Notices and a halt in its JSON
// count too; the rest is ignored.
func blockAnswer(h *checkrein.Hook, form *hookfile.AnswerForm, ans checkrein.Answer, out Output) checkrein.Answer {
	ans.Decision, ans.Reason, ans.Log = checkrein.Deny, printable(out.Stderr), ""
	if body := trimBody(out.Stdout); rawjson.CheckObject(body) == nil {
		r := reader{hook: h, row: checkrein.ContractOf(h.On), form: form}
		r.readObject(body, true)
		if ans.Reason == "" {
			ans.Reason = strings.Join(r.reasons, "\n")
		}
		if !form.ZeroOnly {
			ans.Notice = r.ans.Notice
			ans.Halt = r.ans.Halt || r.stopped && form.HaltOnStop
		}
	}
	if ans.Reason == "" {
		ans.Reason = defaultReason(h)
	}
	return ans
}

// defaultReason returns the reason for a denial that has none.
func defaultReason(h *checkrein.Hook) string {
	return fmt.Sprintf("blocked by hook %q", h.Label())
}

// printable returns the output b of a program as valid UTF-8, trimmed and limited to maxReason bytes.
func printable(b []byte) string {
	if len(b) > maxReason {
		b = b[:maxReason]
	}
	return strings.ToValidUTF8(string(bytes.TrimSpace(b)), "\uFFFD")
}

// trimBody removes surrounding white space from stdout, and the byte order mark that some shells
// write, which must not turn a denial into plain text.
func trimBody(stdout []byte) []byte {
	return bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(stdout), []byte("\ufeff")))
}

// readStdout adds the answer on stdout, which is JSON or plain text, to ans.
func readStdout(h *checkrein.Hook, form *hookfile.AnswerForm, ans checkrein.Answer) (checkrein.Answer, error) {
	body := trimBody(ans.Raw)
	if len(body) == 0 {
		return ans, nil
	}
	if !utf8.Valid(body) {
		return ans, Unreadablef("the answer is not UTF-8 text")
	}
	if body[0] != '{' {
		return readPlain(h, form, ans, string(body))
	}
	if err := rawjson.CheckObject(body); err != nil {
		return ans, Unreadablef("the answer is not one JSON object: %w", err)
	}
	r := reader{hook: h, row: checkrein.ContractOf(h.On), form: form, ans: ans}
	r.readObject(body, true)
	return r.finish()
}

// readPlain adds the answer s, which is not JSON, to ans: as context on events that accept it,
// otherwise as a line in the log.
func readPlain(h *checkrein.Hook, form *hookfile.AnswerForm, ans checkrein.Answer, s string) (checkrein.Answer, error) {
	if h.Strict {
		return ans, Unreadablef("strict_output: the answer is plain text, not one JSON object")
	}
	if form.Plain && checkrein.ContractOf(h.On).Plain || slices.Contains(form.PlainOn, h.On) {
		if !endsInAnswer(h, form, []byte(s)) {
			ans.Context = []string{s}
			return ans, nil
		}
		if !form.AnyText {
			return ans, ErrExtraText
		}
		ans.Context, ans.Notice = []string{s}, []string{fmt.Sprintf("hook %q: %v", h.Label(), ErrExtraText)}
		return ans, nil
	}
	ans.Log = strings.TrimSpace(s + "\n" + ans.Log)
	ans.Ignored = []string{"plain text"}
	if holdsAnswer(h, form, []byte(s)) || endsInAnswer(h, form, []byte(s)) {
		return ans, ErrExtraText
	}
	return ans, nil
}

// A reader reads one JSON answer. It reads all keys, so that the list of ignored keys is complete, but
// the first mistake makes the whole answer a fault.
type reader struct {
	hook    *checkrein.Hook
	row     *checkrein.Contract
	form    *hookfile.AnswerForm
	ans     checkrein.Answer
	reasons []string
	stopped bool // continue was false
	err     error
}

// readObject reads the keys of obj. Nested objects count only if top is set.
func (r *reader) readObject(obj []byte, top bool) {
	rawjson.Each(obj, func(key string, val []byte) bool {
		k, known := lookupKey(key)
		if known && k.nested && top {
			if rawjson.Kind(val) == '{' {
				r.readObject(val, false)
			} else if rawjson.Kind(val) != 'n' {
				r.setError(key, "an object", val)
			}
			return true
		}
		if !known || k.read == nil || rawjson.Kind(val) == 'n' || !k.read(r, key, val) {
			if rawjson.Kind(val) != 'n' {
				r.ans.Ignored = append(r.ans.Ignored, key)
			}
		}
		return true
	})
}

// setError records a mistake unless there already is one: key must be want, not got.
func (r *reader) setError(key, want string, got []byte) {
	if r.err == nil {
		if len(got) > 80 {
			got = append(append([]byte{}, got[:80]...), "…"...)
		}
		r.err = Unreadablef("%s must be %s, not %s", key, want, got)
	}
}

// finish returns the answer, completed with what depends on several keys.
func (r *reader) finish() (checkrein.Answer, error) {
	ans := r.ans
	if r.stopped {
		ans.Decision = checkrein.Deny
		ans.Halt = ans.Halt || r.form.HaltOnStop
	}
	if ans.Decision == checkrein.Allow && r.form.CannotAllow {
		ans.Decision = checkrein.NoOpinion
		ans.Ignored = append(ans.Ignored, "allow")
	}
	if ans.Decision != checkrein.NoOpinion {
		ans.Reason = strings.Join(r.reasons, "\n")
	}
	if ans.Decision == checkrein.Deny && ans.Reason == "" {
		ans.Reason = defaultReason(r.hook)
	}
	if r.err == nil && r.hook.Strict {
		r.err = checkStrict(&ans, r.row)
	}
	if ans.Decision == checkrein.NoOpinion && len(r.reasons) > 0 {
		ans.Ignored = append(ans.Ignored, "reason") // a known key, but without a decision
	}
	if r.err != nil && ans.Decision == checkrein.Deny && r.row.Can(checkrein.CanDeny) {
		// A denial counts even if other keys are wrong. The rest of the answer does not.
		return checkrein.Answer{Raw: ans.Raw, Log: ans.Log, Ignored: append(ans.Ignored, r.err.Error()),
			Verdict: checkrein.Verdict{Decision: checkrein.Deny, Reason: ans.Reason, Notice: ans.Notice}}, nil
	}
	if r.err != nil {
		return checkrein.Answer{Raw: ans.Raw, Log: ans.Log, Ignored: ans.Ignored}, r.err
	}
	return ans, nil
}

// checkStrict returns an error if a part of ans has no effect on events with the contract row.
func checkStrict(ans *checkrein.Answer, row *checkrein.Contract) error {
	if len(ans.Ignored) > 0 {
		return Unreadablef("strict_output: parts without effect on %s: %s", row.Name, strings.Join(ans.Ignored, ", "))
	}
	can := row.Effects
	if row.Asks {
		can |= checkrein.CanAsk // the user is asked anyway
	}
	if lost := ans.Effects() &^ can; lost != 0 {
		return Unreadablef("strict_output: %s cannot %s", row.Name, strings.Join(lost.Words(), ", "))
	}
	return nil
}
