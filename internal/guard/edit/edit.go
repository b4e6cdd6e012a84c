// Package edit says what a file will hold once a file tool has run: a write, an
// edit or a patch, in the words of any host.
package edit

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Results returns the texts that the file at path, as the call writes it, may have
// afterwards: one, or several where hosts differ; a nil text is no file. It reports
// false when that cannot be told, also when the call has more to say of the text
// than one tool reads: which of it is left unread only the host knows. Read returns
// a file as it is now, by the path as the call writes it; nil = there is none, and
// false that it cannot be read.
func Results(t *checkrein.Tool, path string, read func(path string) ([]byte, bool)) ([][]byte, bool) {
	var patches []string
	texts := 0
	envelopes(t.Input, &patches, &texts, 0)
	c := collector{path: path}
	c.value(t.Input, false, nil, 0)
	if len(patches) > 0 {
		if len(patches) > 1 || texts > 1 || c.named || strings.Contains(patches[0], begin) {
			return nil, false
		}
		return patched(patches[0], path, read)
	}
	if c.odd || len(c.list) == 0 {
		return nil, false
	}
	before, ok := read(path)
	if !ok {
		return nil, false
	}
	out := [][]byte{before}
	for i := range c.list {
		s := &c.list[i]
		if len(c.list) > 1 && (s.list == nil || s.list != c.list[0].list || !s.has(tools.Old)) {
			return nil, false
		}
		if out, ok = s.applied(out, appends(t)); !ok || len(out) > maxTexts {
			return nil, false
		}
	}
	return out, true
}

const (
	maxTexts = 64 // more than a host could mean
	maxDepth = 6
)

// A source is an object of a call that says what a file's text becomes.
type source struct {
	list  *byte // where the list begins that it is an element of
	count [tools.Other + 1]int
	text  [tools.Other + 1]string
}

func (s *source) has(share tools.Share) bool { return s.count[share] > 0 }

// A collector finds the sources of a file.
type collector struct {
	path  string
	list  []source
	named bool // an argument is the file's path
	odd   bool // more is said than can be told
}

// value goes through a value. Elsewhere says that it lies in an object about
// another file.
func (c *collector) value(v []byte, elsewhere bool, list *byte, depth int) {
	if depth > maxDepth {
		c.odd = true
		return
	}
	switch rawjson.Kind(v) {
	case '{':
		c.object(v, elsewhere, list, depth)
	case '[':
		rawjson.Elements(v, func(_ int, e []byte) bool {
			c.value(e, elsewhere, &v[0], depth+1)
			return true
		})
	}
}

func (c *collector) object(v []byte, elsewhere bool, list *byte, depth int) {
	s := source{list: list}
	mine, other := false, false
	rawjson.Each(v, func(key string, m []byte) bool {
		share := tools.ShareOf(key, m, c.path)
		mine = mine || share == tools.Names
		other = other || tools.NamesFile(key, m)
		s.count[share]++
		if share != tools.NoShare {
			s.text[share], _ = rawjson.Text(m)
		}
		if share == tools.Line && s.text[share] == "" {
			s.text[share] = string(m)
		}
		return true
	})
	c.named = c.named || mine
	switch {
	case mine:
		elsewhere = false
	case other:
		elsewhere = true
	}
	n := 0
	for share := tools.Whole; share <= tools.Other; share++ {
		n += s.count[share]
	}
	if n > 0 && !elsewhere {
		c.list = append(c.list, s)
	}
	rawjson.Each(v, func(_ string, m []byte) bool {
		c.value(m, elsewhere, nil, depth+1)
		return true
	})
}

// shapes are the ways in which tools say what becomes of a text: which arguments
// they take, each of them once.
var shapes = [...]struct {
	takes []tools.Share
	apply func(s *source, texts [][]byte) ([][]byte, bool)
}{
	{[]tools.Share{tools.Old, tools.New}, (*source).replaced},
	{[]tools.Share{tools.Line, tools.Put}, (*source).inserted},
	{[]tools.Share{tools.Line, tools.New}, (*source).inserted},
	{[]tools.Share{tools.Added}, (*source).added},
	{[]tools.Share{tools.Whole}, func(s *source, _ [][]byte) ([][]byte, bool) { return [][]byte{[]byte(s.text[tools.Whole])}, true }},
}

// applied does what a source says to each of the texts.
func (s *source) applied(texts [][]byte, add bool) ([][]byte, bool) {
	n := 0
	for share := tools.Whole; share <= tools.Other; share++ {
		n += s.count[share]
	}
	for i := range shapes {
		shape := &shapes[i]
		if n != len(shape.takes) || slices.ContainsFunc(shape.takes, func(share tools.Share) bool { return s.count[share] != 1 }) {
			continue
		}
		if add && shape.takes[0] == tools.Whole {
			s.text[tools.Added] = s.text[tools.Whole]
			return s.added(texts)
		}
		return shape.apply(s, texts)
	}
	return nil, false
}

// added puts a text at the end, or in the place of all: hosts differ.
func (s *source) added(texts [][]byte) ([][]byte, bool) {
	var out [][]byte
	for _, t := range texts {
		out = append(out, append(bytes.Clone(t), s.text[tools.Added]...), []byte(s.text[tools.Added]))
	}
	return out, true
}

// appends reports whether a tool adds to the end of a file, or may.
func appends(t *checkrein.Tool) bool {
	if strings.Contains(strings.ToLower(t.Name), "append") {
		return true
	}
	found := false
	rawjson.Each(t.Input, func(key string, v []byte) bool {
		s, _ := rawjson.Text(v)
		found = strings.EqualFold(key, "append") || strings.HasPrefix(s, "append") && len(s) < 8 || s == "a"
		return !found
	})
	return found
}

// replaced puts one text in the place of another. Which one of several is meant
// only the host knows: the first, or all.
func (s *source) replaced(texts [][]byte) ([][]byte, bool) {
	old, to := []byte(s.text[tools.Old]), []byte(s.text[tools.New])
	var out [][]byte
	for _, t := range texts {
		switch n := bytes.Count(t, old); {
		case len(old) == 0 && len(t) == 0:
			out = append(out, to)
		case len(old) == 0 || n == 0:
			return texts, false
		case n == 1:
			out = append(out, bytes.ReplaceAll(t, old, to))
		default:
			out = append(out, bytes.Replace(t, old, to, 1), bytes.ReplaceAll(t, old, to))
		}
	}
	return out, len(out) <= maxTexts
}

// inserted puts a text behind a line, and before it: hosts count in both ways.
func (s *source) inserted(texts [][]byte) ([][]byte, bool) {
	line, err := strconv.Atoi(strings.TrimSpace(s.text[tools.Line]))
	if err != nil || line < 0 {
		return nil, false
	}
	text := s.text[tools.Put] + s.text[tools.New] // one of them
	var out [][]byte
	for _, t := range texts {
		for _, at := range [...]int{line, line - 1} {
			lines := strings.SplitAfter(string(t), "\n")
			if at < 0 || at > len(lines) {
				continue
			}
			b := strings.Join(lines[:at], "")
			if b != "" && !strings.HasSuffix(b, "\n") {
				b += "\n"
			}
			if b += text; !strings.HasSuffix(text, "\n") {
				b += "\n"
			}
			out = append(out, []byte(b+strings.Join(lines[at:], "")))
		}
	}
	return out, len(out) > 0
}
