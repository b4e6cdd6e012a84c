// Package scrub takes out of files what a policy objects to and what a person's
// rules replace, so that they can move on.
//
// What was scrubbed is clean: a scan with the same policy finds nothing in it,
// and scrubbing it again changes nothing.
package scrub

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/checkrein/checkrein/internal/scan"
	"github.com/checkrein/checkrein/internal/scan/policy"
	"github.com/rogpeppe/go-internal/diff"
)

// A Scrubber scrubs texts. The zero value with a policy works.
type Scrubber struct {
	Policy *policy.Policy
	Rules  *Rules
	// Ask, when set, is told of each text as it will be. It returns the text that
	// counts, or why it is held back.
	Ask func(ctx context.Context, r *Result) ([]byte, error)
}

// A Result is what became of a text.
type Result struct {
	Before, After []byte // the whole content
	Masked        int    // findings that were taken out
	Replaced      int    // matches of rules

	Path string // from the top of the project; "" for a text without one

	plain, text []byte // Before and After, as texts
}

// Text is the text as it will be.
func (r *Result) Text() []byte { return r.text }

// Found is what a policy objects to in the text as it was, and takes out.
func (r *Result) Found(p *policy.Policy) []policy.Finding {
	find := p.Find
	if scan.Dense(r.plain) {
		find = p.FindDense
	}
	return slices.DeleteFunc(find(nil, r.Path, r.plain), func(f policy.Finding) bool { return !f.Counts() || f.Severity < policy.Warn })
}

// Changed reports whether there is anything to write.
func (r *Result) Changed() bool { return !bytes.Equal(r.Before, r.After) }

// rounds is how often rules and policy may find something in what the other
// wrote.
const rounds = 10

// Scrub scrubs a content; path is from the top of the project. It reports false
// for one that holds no text.
func (s *Scrubber) Scrub(ctx context.Context, path string, data []byte) (*Result, bool, error) {
	r := &Result{Before: data, After: data, Path: path}
	text, encode, ok := scan.Decode(data)
	if !ok || !s.Policy.Covers(path) {
		return r, false, nil
	}
	r.plain, r.text = text, text
	if err := s.settle(r); err != nil {
		return r, true, err
	}
	if s.Ask != nil {
		said, err := s.Ask(ctx, r)
		if err != nil {
			return r, true, err
		}
		if !bytes.Equal(said, r.text) {
			r.text = said
			if err := s.settle(r); err != nil {
				return r, true, err
			}
		}
	}
	if bytes.Equal(r.text, r.plain) {
		return r, true, nil
	}
	if !bytes.Equal(encode(r.plain), data) {
		return r, true, errors.New("is invalid UTF-16, so the rest of it could not be kept: repair it first")
	}
	r.After = encode(r.text)
	return r, true, nil
}

// settle applies rules and policy until neither changes anything.
func (s *Scrubber) settle(r *Result) error {
	for range rounds {
		text, n, last := s.Rules.apply(string(r.text))
		r.Replaced += n
		mask := s.Policy.Mask
		if scan.Dense([]byte(text)) {
			mask = s.Policy.MaskDense
		}
		next, m := mask(r.Path, []byte(text), policy.Warn)
		r.Masked += m
		if bytes.Equal(next, r.text) {
			return nil
		}
		r.text = next
		if len(next) > 4*len(r.Before)+1<<20 {
			return unsettled(last)
		}
	}
	_, _, last := s.Rules.apply(string(r.text))
	return unsettled(last)
}

func unsettled(place string) error {
	if place == "" {
		return fmt.Errorf("a replacement contains what it replaces: check the policy's replacements")
	}
	return fmt.Errorf("the rule at %s changes its own result again and would never end", place)
}

// shownOf is how much of a secret a preview shows.
const shownOf = 4

// Diff is what would change, for people. Of a secret it shows the beginning only:
// a preview may end up in a log. That goes for those that stay, too, because
// somebody allowed them.
func (r *Result) Diff(p *policy.Policy, name string) []byte {
	text := diff.Diff("a/"+name, hidden(p, r.Path, r.plain), "b/"+name, hidden(p, r.Path, r.text))
	_, text, _ = bytes.Cut(text, []byte("\n")) // the line that names a program
	return text
}

// hidden is a text of whose secrets the beginning is left. What one of them hid
// is found when it is gone, so it is looked again.
func hidden(p *policy.Policy, path string, text []byte) []byte {
	for range rounds {
		var b bytes.Buffer
		at := 0
		for _, part := range secrets(p, path, text) {
			if part[1]-part[0] > shownOf {
				b.Write(text[at : part[0]+shownOf])
				b.WriteString("…")
				at = part[1]
			}
		}
		b.Write(text[at:])
		if bytes.Equal(b.Bytes(), text) {
			break
		}
		text = b.Bytes()
	}
	return text
}

// secrets are the parts of a text that nobody may read, without overlaps.
func secrets(p *policy.Policy, path string, text []byte) [][2]int {
	var list [][2]int
	for _, f := range p.Find(nil, path, text) {
		switch n := len(list); {
		case f.Kind != "secret" && f.Kind != "personal":
		case n > 0 && f.Start < list[n-1][1]:
			list[n-1][1] = max(list[n-1][1], f.End)
		default:
			list = append(list, [2]int{f.Start, f.End})
		}
	}
	return list
}
