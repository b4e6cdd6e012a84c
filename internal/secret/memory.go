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

// A Memory caches the findings in the texts of one event, so that guards, the record, the log and the
// reply search each text once. It is safe for concurrent use. A nil Memory caches nothing.
type Memory struct {
	mu          sync.Mutex
	texts       map[string]*searchedText
	docs        []document
	long        []longText
	results     map[maskedText]string
	values      []string // values found in the texts of the event
	distinctive []string // those of values that are unlikely to occur by chance
}

// A searchedText holds the findings in a text, which is searched once.
type searchedText struct {
	once  sync.Once
	found []search.Found
}

// A document is RedactJSON that was searched. It is identified by its address, so val keeps it alive.
type document struct {
	val   []byte
	clean bool // nothing was found in it
}

// A longText is the decoded text of a long RedactJSON string. The string is identified by its address, so
// raw keeps it alive.
type longText struct {
	raw  []byte
	text string
}

// Limits of the decoded strings that are kept.
const (
	minLong = 4 << 10 // minimum bytes of a string
	maxLong = 16      // maximum number of strings
)

// addDecoded keeps text, the decoded form of raw, if it is long. Guards and the record both decode it,
// and each copy would take as much memory again.
func (m *Memory) addDecoded(raw []byte, text string) {
	if m == nil || len(raw) < minLong {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.long) < maxLong && m.findLong(raw) == nil {
		m.long = append(m.long, longText{raw, text})
	}
}

// findLong returns the kept text of the RedactJSON string raw, or nil if there is none. The caller holds
// m.mu.
func (m *Memory) findLong(raw []byte) *longText {
	for i := range m.long {
		if l := &m.long[i]; len(l.raw) == len(raw) && &l.raw[0] == &raw[0] {
			return l
		}
	}
	return nil
}

// Decode returns the text of the RedactJSON string raw. It does not copy the text of a long string that was
// searched.
func (m *Memory) Decode(raw []byte) string {
	if m != nil && len(raw) >= minLong {
		m.mu.Lock()
		l := m.findLong(raw)
		m.mu.Unlock()
		if l != nil {
			return l.text
		}
	}
	text, _ := rawjson.Text(raw)
	return text
}

// A maskedText is the key of a cached result: a text and the level at which it was masked.
type maskedText struct {
	text  string
	level maskLevel
}

// search returns the findings of the kinds want in text, not merged. The caller may modify the result.
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
			m.texts = map[string]*searchedText{}
		}
		l = new(searchedText)
		m.texts[text] = l
	}
	m.mu.Unlock()
	l.once.Do(func() {
		f := search.New(text, want)
		findAll(&f)
		l.found = slices.Clone(f.Found)
		m.addValues(text, mergeFound(&f))
	})
	return slices.Clone(l.found)
}

// maxValues is the maximum number of values that are kept. An event with more is a list of secrets,
// each of which is found where it is.
const maxValues = 64

// addValues keeps the values in text that list found, except short ones and those without a digit.
func (m *Memory) addValues(text string, list []search.Found) {
	for _, n := range list {
		val := text[n.Start:n.End]
		if len(val) < minValue || len(val) > 4096 || !lex.HasDigit(val) {
			continue
		}
		m.mu.Lock()
		if len(m.values) < maxValues && !slices.Contains(m.values, val) {
			val = strings.Clone(val)
			m.values = append(m.values, val)
			if !rules.ReliesOnName(rules.Table[n.Rule].ID) || len(val) >= minDistinctive {
				m.distinctive = append(m.distinctive, val)
			}
		}
		m.mu.Unlock()
	}
}

// minValue is the minimum length of a value that is kept.
const minValue = 8

// minDistinctive is the minimum length at which a value that only its name marks as a secret is
// unlikely to occur by chance.
const minDistinctive = 16

// DistinctValues returns the found values that are unlikely to occur by chance.
func (m *Memory) DistinctValues() []string {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.distinctive)
}

// HideFound returns s with a marker in place of each value that was found in a text of the event, even
// if nothing in s names it.
func (m *Memory) HideFound(s string) string {
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

// findDocument returns the entry for val, which is identified by its address, or nil if val was not
// searched.
func (m *Memory) findDocument(val []byte) *document {
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

// addDocument records that all of the RedactJSON val was searched, and whether nothing was found.
func (m *Memory) addDocument(val []byte, clean bool) {
	if m == nil || len(val) == 0 || m.findDocument(val) != nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.docs = append(m.docs, document{val, clean})
}

// HasSearched reports whether all of the RedactJSON val was searched before, so that redacting it needs no
// search.
func (m *Memory) HasSearched(val []byte) bool { return m.findDocument(val) != nil }

// cacheMasked returns the cached result for text at level, or calls mask and caches its result.
func (m *Memory) cacheMasked(text string, level maskLevel, mask func() string) string {
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
