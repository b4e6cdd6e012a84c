package secret

import (
	"slices"
	"strings"
	"sync"

	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/rules"
	"github.com/checkrein/checkrein/internal/secret/search"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A Memory keeps what was found in the texts of one event, so that each is searched
// once, whoever asks: guards, the record, the log, the reply. It is safe for
// concurrent use; a nil Memory keeps nothing.
type Memory struct {
	mu      sync.Mutex
	texts   map[string]*looked
	docs    []document
	long    []longText
	results map[maskedText]string
	values  []string // that were found and are told by themselves
	telling []string // those of them that nobody writes by chance
}

// looked is a text that was searched for secrets, or is being so.
type looked struct {
	once  sync.Once
	found []search.Found
}

// A document is JSON that was searched, by its place in memory, which it holds.
type document struct {
	val   []byte
	clean bool // nothing was found in it
}

// A longText is a string of JSON by its place in memory, which it holds, and its text.
type longText struct {
	raw  []byte
	text string
}

// What is kept of strings that were decoded.
const (
	leastLong = 4 << 10
	mostLong  = 16
)

// decoded keeps the text of a string, if that is long: the guards and the record ask for
// it, and each copy would take as much memory anew.
func (m *Memory) decoded(raw []byte, text string) {
	if m == nil || len(raw) < leastLong {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.long) < mostLong && m.longAt(raw) == nil {
		m.long = append(m.long, longText{raw, text})
	}
}

// longAt finds a long string that was decoded.
func (m *Memory) longAt(raw []byte) *longText {
	for i := range m.long {
		if l := &m.long[i]; len(l.raw) == len(raw) && &l.raw[0] == &raw[0] {
			return l
		}
	}
	return nil
}

// Decode returns the text of a JSON string, that of a long one which was searched
// without a copy.
func (m *Memory) Decode(raw []byte) string {
	if m != nil && len(raw) >= leastLong {
		m.mu.Lock()
		l := m.longAt(raw)
		m.mu.Unlock()
		if l != nil {
			return l.text
		}
	}
	text, _ := rawjson.Text(raw)
	return text
}

// A maskedText is a text that was masked, and how.
type maskedText struct {
	text  string
	level maskLevel
}

// search returns what is found in a text, unsettled; the caller may change it.
func (m *Memory) search(text string, want rules.Kind) []search.Found {
	if m == nil || want != rules.Secrets {
		f := search.New(text, want)
		findAll(&f)
		return f.Found
	}
	m.mu.Lock()
	l := m.texts[text]
	if l == nil {
		if m.texts == nil {
			m.texts = map[string]*looked{}
		}
		l = new(looked)
		m.texts[text] = l
	}
	m.mu.Unlock()
	l.once.Do(func() {
		f := search.New(text, want)
		findAll(&f)
		l.found = slices.Clone(f.Found)
		m.note(text, mergeFound(&f))
	})
	return slices.Clone(l.found)
}

// mostValues bounds what is kept of values: an event with more of them is a list of
// secrets, and each is found where it stands.
const mostValues = 64

// note keeps the values that were found.
func (m *Memory) note(text string, list []search.Found) {
	for _, n := range list {
		val := text[n.Start:n.End]
		if len(val) < leastValue || len(val) > 4096 || !lex.HasDigit(val) {
			continue
		}
		m.mu.Lock()
		if len(m.values) < mostValues && !slices.Contains(m.values, val) {
			val = strings.Clone(val)
			m.values = append(m.values, val)
			if !rules.Guesses(rules.Table[n.Rule].ID) || len(val) >= leastTelling {
				m.telling = append(m.telling, val)
			}
		}
		m.mu.Unlock()
	}
}

// leastValue is how long a value is that is kept.
const leastValue = 8

// leastTelling is how long a value must be that only a name says is a secret, so that
// whoever writes it has seen it.
const leastTelling = 16

// Telling returns the values that were found and that nobody writes by chance.
func (m *Memory) Telling() []string {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.telling)
}

// Hide writes a marker over each value in s that was found in a text of the event:
// nothing need name it here.
func (m *Memory) Hide(s string) string {
	if m == nil {
		return s
	}
	m.mu.Lock()
	values := m.values
	m.mu.Unlock()
	for _, val := range values {
		s = strings.ReplaceAll(s, val, Marker)
	}
	return s
}

// document returns what is known of JSON that was searched; nil = it was not.
func (m *Memory) document(val []byte) *document {
	if m == nil || len(val) == 0 {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range m.docs {
		if d := m.docs[i].val; len(d) == len(val) && &d[0] == &val[0] {
			return &m.docs[i]
		}
	}
	return nil
}

// searched notes that all of a JSON text was searched.
func (m *Memory) searched(val []byte, clean bool) {
	if m == nil || len(val) == 0 || m.document(val) != nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.docs = append(m.docs, document{val, clean})
}

// Searched reports whether all of a JSON text was searched before: to take its secrets
// out then costs no search.
func (m *Memory) Searched(val []byte) bool { return m.document(val) != nil }

// masked returns what mask makes of a text, and remembers it for that level.
func (m *Memory) masked(text string, level maskLevel, mask func() string) string {
	if m == nil {
		return mask()
	}
	key := maskedText{text, level}
	m.mu.Lock()
	out, ok := m.results[key]
	m.mu.Unlock()
	if ok {
		return out
	}
	out = mask()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.results == nil {
		m.results = map[maskedText]string{}
	}
	m.results[key] = out
	return out
}
