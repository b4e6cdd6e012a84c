// Package answer reads what a hook said: the one reader for every dialect and
// every transport.
//
// A hook answers by its exit code, by a JSON object on stdout, or by plain
// text. Systems disagree on the spelling of keys and on where they stand; all
// spellings are read, and what had no meaning is listed, never lost.
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

// An Output is what a hook's program left behind.
type Output struct {
	Stdout, Stderr []byte
	Exit           int
}

// maxReason bounds a reason taken from stderr.
const maxReason = 16 << 10

// Read makes an answer of an output. An error is a fault: the hook said
// nothing that can be relied on.
func Read(h *checkrein.Hook, form *hookfile.AnswerForm, out Output) (checkrein.Answer, error) {
	ans, err := read(h, form, out)
	if err != nil {
		return ans, err
	}
	if consents(h, &ans, &out) {
		if line := Misread(ans.Log); line != "" {
			return checkrein.Answer{Raw: ans.Raw, Log: ans.Log, Ignored: ans.Ignored}, fmt.Errorf("%w: %s", ErrMisread, line)
		}
		if line := NoReader(ans.Log); line != "" {
			return checkrein.Answer{Raw: ans.Raw, Log: ans.Log, Ignored: ans.Ignored}, fmt.Errorf("%w: %s", ErrNoReader, line)
		}
	}
	temper(h, form, &ans)
	return ans, nil
}

