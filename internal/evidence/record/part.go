package record

import (
	"crypto/hmac"
	"crypto/sha256"
	"unicode/utf8"

	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// encodeSubject writes the contents of the event.
func (e *Entry) encodeSubject(b *rawjson.Object) {
	ev := e.Event
	b.Open("subject")
	if t := ev.Tool; t != nil {
		e.encodePart(b, "input", t.Input, true)
		e.encodePart(b, "rewritten", e.Outcome.Verdict.Input, true)
		e.encodePart(b, "output", t.Output, true)
	}
	switch {
	case e.Fault != "": // the event could not be read, so all of it is the subject
		e.encodePart(b, "text", ev.Raw, false)
	default:
		e.encodePart(b, "text", []byte(ev.Text), false)
		e.encodePart(b, "messages", ev.Messages, true)
	}
	b.Close()
}

// encodeReply writes the reply to the host, if there is one.
func (e *Entry) encodeReply(b *rawjson.Object) {
	if e.Reply == nil {
		return
	}
	b.Open("reply")
	b.Int("exit", e.Reply.Exit)
	e.encodePart(b, "stdout", e.Reply.Stdout, true)
	e.encodePart(b, "stderr", e.Reply.Stderr, false)
	b.Close()
}

// encodePart writes val under key: redacted, and only the head and the tail of a long value. The keyed
// digest covers the whole original value, so that a person who has the value can prove it, while
// others learn nothing.
func (e *Entry) encodePart(b *rawjson.Object, key string, val []byte, isJSON bool) {
	if len(val) == 0 {
		return
	}
	b.Open(key)
	b.Int("bytes", len(val))
	mac := hmac.New(sha256.New, e.Digests[:])
	mac.Write(val)
	b.Hex("digest", mac.Sum(nil))
	switch {
	case e.shortened > 0 || len(val) > maxPart:
		b.Text("head", e.redactedHead(val))
		b.Text("tail", e.redactedTail(val))
	case isJSON && rawjson.Check(val) == nil:
		b.Raw("json", e.Redact.MaskJSON(val))
	default:
		b.Text("text", e.Redact.MaskText(validUTF8(string(val))))
	}
	b.Close()
}

// margin is how many bytes beyond those that are kept are searched for secrets, since a secret may
// extend past the cut.
const margin = 4 << 10

// halfLimit returns how many bytes of a long value are kept at each end.
func (e *Entry) halfLimit() int { return min(maxPart/2, 2*e.textLimit()) }

// redactedHead returns the redacted beginning of val, a long value. The margin is never included,
// since it may end with the beginning of a secret.
func (e *Entry) redactedHead(val []byte) string {
	s := e.Redact.MaskHead(val, e.halfLimit()+margin)
	return truncateText(s, min(e.halfLimit(), max(0, len(s)-margin)))
}

// redactedTail returns the redacted end of val, a long value, without the margin.
func (e *Entry) redactedTail(val []byte) string {
	s := e.Redact.MaskTail(val, e.halfLimit()+margin)
	cut := min(len(s), max(len(s)-e.halfLimit(), margin))
	for cut < len(s) && !utf8.RuneStart(s[cut]) {
		cut++
	}
	return s[cut:]
}

// truncateText returns at most the first most bytes of s, without splitting characters.
func truncateText(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}

// validUTF8 returns s with invalid UTF-8 replaced by U+FFFD.
func validUTF8(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}
