package secret

import (
	"slices"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/checkrein/checkrein/internal/secret/decode"
	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/named"
	"github.com/checkrein/checkrein/internal/secret/pii"
	"github.com/checkrein/checkrein/internal/secret/reader"
	"github.com/checkrein/checkrein/internal/secret/rules"
	"github.com/checkrein/checkrein/internal/secret/search"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// RedactJSON is [Redact] for RedactJSON. It decodes keys and values, including RedactJSON within strings, and also
// judges a value by its key. All bytes that are not part of a secret stay unchanged, and the result is
// valid RedactJSON: a string replaces a number, and a list of one string replaces a list of numbers. Invalid
// RedactJSON is redacted as text.
func RedactJSON(val []byte, want rules.Kind, marker func(rule string) string) (out []byte, n int) {
	c := Cleaner{Want: want, Marker: marker}
	return c.RedactJSON(val)
}

// RedactJSON is the function [RedactJSON] with the options of c.
func (c *Cleaner) RedactJSON(val []byte) (out []byte, n int) {
	if d := c.Memory.findDocument(val); d != nil && d.clean && c.isDefault() {
		return val, 0
	}
	if rawjson.Check(val) != nil {
		text, n := c.RedactText(string(val))
		if n == 0 {
			return val, 0
		}
		return []byte(text), n
	}
	came := val
	for range rounds {
		e := editor{src: val, c: c}
		e.collectEdits()
		if len(e.edits) == 0 {
			break
		}
		n += len(e.edits)
		val = e.applyEdits()
	}
	if c.isDefault() {
		c.Memory.addDocument(came, n == 0)
	}
	return val, n
}

// maxNested is the maximum depth of RedactJSON within strings of RedactJSON that is decoded.
const maxNested = 3

// An edit replaces src[start:end] with text.
type edit struct {
	start, end int
	text       []byte // RedactJSON, or an escaped part of a string
}

// An editor walks through valid RedactJSON and collects edits.
type editor struct {
	src   []byte
	c     *Cleaner
	depth int
	edits []edit
	stack []frame
}

// A frame is an open object or array.
type frame struct {
	array bool
	key   string // the key of the current member, or of the array
	name  string // the name that a member such as "name" gives to the object's value
	last  string // the previous element
	of    string // the key of the object itself
}

// applyEdits returns the source with all edits applied.
func (e *editor) applyEdits() []byte {
	out := make([]byte, 0, len(e.src)+16)
	at := 0
	for _, d := range e.edits {
		out = append(out, e.src[at:d.start]...)
		out = append(out, d.text...)
		at = d.end
	}
	return append(out, e.src[at:]...)
}

// collectEdits collects the edits for the whole source.
func (e *editor) collectEdits() {
	for i := 0; i < len(e.src); {
		switch c := e.src[i]; {
		case c == '"':
			i = e.walkString(i)
		case c == '{':
			e.stack = append(e.stack, frame{key: e.nameInJSON(), of: e.nameInJSON()})
			i++
		case c == '[':
			i = e.enterOrReplaceArray(i)
		case c == '}' || c == ']':
			e.stack = e.stack[:len(e.stack)-1]
			i++
		case c == '-' || lex.IsDigit(c):
			i = e.walkNumber(i)
		default:
			i++
		}
	}
}

// topFrame returns the innermost frame, or nil at the top level.
func (e *editor) topFrame() *frame {
	if len(e.stack) == 0 {
		return nil
	}
	return &e.stack[len(e.stack)-1]
}

// nameInJSON returns the name of the current value: usually its key, but "x" for {"name": "x",
// "value": …} and the previous element for ["--password", …].
func (e *editor) nameInJSON() string {
	f := e.topFrame()
	switch {
	case f == nil:
		return ""
	case f.array && len(f.last) > 1 && f.last[0] == '-':
		return f.last // "--password", "x"
	case f.array || !lex.IsOneOf(f.key, "value val default defaultvalue plaintext"):
	case f.name != "":
		return f.name
	case f.of != "" && !lex.IsOneOf(f.key, "val"): // "password": {"value": "x"}
		return f.of
	}
	return f.key
}

// enterOrReplaceArray enters the array at i, or replaces and skips it if it holds the bytes of a key.
// It returns the offset at which to continue.
func (e *editor) enterOrReplaceArray(i int) int {
	end := i + 1
	for end < len(e.src) && end-i < 64*16 && reader.IsArrayByte(e.src[end]) {
		end++
	}
	if end < len(e.src) && e.src[end] == ']' && e.c.Want&rules.Secrets != 0 && end-i > reader.MinKeyArray {
		f := search.New(string(e.src[i+1:end]), rules.Secrets)
		reader.AddKeyArray(&f, 0, len(f.Text))
		if len(f.Found) > 0 {
			n := f.Found[0]
			e.edits = append(e.edits, edit{i + 1 + n.Start, i + 1 + n.End, rawjson.Quote(e.c.markerFor(f.Text, Finding{Rule: rules.Table[n.Rule].ID, Kind: rules.Secrets, Start: n.Start, End: n.End}))})
			return end + 1
		}
	}
	e.stack = append(e.stack, frame{array: true, key: e.nameInJSON()})
	return i + 1
}

// walkNumber checks the number at i, and returns the offset where it ends.
func (e *editor) walkNumber(i int) int {
	end := i
	for end < len(e.src) && (lex.IsDigit(e.src[end]) || e.src[end] == '-' || e.src[end] == '+' || e.src[end] == '.' || e.src[end]|0x20 == 'e') {
		end++
	}
	if end-i < 7 && !e.c.Strict {
		return end
	}
	for _, n := range e.findInValue(e.nameInJSON(), string(e.src[i:end])) {
		n.Start, n.End = 0, end-i
		e.edits = append(e.edits, edit{i, end, rawjson.Quote(e.c.markerFor(string(e.src[i:end]), n))})
		break
	}
	return end
}

// walkString checks the string at i, which is a key or a value, and returns the offset at which to
// continue.
func (e *editor) walkString(i int) int {
	text, end := rawjson.TextAt(e.src, i)
	e.c.Memory.addDecoded(e.src[i:end], text)
	next := end
	for next < len(e.src) && lex.IsSpace(e.src[next]) {
		next++
	}
	f := e.topFrame()
	if next < len(e.src) && e.src[next] == ':' { // a key
		f.key = text
		e.addMarkers(i+1, end-1, text, e.findInValue("", text))
		return next + 1
	}
	e.checkValue(i+1, end-1, e.nameInJSON(), text)
	if f != nil {
		f.last = text
		if !f.array && lex.IsOneOf(f.key, "name key id variable header") {
			f.name = text
		}
	}
	return end
}

// checkValue checks the string value text, which is src[start:end] when escaped, and has the name key.
func (e *editor) checkValue(start, end int, key, text string) {
	if e.c.Skip != nil && e.c.Skip(key) {
		return
	}
	if e.depth < maxNested && len(text) > 1 && (text[0] == '{' || text[0] == '[' || text[0] == '"') && rawjson.Check([]byte(text)) == nil {
		in := editor{src: []byte(text), c: e.c, depth: e.depth + 1}
		in.collectEdits()
		if len(in.edits) > 0 {
			e.addNested(start, end, in.edits)
			return
		}
	}
	e.addMarkers(start, end, text, e.findInValue(key, text))
}

// addNested adds the edits of RedactJSON within the string src[start:end].
func (e *editor) addNested(start, end int, edits []edit) {
	raw := escapeMap{raw: e.src[start:end]}
	for _, d := range edits {
		from, to := raw.span(d.start, d.end)
		quoted := rawjson.Quote(string(d.text))
		e.edits = append(e.edits, edit{start + from, start + to, quoted[1 : len(quoted)-1]})
	}
}

// addMarkers adds edits that replace the findings in text, which is src[start:end] when escaped, with
// markers.
func (e *editor) addMarkers(start, end int, text string, found []Finding) {
	raw := escapeMap{raw: e.src[start:end]}
	for _, n := range found {
		from, to := raw.span(n.Start, n.End)
		quoted := rawjson.Quote(e.c.markerFor(text, n))
		e.edits = append(e.edits, edit{start + from, start + to, quoted[1 : len(quoted)-1]})
	}
}

// findInValue returns the findings in text, including those that its key suggests. An empty key
// suggests nothing.
func (e *editor) findInValue(key, text string) []Finding {
	if key != "" && e.c.Skip != nil && e.c.Skip(key) {
		return nil
	}
	if !e.c.isStrict() {
		return e.c.findNamed(key, text)
	}
	if cleanValues.has(key, text) {
		return nil
	}
	found := e.c.findNamed(key, text)
	if len(found) == 0 {
		cleanValues.add(key, text)
	}
	return found
}

// findNamed returns the findings in text, including those that its key suggests.
func (c *Cleaner) findNamed(key, text string) []Finding {
	if key == "" || len(text) < 4 && !c.Strict {
		return c.Find(text)
	}
	if c.Strict {
		key = decode.DecodeName(key)
	}
	f := search.New(text, c.Want)
	found := c.Memory.search(text, c.Want)
	for _, n := range findByName(key, text, c.Want, c.Strict) {
		if !slices.Contains(found, n) {
			found = append(found, n)
		}
	}
	f.Found = found
	return c.completeFindings(&f)
}

// findByName returns the findings in text of the rules whose anchors are in key, the name of the
// value.
func findByName(key, text string, want rules.Kind, strict bool) []search.Found {
	if len(key) > named.NameReach {
		key = key[len(key)-named.NameReach:]
	}
	head := `"` + key + `":"`
	f := search.New(head+text+`"`, want)
	f.FixValue(named.Value{NameFrom: 1, NameTo: 1 + len(key), From: len(head), To: len(head) + len(text), Op: ':', Quote: '"', Data: true})
	state := uint32(0)
	for i := range len(key) + 2 {
		if state = rules.NextState(state, head[i]); state >= rules.FirstHit {
			readHits(&f, state, i+1)
			if strict {
				readStrictHits(&f, state, i+1)
			}
		}
	}
	if want&rules.Personal != 0 {
		at := lex.Skip(text, 0, len(text), func(c byte) bool { return c == '(' })
		if at < 2 && at < len(text) && lex.IsDigit(text[at]) {
			pii.AddPhone(&f, len(head)+at)
		}
	}
	list := f.Found[:0]
	for _, n := range f.Found {
		if n.Start >= len(head) && n.End <= len(head)+len(text) {
			list = append(list, search.Found{Rule: n.Rule, Start: n.Start - len(head), End: n.End - len(head)})
		}
	}
	return list
}

// An escapeMap maps offsets in a decoded string to offsets in its escaped form. It must be called with
// increasing offsets.
type escapeMap struct {
	raw      []byte
	at, text int // an offset in the escaped form, and the corresponding one in the text
}

// span returns the span of text[start:end] in the escaped form.
func (s *escapeMap) span(start, end int) (rawStart, rawEnd int) {
	s.seek(start, false)
	from := s.at
	s.seek(end, true)
	return from, s.at
}

// seek moves to offset i of the text: to the end of the character that contains i if past is set,
// otherwise to its start.
func (s *escapeMap) seek(i int, past bool) {
	for s.at < len(s.raw) && s.text < i {
		raw, text := 1, 1
		if s.raw[s.at] == '\\' {
			raw, text = escapeSize(s.raw[s.at:])
		}
		if s.text+text > i && !past {
			return
		}
		s.at += raw
		s.text += text
	}
}

// escapeSize returns the length of the escape at the start of b, and of the character that it encodes
// in UTF-8.
func escapeSize(b []byte) (raw, text int) {
	if b[1] != 'u' {
		return 2, 1
	}
	r := decode.HexRune(b[2:6])
	if utf16.IsSurrogate(r) {
		if len(b) >= 12 && b[6] == '\\' && b[7] == 'u' && utf16.DecodeRune(r, decode.HexRune(b[8:12])) != utf8.RuneError {
			return 12, 4
		}
		return 6, 3
	}
	return 6, utf8.RuneLen(r)
}