// temper makes of a refusal what the system of the hook makes of it on this event.
func temper(h *checkrein.Hook, form *hookfile.AnswerForm, ans *checkrein.Answer) {
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

func read(h *checkrein.Hook, form *hookfile.AnswerForm, out Output) (checkrein.Answer, error) {
	ans := checkrein.Answer{Raw: out.Stdout, Log: text(out.Stderr)}
	if form.AnyExit && out.Exit != 0 {
		if said, err := readStdout(h, form, ans); err == nil && said.Decision == checkrein.Deny {
			return said, nil
		}
	}
	switch out.Exit {
	case 0:
		return readStdout(h, form, ans)
	case 2:
		return blocked(h, form, ans, out), nil
	}
	line, _, _ := strings.Cut(ans.Log, "\n")
	return ans, &ExitError{Code: out.Exit, Line: line}
}

// blocked is the answer of a hook that exited with 2. Its reason is what it wrote to
// stderr, else the reason in its JSON, else that it blocks; never empty. What its JSON
// tells the person is told, and what ends the turn ends it; nothing else of it counts.
func blocked(h *checkrein.Hook, form *hookfile.AnswerForm, ans checkrein.Answer, out Output) checkrein.Answer {
	ans.Decision, ans.Reason, ans.Log = checkrein.Deny, text(out.Stderr), ""
	if body := bodyOf(out.Stdout); rawjson.CheckObject(body) == nil {
		r := reader{hook: h, row: checkrein.ContractOf(h.On), form: form}
		r.object(body, true)
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

func defaultReason(h *checkrein.Hook) string {
	return fmt.Sprintf("blocked by hook %q", h.Label())
}

// text is what a program wrote, as text that can be shown.
func text(b []byte) string {
	if len(b) > maxReason {
		b = b[:maxReason]
	}
	return strings.ToValidUTF8(string(bytes.TrimSpace(b)), "\uFFFD")
}

// bodyOf is an answer without what some shells put in front of it and all
// behind it. A byte order mark must not make text of a denial.
func bodyOf(stdout []byte) []byte {
	return bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(stdout), []byte("\ufeff")))
}

func readStdout(h *checkrein.Hook, form *hookfile.AnswerForm, ans checkrein.Answer) (checkrein.Answer, error) {
	body := bodyOf(ans.Raw)
	if len(body) == 0 {
		return ans, nil
	}
	if !utf8.Valid(body) {
		return ans, Unreadable("the answer is not UTF-8 text")
	}
	if body[0] != '{' {
		return plain(h, form, ans, string(body))
	}
	if err := rawjson.CheckObject(body); err != nil {
		return ans, Unreadable("the answer is not one JSON object: %w", err)
	}
	r := reader{hook: h, row: checkrein.ContractOf(h.On), form: form, ans: ans}
	r.object(body, true)
	return r.finish()
}

// plain is an answer that is not JSON: context on the events that take it, a
// line in the log elsewhere.
func plain(h *checkrein.Hook, form *hookfile.AnswerForm, ans checkrein.Answer, s string) (checkrein.Answer, error) {
	if h.Strict {
		return ans, Unreadable("strict_output: the answer is plain text, not one JSON object")
	}
	if form.Plain && checkrein.ContractOf(h.On).Plain || slices.Contains(form.PlainOn, h.On) {
		if !endsInAnswer(h, form, []byte(s)) {
			ans.Context = []string{s}
			return ans, nil
		}
		if !form.AnyText {
			return ans, ErrAround
		}
		ans.Context, ans.Notice = []string{s}, []string{fmt.Sprintf("hook %q: %v", h.Label(), ErrAround)}
		return ans, nil
	}
	ans.Log = strings.TrimSpace(s + "\n" + ans.Log)
	ans.Ignored = []string{"plain text"}
	if holdsAnswer(h, form, []byte(s)) || endsInAnswer(h, form, []byte(s)) {
		return ans, ErrAround
	}
	return ans, nil
}

// A reader reads one JSON answer. All keys are read, so that what was ignored
// is complete; the first mistake makes the whole a fault.
type reader struct {
	hook    *checkrein.Hook
	row     *checkrein.Contract
	form    *hookfile.AnswerForm
	ans     checkrein.Answer
	reasons []string
	stopped bool // continue was false
	err     error
}

func (r *reader) object(obj []byte, top bool) {
	rawjson.Each(obj, func(key string, val []byte) bool {
		k, known := keyNamed(key)
		if known && k.nested && top {
			if rawjson.Kind(val) == '{' {
				r.object(val, false)
			} else if rawjson.Kind(val) != 'n' {
				r.fail(key, "an object", val)
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

func (r *reader) fail(key, want string, got []byte) {
	if r.err == nil {
		if len(got) > 80 {
			got = append(append([]byte{}, got[:80]...), "…"...)
		}
		r.err = Unreadable("%s must be %s, not %s", key, want, got)
	}
}

// finish settles what depends on several keys.
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
		r.err = strict(&ans, r.row)
	}
	if ans.Decision == checkrein.NoOpinion && len(r.reasons) > 0 {
		ans.Ignored = append(ans.Ignored, "reason") // known, but of nothing
	}
	if r.err != nil && ans.Decision == checkrein.Deny && r.row.Can(checkrein.CanDeny) {
		// It has denied, whatever is wrong with the rest, which then is not
		// relied on.
		return checkrein.Answer{Raw: ans.Raw, Log: ans.Log, Ignored: append(ans.Ignored, r.err.Error()),
			Verdict: checkrein.Verdict{Decision: checkrein.Deny, Reason: ans.Reason, Notice: ans.Notice}}, nil
	}
	if r.err != nil {
		return checkrein.Answer{Raw: ans.Raw, Log: ans.Log, Ignored: ans.Ignored}, r.err
	}
	return ans, nil
}

// strict refuses an answer with anything in it that has no effect here.
func strict(ans *checkrein.Answer, row *checkrein.Contract) error {
	if len(ans.Ignored) > 0 {
		return Unreadable("strict_output: %s has no effect on %s", strings.Join(ans.Ignored, ", "), row.Name)
	}
	can := row.Effects
	if row.Asks {
		can |= checkrein.CanAsk // which is what happens next anyway
	}
	if lost := ans.Effects() &^ can; lost != 0 {
		return Unreadable("strict_output: %s cannot %s", row.Name, strings.Join(lost.Words(), ", "))
	}
	return nil
}
