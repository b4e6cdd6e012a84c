package secret

import (
	"slices"

	"github.com/checkrein/checkrein/internal/secret/rules"
	"github.com/checkrein/checkrein/internal/secret/search"
)

// A Cleaner takes things out of texts the way someone wants it done.
type Cleaner struct {
	Want   rules.Kind
	Strict bool                     // rather too much than too little; see Redactor
	Marker func(rule string) string // what is written instead; nil = [REDACTED]
	// Mark returns what is written instead of a finding in a text; it counts before Marker.
	Mark func(text string, f Finding) string
	// Skip lists which members of an object stay as they are, by their key.
	Skip func(key string) bool
	// Keep reports whether a value that a rule found stays.
	Keep func(rule, value string) bool
	// Also appends what else shall be taken out.
	Also func(dst []Finding, text string) []Finding
	// Memory is what was searched before; nil = nothing.
	Memory *Memory

	searched bool // nothing is left of what the usual level finds
}

// plain reports whether the cleaner takes out all that is a secret, and nothing else.
func (c *Cleaner) plain() bool {
	return c.Want == rules.Secrets && !c.Strict && c.Skip == nil && c.Keep == nil && c.Also == nil
}

// Find returns what the cleaner would take out of a text.
func (c *Cleaner) Find(text string) []Finding {
	f := search.New(text, c.Want)
	if !c.searched {
		f.Found = c.Memory.search(text, c.Want)
	}
	return c.finish(&f)
}

// finish returns what was found, with what the strict level adds. Other spellings are read
// when nothing is left to find in the text itself.
func (c *Cleaner) finish(f *search.Finder) []Finding {
	if c.Strict {
		findStrict(f)
	}
	list := c.settle(f.Text, appendFindings(f, nil))
	if c.Strict && len(list) == 0 {
		f.Found = f.Found[:0]
		findSpeltStrictly(f)
		list = c.settle(f.Text, appendFindings(f, nil))
	}
	return list
}

// settle drops what stays and adds what else shall go.
func (c *Cleaner) settle(text string, list []Finding) []Finding {
	if c.Also != nil {
		if more := c.Also(nil, text); len(more) > 0 {
			list = joined(append(list, more...))
		}
	}
	if c.Keep != nil {
		list = slices.DeleteFunc(list, func(f Finding) bool { return c.Keep(f.Rule, text[f.Start:f.End]) })
	}
	return list
}

// joined sorts findings and makes one of those that overlap, under the name of
// the first.
func joined(list []Finding) []Finding {
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

// Text is Redact.
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

// Shaped reports whether a rule goes by the shape of the secret itself and not by a
// name or other words around it.
func Shaped(rule string) bool {
	i := rules.Index(rule)
	return i >= 0 && readers[rules.Table[i].By].rank == ofShape
}
