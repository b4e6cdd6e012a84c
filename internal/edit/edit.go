// Package edit says what a file will hold once a file tool has run: a write, an
// edit or a patch, in the words of any host.
package edit

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/rawjson"
)

// Results returns the texts that the file at path, as the call writes it, may have
// afterwards: one, or several where hosts differ; a nil text is no file. It reports
// false when that cannot be told. Read returns a file as it is now, by the path as
// the call writes it; nil = there is none.
func Results(t *checkrein.Tool, path string, read func(path string) []byte) ([][]byte, bool) {
	if patch, ok := envelope(t.Input, 0); ok {
		return patched(patch, path, read)
	}
	objects := holders(t.Input, path, nil, 0)
	if len(objects) == 0 {
		objects = [][]byte{t.Input}
	}
	before := read(path)
	texts, known := [][]byte{before}, false
	for _, o := range objects {
		for _, where := range [][]byte{o, t.Input} {
			next, ok := applied(where, texts, appends(t))
			if ok {
				texts, known = next, true
				break
			}
		}
	}
	return texts, known && len(texts) <= maxTexts
}

const (
	maxTexts = 64 // more than a host could mean
	maxDepth = 6
)

// holders are the innermost objects of a value that name a path.
func holders(v []byte, path string, out [][]byte, depth int) [][]byte {
	if depth > maxDepth {
		return out
	}
	switch rawjson.Kind(v) {
	case '{':
		mine, n := false, len(out)
		rawjson.Each(v, func(key string, m []byte) bool {
			if s, ok := rawjson.Text(m); ok {
				mine = mine || s == path && !is(key, contentKeys[:]) && !is(key, oldKeys[:]) && !is(key, newKeys[:])
			} else {
				out = holders(m, path, out, depth+1)
			}
			return true
		})
		if mine && len(out) == n {
			out = append(out, v)
		}
	case '[':
		rawjson.Elements(v, func(_ int, e []byte) bool {
			out = holders(e, path, out, depth+1)
			return true
		})
	}
	return out
}

// The words of hosts and servers, without underscores and in small letters.
var (
	contentKeys = [...]string{"content", "filetext", "contents", "newcontent", "filecontent", "newcontents", "text", "data"}
	oldKeys     = [...]string{"oldstring", "oldstr", "oldtext", "search", "find", "target", "original"}
	newKeys     = [...]string{"newstring", "newstr", "newtext", "replace", "replacement"}
	lineKeys    = [...]string{"insertline", "line"}
	insertKeys  = [...]string{"inserttext", "newstr", "text", "content"}
	editLists   = [...]string{"edits", "changes", "replacements", "operations"}
)

func is(key string, words []string) bool {
	for _, w := range words {
		if len(key) >= len(w) && strings.EqualFold(strings.NewReplacer("_", "", "-", "").Replace(key), w) {
			return true
		}
	}
	return false
}

// member is the text of the first member with one of these names.
func member(obj []byte, words []string) (text string, ok bool) {
	rawjson.Each(obj, func(key string, v []byte) bool {
		if is(key, words) {
			text, ok = rawjson.Text(v)
		}
		return !ok
	})
	return text, ok
}

// applied does what an object of a call says to each of the texts.
func applied(o []byte, texts [][]byte, add bool) ([][]byte, bool) {
	var list []byte
	rawjson.Each(o, func(key string, v []byte) bool {
		if is(key, editLists[:]) && rawjson.Kind(v) == '[' {
			list = v
		}
		return list == nil
	})
	if list != nil {
		ok, any := true, false
		rawjson.Elements(list, func(_ int, e []byte) bool {
			any = true
			texts, ok = replaced(e, texts)
			return ok
		})
		return texts, ok && any
	}
	if _, ok := member(o, oldKeys[:]); ok {
		return replaced(o, texts)
	}
	if at, ok := number(o); ok {
		if text, ok := member(o, insertKeys[:]); ok {
			return inserted(texts, at, text)
		}
	}
	content, ok := member(o, contentKeys[:])
	switch {
	case !ok:
		return texts, false
	case add:
		var out [][]byte
		for _, t := range texts {
			out = append(out, append(bytes.Clone(t), content...), []byte(content))
		}
		return out, true
	}
	return [][]byte{[]byte(content)}, true
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
func replaced(o []byte, texts [][]byte) ([][]byte, bool) {
	old, ok := member(o, oldKeys[:])
	to, ok2 := member(o, newKeys[:])
	if !ok || !ok2 {
		return texts, false
	}
	var out [][]byte
	for _, t := range texts {
		switch n := bytes.Count(t, []byte(old)); {
		case old == "" && len(t) == 0:
			out = append(out, []byte(to))
		case old == "" || n == 0:
			return texts, false
		case n == 1:
			out = append(out, bytes.ReplaceAll(t, []byte(old), []byte(to)))
		default:
			out = append(out, bytes.Replace(t, []byte(old), []byte(to), 1), bytes.ReplaceAll(t, []byte(old), []byte(to)))
		}
	}
	return out, len(out) <= maxTexts
}

func number(o []byte) (n int, ok bool) {
	rawjson.Each(o, func(key string, v []byte) bool {
		if is(key, lineKeys[:]) {
			var err error
			n, err = strconv.Atoi(string(bytes.Trim(v, ` "`)))
			ok = err == nil && n >= 0
		}
		return !ok
	})
	return n, ok
}

// inserted puts a text behind a line, and before it: hosts count in both ways.
func inserted(texts [][]byte, line int, text string) ([][]byte, bool) {
	var out [][]byte
	for _, t := range texts {
		for _, at := range [...]int{line, line - 1} {
			lines := strings.SplitAfter(string(t), "\n")
			if at < 0 || at > len(lines) {
				continue
			}
			s := strings.Join(lines[:at], "")
			if s != "" && !strings.HasSuffix(s, "\n") {
				s += "\n"
			}
			if s += text; !strings.HasSuffix(text, "\n") {
				s += "\n"
			}
			out = append(out, []byte(s+strings.Join(lines[at:], "")))
		}
	}
	return out, len(out) > 0
}
