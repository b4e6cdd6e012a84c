package rawjson

import (
	"bytes"
	"fmt"
	"slices"
)

// Patch sets the members of patch in obj and returns the result, a new object
// that passes Check. Neither argument is changed.
//
// A member whose value in patch is null is deleted from obj. A key that obj
// has is set in its place, with the spelling that patch gives it; other keys
// follow at the end in the order of patch. Values are replaced whole: objects
// are not merged, and a null inside a value is a value. Duplicates of a key
// collapse into the last, in either argument and at its place.
//
// White space around the members of obj and patch is dropped. Keys and values,
// white space inside values included, stay byte for byte, so patching again
// with the same patch changes nothing.
//
// An obj of no bytes counts as {}. Otherwise both arguments are checked, and
// the error for one that is not a valid object wraps the *SyntaxError.
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

// entry is a member of either argument of Patch: its decoded key, the spelling
// of the key between its quotes, and the value.
type entry struct {
	name, key, val []byte
	keep           bool
}

func (e *entry) appendTo(out []byte) []byte {
	if len(out) > 1 {
		out = append(out, ',')
	}
	out = append(out, '"')
	out = append(out, e.key...)
	out = append(out, '"', ':')
	return append(out, e.val...)
}

func appendEntries(dst []entry, obj []byte) []entry {
	c := enter(obj, '{')
	for {
		key, val, ok := c.member()
		if !ok {
			return dst
		}
		dst = append(dst, entry{decodeKey(key), key, val, false})
	}
}

// chooseEntries decides which entries to keep. Those below split are the object's, the others the
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

// chooseForKey decides about the entries of one key, in their order.
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
