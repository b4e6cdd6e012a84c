package answer

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// ErrExtraText is the fault of a hook that can deny or change something and printed other text around
// its answer, such as a log line, or encoded the answer as a JSON string. Such an answer is not read,
// but it must not count as no answer either.
var ErrExtraText = errors.New("the hook printed other text around its JSON answer or encoded it twice, so the answer does not count (print only the answer to stdout, as a JSON object, and everything else to stderr)")

// maxObjects limits how many objects in a text are examined.
const maxObjects = 64

// maxEncoded limits how many levels of encoding are removed from a text.
const maxEncoded = 4

// holdsAnswer reports whether text, which is not a JSON object, contains one that would decide or
// change something, or the beginning of one at the start of a line. The object may itself be encoded
// as a JSON string.
func holdsAnswer(h *checkrein.Hook, form *hookfile.AnswerForm, text []byte) bool {
	row := checkrein.ContractOf(h.On)
	if !row.Can(checkrein.CanDeny) || slices.Contains(form.ObserveOn, h.On) {
		return false
	}
	for range maxEncoded {
		if holdsObject(h, form, row, text) {
			return true
		}
		inner, encoded := decodeLevel(text)
		if !encoded {
			break
		}
		text = inner
	}
	return false
}

// endsInAnswer reports whether text, which may be context, ends with a JSON object that begins a line
// and would decide or change something. Objects elsewhere in the text are part of the context.
func endsInAnswer(h *checkrein.Hook, form *hookfile.AnswerForm, text []byte) bool {
	row := checkrein.ContractOf(h.On)
	changes := row.Effects &^ (checkrein.CanAddContext | checkrein.CanAnnotate)
	if changes == 0 || slices.Contains(form.ObserveOn, h.On) {
		return false
	}
	text = bytes.TrimSpace(text)
	for at, n := 0, 0; n < maxObjects; n++ {
		i := bytes.Index(text[at:], []byte("\n{"))
		if i < 0 {
			return false
		}
		at += i + 1
		r := rawjson.NewReader(text[at:])
		if obj := r.Value(); len(obj) == len(text)-at && rawjson.CheckObject(obj) == nil {
			effects, err := answerEffects(h, form, row, obj)
			return effects&changes != 0 || err != nil && hasDecisionKey(obj)
		}
	}
	return false
}

// decodeLevel removes one level of encoding from text if it is a JSON string or has escaped quotes.
// Otherwise it returns false.
func decodeLevel(text []byte) (inner []byte, encoded bool) {
	var s string
	if json.Unmarshal(text, &s) == nil {
		return []byte(s), true
	}
	if !bytes.Contains(text, []byte(`\"`)) {
		return nil, false
	}
	return []byte(strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\n`, "\n").Replace(string(text))), true
}

// holdsObject reports whether text contains an answer. Unlike holdsAnswer, it does not decode text.
func holdsObject(h *checkrein.Hook, form *hookfile.AnswerForm, row *checkrein.Contract, text []byte) bool {
	for at, n := 0, 0; n < maxObjects; n++ {
		i := bytes.IndexByte(text[at:], '{')
		if i < 0 {
			return false
		}
		at += i
		r := rawjson.NewReader(text[at:])
		obj := r.Value()
		switch {
		case obj == nil && (at == 0 || text[at-1] == '\n') && bytes.HasPrefix(text[at:], []byte(`{"`)):
			return true
		case obj == nil || rawjson.CheckObject(obj) != nil:
			at++
			continue
		}
		if effects, err := answerEffects(h, form, row, obj); effects != 0 || err != nil {
			return true
		}
		at += len(obj)
	}
	return false
}

// answerEffects returns the effects that obj would have as an answer. A payload, which some hooks
// print as a log, has none.
func answerEffects(h *checkrein.Hook, form *hookfile.AnswerForm, row *checkrein.Contract, obj []byte) (checkrein.Effect, error) {
	if _, payload := rawjson.Get(obj, "tool_name"); payload {
		return 0, nil
	}
	r := reader{hook: h, row: row, form: form}
	r.readObject(obj, true)
	ans, err := r.finish()
	return ans.Effects(), err
}

// hasDecisionKey reports whether obj has a key that only answers have. Other keys, such as message and
// summary, are common in reports and logs.
func hasDecisionKey(obj []byte) bool {
	found := false
	rawjson.Each(obj, func(key string, _ []byte) bool {
		found = slices.Contains([]string{"decision", "permissiondecision", "hookspecificoutput", "continue"}, foldKey(key))
		return !found
	})
	return found
}
