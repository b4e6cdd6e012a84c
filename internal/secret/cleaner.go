package secret

import (
	"slices"

	"github.com/checkrein/checkrein/internal/secret/rules"
	"github.com/checkrein/checkrein/internal/secret/search"
)

// A Cleaner redacts text and RedactJSON according to its options.
type Cleaner struct {
	Want   rules.Kind
	Strict bool                     // prefer redacting too much; see Redactor
	Marker func(rule string) string // returns the replacement; nil means [REDACTED]
	// Mark returns the replacement for the finding f in text. It takes precedence over Marker.
	Mark func(text string, f Finding) string
	// Skip reports whether the value of the RedactJSON member key is left unchanged.
	Skip func(key string) bool
	// Keep reports whether value, which rule found, is left unchanged.
	Keep func(rule, value string) bool
	// Also appends further findings in text to dst.
	Also func(dst []Finding, text string) []Finding
	// Memory caches earlier searches; it may be nil.
	Memory *Memory

	searched bool // the text has no findings of the normal level left
}

// isDefault reports whether c redacts all secrets and nothing else.
func (c *Cleaner) isDefault() bool {
	return c.Want == rules.Secrets && !c.Strict && c.Skip == nil && c.Keep == nil && c.Also == nil
}

// isStrict reports whether c redacts all that is suspicious and nothing else, so that what it finds in a
// value depends on nothing but that and its name.
func (c *Cleaner) isStrict() bool {
	return c.Want == rules.Secrets && c.Strict && !c.searched && c.Skip == nil && c.Keep == nil && c.Also == nil
}

// Find returns the findings in text that c would replace.
func (c *Cleaner) Find(text string) []Finding {
	f := search.New(text, c.Want)
	if !c.searched {
		f.Found = c.Memory.search(text, c.Want)
	}
	return c.completeFindings(&f)
}

// completeFindings returns the merged findings of f and, if c.Strict is set, those of the strict
// level. It searches the decoded text only if the text itself has no findings.
func (c *Cleaner) completeFindings(f *search.Finder) []Finding {
	if c.Strict {
		findStrict(f)
	}
	list := c.filterFindings(f.Text, appendFindings(f, nil))
	if c.Strict && len(list) == 0 {
		f.Found = f.Found[:0]
		findDecodedStrict(f)
		list = c.filterFindings(f.Text, appendFindings(f, nil))
	}
	return list
}

// filterFindings returns list with the findings of c.Also, and without those that c.Keep accepts.
func (c *Cleaner) filterFindings(text string, list []Finding) []Finding {
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

// mergeOverlaps sorts list and merges findings that overlap, under the rule of the first. The list
// must not be empty.
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

// RedactText is [Redact] with the options of c.
func (c *Cleaner) RedactText(text string) (out string, n int) {
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

// RecognisesByForm reports whether rule recognises a secret by its own form, not by a name or other
// words around it.
func RecognisesByForm(rule string) bool {
	i := rules.IndexOf(rule)
	return i >= 0 && readers[rules.Table[i].By].rank == ofShape
}
