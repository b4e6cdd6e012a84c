package secret

import (
	"slices"

	"github.com/checkrein/checkrein/internal/secret/rules"
	"github.com/checkrein/checkrein/internal/secret/search"
)

// A Cleaner removes findings from texts, with options.
type Cleaner struct {
	Want   rules.Kind
	Strict bool                     // prefer removing too much; see Redactor
	Marker func(rule string) string // returns the replacement; nil means [REDACTED]
	// Mark returns the replacement for a finding in a text; it takes precedence over Marker.
	Mark func(text string, f Finding) string
	// Skip reports whether the member key of an object is left unchanged.
	Skip func(key string) bool
	// Keep reports whether a value that a rule found is left unchanged.
	Keep func(rule, value string) bool
	// Also appends further findings to dst.
	Also func(dst []Finding, text string) []Finding
	// Memory caches earlier searches; it may be nil.
	Memory *Memory

	searched bool // the text has no findings of the normal level left
}

// isDefault reports whether the cleaner removes all secrets and nothing else.
func (c *Cleaner) isDefault() bool {
	return c.Want == rules.Secrets && !c.Strict && c.Skip == nil && c.Keep == nil && c.Also == nil
}

// Find returns the findings that the cleaner would remove from a text.
func (c *Cleaner) Find(text string) []Finding {
	f := search.New(text, c.Want)
	if !c.searched {
		f.Found = c.Memory.search(text, c.Want)
	}
	return c.finish(&f)
}

// finish returns the findings of f, with those of the strict level. It decodes other spellings only if
// the text itself has no findings.
func (c *Cleaner) finish(f *search.Finder) []Finding {
	if c.Strict {
		findStrict(f)
	}
	list := c.filter(f.Text, appendFindings(f, nil))
	if c.Strict && len(list) == 0 {
		f.Found = f.Found[:0]
		findDecodedStrict(f)
		list = c.filter(f.Text, appendFindings(f, nil))
	}
	return list
}

// filter adds the findings of c.Also and drops those that c.Keep keeps.
func (c *Cleaner) filter(text string, list []Finding) []Finding {
	if c.Also != nil {
		if more := c.Also(nil, text); len(more) > 0 {
			list = mergeOverlaps(append(list, more...))
		}
	}
	if c.Keep != nil {
		list = slices.DeleteFunc(list, func(f Finding) bool { return c.Keep(f.Rule, text[f.Start:f.End]) })
	}
	return list
}

// mergeOverlaps sorts findings and merges those that overlap, under the rule of the first.
func mergeOverlaps(list []Finding) []Finding {
	slices.SortStableFunc(list, func(a, b Finding) int { return a.Start - b.Start })
	out := list[:1]
	for _, f := range list[1:] {
		last := &out[len(out)-1]
		if f.Start < last.End {
			last.End = max(last.End, f.End)
			continue
		}
		out = append(out, f)
	}
	return out
}

// Text is [Redact] with the options of c.
func (c *Cleaner) Text(text string) (out string, n int) {
	for range rounds {
		found := c.Find(text)
		if len(found) == 0 {
			break
		}
		text = string(c.replace(nil, text, found))
		n += len(found)
	}
	return text, n
}

// HasShape reports whether a rule recognises a secret by its own form, not by a name or other words
// around it.
func HasShape(rule string) bool {
	i := rules.Index(rule)
	return i >= 0 && readers[rules.Table[i].By].rank == ofShape
}
