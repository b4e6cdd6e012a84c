// Package edit predicts the contents of a file after a file tool has run: a write, an edit or a patch,
// in the form that any host uses.
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

// Results returns the possible contents of the file path after the call t, several if hosts differ. A
// nil text means that the file does not exist. It returns false if the contents cannot be predicted,
// for example because the call has more texts than one tool uses and only the host knows which it
// ignores.
//
// The function read returns the current contents of a file, whose path is as the call writes it: nil
// if it does not exist, and false if it cannot be read.
func Results(t *checkrein.Tool, path string, read func(path string) ([]byte, bool)) ([][]byte, bool) {
	var patches []string
	texts := 0
	findPatches(t.Input, &patches, &texts, 0)
	c := collector{path: path}
	c.addValue(t.Input, false, nil, 0)
	if len(patches) > 0 {
		if len(patches) > 1 || texts > 1 || c.named || strings.Contains(patches[0], begin) {
			return nil, false
		}
		return applyPatch(patches[0], path, read)
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
		if out, ok = s.apply(out, mayAppend(t)); !ok || len(out) > maxTexts {
			return nil, false
		}
	}
	return out, true
}

const (
	maxTexts = 64 // more variants than hosts can cause
	maxDepth = 6
)

// An editArgs holds the arguments, from one object of a call, that determine the new text of a file.
type editArgs struct {
	list  *byte // identifies the list of which it is an element
	count [tools.Other + 1]int
	text  [tools.Other + 1]string
}

// has reports whether an argument has the given share.
func (s *editArgs) has(share tools.Share) bool { return s.count[share] > 0 }

// A collector finds the edits of one file in a call.
type collector struct {
	path  string
	list  []editArgs
	named bool // an argument names the file
	odd   bool // the arguments are nested too deeply
}

// addValue adds the edits in v. If elsewhere is set, v is part of an object about another file.
func (c *collector) addValue(v []byte, elsewhere bool, list *byte, depth int) {
	if depth > maxDepth {
		c.odd = true
		return
	}
	switch rawjson.Kind(v) {
	case '{':
		c.addObject(v, elsewhere, list, depth)
	case '[':
		rawjson.Elements(v, func(_ int, e []byte) bool {
			c.addValue(e, elsewhere, &v[0], depth+1)
			return true
		})
	}
}

// addObject adds the edits in the object v; see addValue.
func (c *collector) addObject(v []byte, elsewhere bool, list *byte, depth int) {
	s := editArgs{list: list}
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
		c.addValue(m, elsewhere, nil, depth+1)
		return true
	})
}

// editForms lists the forms of edits by the arguments that they take, each exactly once.
var editForms = [...]struct {
	takes []tools.Share
	apply func(s *editArgs, texts [][]byte) ([][]byte, bool)
}{
	{[]tools.Share{tools.Old, tools.New}, (*editArgs).replaceText},
	{[]tools.Share{tools.Line, tools.Put}, (*editArgs).insertText},
	{[]tools.Share{tools.Line, tools.New}, (*editArgs).insertText},
	{[]tools.Share{tools.Added}, (*editArgs).appendText},
	{[]tools.Share{tools.Whole}, func(s *editArgs, _ [][]byte) ([][]byte, bool) { return [][]byte{[]byte(s.text[tools.Whole])}, true }},
}

// apply returns the possible results of the edit for each of texts, the possible contents so far. If
// add is set, the tool may append. It returns false if the edit has no known form.
func (s *editArgs) apply(texts [][]byte, add bool) ([][]byte, bool) {
	n := 0
	for share := tools.Whole; share <= tools.Other; share++ {
		n += s.count[share]
	}
	for i := range editForms {
		shape := &editForms[i]
		if n != len(shape.takes) || slices.ContainsFunc(shape.takes, func(share tools.Share) bool { return s.count[share] != 1 }) {
			continue
		}
		if add && shape.takes[0] == tools.Whole {
			s.text[tools.Added] = s.text[tools.Whole]
			return s.appendText(texts)
		}
		return shape.apply(s, texts)
	}
	return nil, false
}

// appendText returns the results of appending the text and of replacing everything with it, because
// hosts differ.
func (s *editArgs) appendText(texts [][]byte) ([][]byte, bool) {
	var out [][]byte
	for _, t := range texts {
		out = append(out, append(bytes.Clone(t), s.text[tools.Added]...), []byte(s.text[tools.Added]))
	}
	return out, true
}

// mayAppend reports whether t may append to a file.
func mayAppend(t *checkrein.Tool) bool {
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

// replaceText returns the results of replacing the old text with the new one. If the old text occurs
// several times, hosts replace the first occurrence or all.
func (s *editArgs) replaceText(texts [][]byte) ([][]byte, bool) {
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

// insertText returns the results of inserting the text after the given line and before it, because
// hosts count lines in both ways.
func (s *editArgs) insertText(texts [][]byte) ([][]byte, bool) {
	line, err := strconv.Atoi(strings.TrimSpace(s.text[tools.Line]))
	if err != nil || line < 0 {
		return nil, false
	}
	text := s.text[tools.Put] + s.text[tools.New] // only one of them is set
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
