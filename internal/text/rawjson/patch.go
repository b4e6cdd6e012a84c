package rawjson

import (
	"bytes"
	"fmt"
	"slices"
)

// Patch sets the members of patch in obj and returns the result, a new object that passes Check. It
// does not change its arguments.
//
// A member whose value in patch is null is deleted from obj. A key that obj has keeps its position,
// with the spelling in patch; other keys follow at the end in the order of patch. Values are replaced
// as a whole: objects are not merged, and a null inside a value stays a value. In either argument,
// only the last of several members with the same key counts.
//
// White space around the members of obj and patch is dropped. Keys and values, including white space
// inside values, stay byte for byte, so that applying the same patch again changes nothing.
//
// An empty obj counts as {}. Otherwise both arguments are checked, and the error for one that is not a
// valid object wraps the *SyntaxError.
func Patch(obj, patch []byte) ([]byte, error) {
	var buf [16]entry
	entries := buf[:0]
	if len(obj) > 0 {
		if err := CheckObject(obj); err != nil {
			return nil, fmt.Errorf("object to patch: %w", err)
		}
		entries = appendEntries(entries, obj)
	}
	if err := CheckObject(patch); err != nil {
		return nil, fmt.Errorf("patch: %w", err)
	}
	split := len(entries)
	entries = appendEntries(entries, patch)
	chooseEntries(entries, split)

	out := make([]byte, 0, len(obj)+len(patch)+2)
	out = append(out, '{')
	for i := range entries {
		if entries[i].keep {
			out = entries[i].appendTo(out)
		}
	}
	return append(out, '}'), nil
}

// An entry is a member of an argument of Patch: its decoded key (name), the key as written between its
// quotes, and the value.
type entry struct {
	name, key, val []byte
	keep           bool
}

// appendTo appends the member to an object that out has opened.
func (e *entry) appendTo(out []byte) []byte {
	if len(out) > 1 {
		out = append(out, ',')
	}
	out = append(out, '"')
	out = append(out, e.key...)
	out = append(out, '"', ':')
	return append(out, e.val...)
}

// appendEntries appends the members of obj to dst.
func appendEntries(dst []entry, obj []byte) []entry {
	c := newCursor(obj, '{')
	for {
		key, val, ok := c.nextMember()
		if !ok {
			return dst
		}
		dst = append(dst, entry{decodeKey(key), key, val, false})
	}
}

// chooseEntries decides which entries to keep. Those before split are the object's; the others are the
// patch's.
func chooseEntries(entries []entry, split int) {
	var buf [32]int
	order := buf[:0]
	for i := range entries {
		order = append(order, i)
	}
	slices.SortFunc(order, func(i, j int) int {
		if c := compareNames(entries[i].name, entries[j].name); c != 0 {
			return c
		}
		return i - j
	})
	for len(order) > 0 {
		n := 1
		for n < len(order) && bytes.Equal(entries[order[n]].name, entries[order[0]].name) {
			n++
		}
		chooseForKey(entries, order[:n], split)
		order = order[n:]
	}
}

// chooseForKey decides which of the entries with the indexes same, which have the same key, to keep.
func chooseForKey(entries []entry, same []int, split int) {
	last := same[len(same)-1]
	if last < split {
		entries[last].keep = true
		return
	}
	if Kind(entries[last].val) == 'n' {
		return
	}
	place := last
	for _, i := range same {
		if i < split {
			place = i
		}
	}
	entries[place].key, entries[place].val = entries[last].key, entries[last].val
	entries[place].keep = true
}
