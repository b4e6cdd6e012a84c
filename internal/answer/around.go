package answer

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/rawjson"
)

// ErrAround is the fault of a hook that can refuse and printed other text around its
// answer, such as a line for a log, or encoded it as a JSON string. Such an answer is not
// read, so it must not pass for none.
var ErrAround = errors.New("the hook printed other text around its JSON answer or encoded it twice, so the answer does not count (print only the answer to stdout, as a JSON object, and everything else to stderr)")

// maxObjects bounds the objects of a text that are examined.
const maxObjects = 64

// maxEncoded bounds the levels of encoding of a text that are removed.
const maxEncoded = 4

// holdsAnswer reports whether a text that is no JSON object has one in it that would
// decide or change something, or the beginning of one at the start of a line. The object
// may be encoded again, as a JSON string.
func holdsAnswer(h *checkrein.Hook, form *checkrein.AnswerForm, text []byte) bool {
	row := checkrein.ContractOf(h.On)
	if !row.Can(checkrein.CanDeny) || slices.Contains(form.ObserveOn, h.On) {
		return false
	}
	for range maxEncoded {
		if holdsObject(h, form, row, text) {
			return true
		}
		inner, encoded := decode(text)
		if !encoded {
			break
		}
		text = inner
	}
	return false
}

// decode returns a text that is a JSON string, or has escaped quotes in it, without one
// level of encoding.
func decode(text []byte) (inner []byte, encoded bool) {
	var s string
	if json.Unmarshal(text, &s) == nil {
		return []byte(s), true
	}
	if !bytes.Contains(text, []byte(`\"`)) {
		return nil, false
	}
	return []byte(strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\n`, "\n").Replace(string(text))), true
}

// holdsObject is holdsAnswer for a text as it is, without a level of encoding removed.
func holdsObject(h *checkrein.Hook, form *checkrein.AnswerForm, row *checkrein.Contract, text []byte) bool {
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
		case isAnswer(h, form, row, obj):
			return true
		}
		at += len(obj)
	}
	return false
}

// isAnswer reports whether an object would have an effect as an answer. The payload,
// which some hooks print for a log, is none.
func isAnswer(h *checkrein.Hook, form *checkrein.AnswerForm, row *checkrein.Contract, obj []byte) bool {
	if _, payload := rawjson.Get(obj, "tool_name"); payload {
		return false
	}
	r := reader{hook: h, row: row, form: form}
	r.object(obj, true)
	ans, err := r.finish()
	return err != nil || ans.Effects() != 0
}
