package scan

import "bytes"

// In a history most of a file is as it was in the commit before. What was looked
// at there need not be looked at again: a new version is searched around what
// changed, and only if something is found there, or the version before was not
// clean, does it matter what else the text has.

const (
	leastVersion = 8 << 10  // a smaller text is looked at as it is
	mostVersions = 64 << 20 // bytes of texts that are kept

	// A rule looks so far around its anchor, and the anchor may be as far from the
	// changed part: the kind of a manifest stands long before its data.
	ruleReach     = 4096 + 256
	contextBefore = 2 * ruleReach
	contextBehind = 2 * ruleReach
)

// versions are the latest texts of paths. It belongs to one goroutine.
type versions struct {
	list map[string]*job
	size int
}

// next returns the job of the version before, and keeps this one for the next.
func (v *versions) next(j *job) *job {
	if v.list == nil || v.size > mostVersions {
		v.list, v.size = map[string]*job{}, 0
	}
	before := v.list[j.item.Path]
	if before != nil {
		v.size -= len(before.text)
	}
	j.text = bytes.Clone(j.data) // whose buffer is used again
	v.list[j.item.Path] = j
	v.size += len(j.text)
	return before
}

// fresh returns the part of a text, in whole lines, in which something can be
// found that was not in the version before. It is empty when nothing was added.
func fresh(before, text []byte) (from, to int) {
	n := min(len(before), len(text))
	from = samePrefix(before[:n], text[:n])
	to = len(text) - sameSuffix(before[from:], text[from:])
	from, to = max(0, from-contextBefore), min(len(text), to+contextBehind)
	from = bytes.LastIndexByte(text[:from], '\n') + 1
	if i := bytes.IndexByte(text[to:], '\n'); i >= 0 {
		return from, to + i + 1
	}
	return from, len(text)
}

const step = 512 // compared at once

func samePrefix(a, b []byte) int {
	n := 0
	for n+step <= len(a) && bytes.Equal(a[n:n+step], b[n:n+step]) {
		n += step
	}
	for n < len(a) && a[n] == b[n] {
		n++
	}
	return n
}

func sameSuffix(a, b []byte) int {
	n, most := 0, min(len(a), len(b))
	for n+step <= most && bytes.Equal(a[len(a)-n-step:len(a)-n], b[len(b)-n-step:len(b)-n]) {
		n += step
	}
	for n < most && a[len(a)-n-1] == b[len(b)-n-1] {
		n++
	}
	return n
}

// lookAfter looks at a text whose version before was looked at. It reports false
// when all of the text has to be looked at.
func (s *scanner) lookAfter(it Item, before, text []byte) (outcome, bool) {
	if !isPlain(before) || !isPlain(text) {
		return outcome{}, false
	}
	dense := isDenseText(text)
	from, to := fresh(before, text)
	if dense != isDenseText(before) || to-from > len(text)/2 {
		return outcome{}, false
	}
	find := s.scan.Policy.Find
	if dense {
		find = s.scan.Policy.FindDense
	}
	if s.found = find(s.found[:0], it.Path, text[from:to]); len(s.found) > 0 {
		return outcome{}, false
	}
	out := outcome{bytes: int64(len(text))}
	if dense {
		out.form = isDense
	}
	return out, true
}

// isPlain reports whether a content is a text that needs no decoding.
func isPlain(data []byte) bool {
	o, _ := orderOf(data[:min(len(data), headSize)])
	return o == 0 && !isBinaryHead(data)
}
