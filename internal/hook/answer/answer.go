// Package answer reads the answers of hooks, in every dialect and over every transport.
//
// A hook answers by its exit code, by a JSON object on stdout, or by plain text. Systems disagree on
// the spelling of keys and on their place; all spellings are read, and keys without a meaning are
// listed in Answer.Ignored.
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

// maxReason limits a reason taken from stderr.
const maxReason = 16 << 10

// Read returns the answer in an output. An error is a fault: the output has no reliable answer.
func Read(h *checkrein.Hook, form *hookfile.AnswerForm, out Output) (checkrein.Answer, error) {
	ans, err := readAnswer(h, form, out)
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
	adaptRefusal(h, form, &ans)
	return ans, nil
}

// adaptRefusal turns a refusal into what the system of the hook makes of it on this event.
func adaptRefusal(h *checkrein.Hook, form *hookfile.AnswerForm, ans *checkrein.Answer) {
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

// readAnswer reads an output by its exit code.
func readAnswer(h *checkrein.Hook, form *hookfile.AnswerForm, out Output) (checkrein.Answer, error) {
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

// blockAnswer returns the answer of a hook that exited with 2. Its reason is never empty: the text on
// stderr, else the reason in its JSON, else that the hook blocks. Notices for the person and an end of
// the turn in its JSON count too, the rest is ignored.
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

// defaultReason returns the reason of a denial that has none.
func defaultReason(h *checkrein.Hook) string {
	return fmt.Sprintf("blocked by hook %q", h.Label())
}

// printable returns the output of a program as valid text of limited length.
func printable(b []byte) string {
	if len(b) > maxReason {
		b = b[:maxReason]
	}
	return strings.ToValidUTF8(string(bytes.TrimSpace(b)), "\uFFFD")
}

// trimBody removes white space, and the byte order mark that some shells write, from an answer. A byte
// order mark must not turn a denial into plain text.
func trimBody(stdout []byte) []byte {
	return bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(stdout), []byte("\ufeff")))
}

// readStdout reads the answer on stdout, JSON or plain text.
func readStdout(h *checkrein.Hook, form *hookfile.AnswerForm, ans checkrein.Answer) (checkrein.Answer, error) {
	body := trimBody(ans.Raw)
	if len(body) == 0 {
		return ans, nil
	}
	if !utf8.Valid(body) {
		return ans, Unreadable("the answer is not UTF-8 text")
	}
	if body[0] != '{' {
		return readPlain(h, form, ans, string(body))
	}
	if err := rawjson.CheckObject(body); err != nil {
		return ans, Unreadable("the answer is not one JSON object: %w", err)
	}
	r := reader{hook: h, row: checkrein.ContractOf(h.On), form: form, ans: ans}
	r.readObject(body, true)
	return r.finish()
}

// readPlain reads an answer that is not JSON: context on events that accept it, else a line in the
// log.
func readPlain(h *checkrein.Hook, form *hookfile.AnswerForm, ans checkrein.Answer, s string) (checkrein.Answer, error) {
	if h.Strict {
		return ans, Unreadable("strict_output: the answer is plain text, not one JSON object")
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

// A reader reads one JSON answer. It reads all keys, so that the list of ignored ones is complete; the
// first mistake makes the whole answer a fault.
type reader struct {
	hook    *checkrein.Hook
	row     *checkrein.Contract
	form    *hookfile.AnswerForm
	ans     checkrein.Answer
	reasons []string
	stopped bool // continue was false
	err     error
}

// readObject reads the keys of an object; nested objects count only at the top level.
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

// setError records the first mistake.
func (r *reader) setError(key, want string, got []byte) {
	if r.err == nil {
		if len(got) > 80 {
			got = append(append([]byte{}, got[:80]...), "…"...)
		}
		r.err = Unreadable("%s must be %s, not %s", key, want, got)
	}
}

// finish completes the answer with what depends on several keys.
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
		ans.Ignored = append(ans.Ignored, "reason") // a known key, but there is no decision
	}
	if r.err != nil && ans.Decision == checkrein.Deny && r.row.Can(checkrein.CanDeny) {
		// The denial counts whatever else is wrong; the rest of the answer does
		// not.
		return checkrein.Answer{Raw: ans.Raw, Log: ans.Log, Ignored: append(ans.Ignored, r.err.Error()),
			Verdict: checkrein.Verdict{Decision: checkrein.Deny, Reason: ans.Reason, Notice: ans.Notice}}, nil
	}
	if r.err != nil {
		return checkrein.Answer{Raw: ans.Raw, Log: ans.Log, Ignored: ans.Ignored}, r.err
	}
	return ans, nil
}

// checkStrict returns an error if a part of the answer has no effect on the row's events.
func checkStrict(ans *checkrein.Answer, row *checkrein.Contract) error {
	if len(ans.Ignored) > 0 {
		return Unreadable("strict_output: %s has no effect on %s", strings.Join(ans.Ignored, ", "), row.Name)
	}
	can := row.Effects
	if row.Asks {
		can |= checkrein.CanAsk // the person is asked anyway
	}
	if lost := ans.Effects() &^ can; lost != 0 {
		return Unreadable("strict_output: %s cannot %s", row.Name, strings.Join(lost.Words(), ", "))
	}
	return nil
}
