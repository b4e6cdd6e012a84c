package record

import (
	"crypto/hmac"
	"crypto/sha256"
	"unicode/utf8"

	"github.com/checkrein/checkrein/internal/text/rawjson"
)

func (e *Entry) subject(b *rawjson.Object) {
	ev := e.Event
	b.Open("subject")
	if t := ev.Tool; t != nil {
		e.part(b, "input", t.Input, true)
		e.part(b, "rewritten", e.Outcome.Verdict.Input, true)
		e.part(b, "output", t.Output, true)
	}
	switch {
	case e.Fault != "": // nothing could be read, so all of it is the subject
		e.part(b, "text", ev.Raw, false)
	default:
		e.part(b, "text", []byte(ev.Text), false)
		e.part(b, "messages", ev.Messages, true)
	}
	b.Close()
}

func (e *Entry) reply(b *rawjson.Object) {
	if e.Reply == nil {
		return
	}
	b.Open("reply")
	b.Int("exit", e.Reply.Exit)
	e.part(b, "stdout", e.Reply.Stdout, true)
	e.part(b, "stderr", e.Reply.Stderr, false)
	b.Close()
}

// part appends a value: redacted, and of a long one the head and the tail. The
// digest is of the whole as it was, so that who has it can show that it is the
// one, and who has not learns nothing.
func (e *Entry) part(b *rawjson.Object, key string, val []byte, isJSON bool) {
	if len(val) == 0 {
		return
	}
	b.Open(key)
	b.Int("bytes", len(val))
	mac := hmac.New(sha256.New, e.Digests[:])
	mac.Write(val)
	b.Hex("digest", mac.Sum(nil))
	switch {
	case e.short > 0 || len(val) > maxPart:
		b.Text("head", e.head(val))
		b.Text("tail", e.tail(val))
	case isJSON && rawjson.Check(val) == nil:
		b.Raw("json", e.Redact.JSON(val))
	default:
		b.Text("text", e.Redact.Text(valid(string(val))))
	}
	b.Close()
}

// margin is how much more than is kept is looked at for secrets, since one may
// lie across the cut.
const margin = 4 << 10

// half is how much of a long value is kept at each end.
func (e *Entry) half() int { return min(maxPart/2, 2*e.chars()) }

// head is the beginning of a long value. What lies within the margin is never
// shown: it may be the beginning of something longer.
func (e *Entry) head(val []byte) string {
	s := e.Redact.Head(val, e.half()+margin)
	return cutText(s, min(e.half(), max(0, len(s)-margin)))
}

func (e *Entry) tail(val []byte) string {
	s := e.Redact.Tail(val, e.half()+margin)
	cut := min(len(s), max(len(s)-e.half(), margin))
	for cut < len(s) && !utf8.RuneStart(s[cut]) {
		cut++
	}
	return s[cut:]
}

// cutText returns the first bytes of s, whole characters only.
func cutText(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}

// valid returns s with what is no UTF-8 replaced.
func valid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}
