// Package scrub removes what a policy forbids from files, and applies the user's replacement
// rules.
//
// A scrubbed file is clean: a scan with the same policy finds nothing in it that scrub
// removes, and scrubbing it again changes nothing.
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

// A Scrubber scrubs texts. Only Policy is required.
type Scrubber struct {
	Policy *policy.Policy
	Rules  *Rules
	// Ask, if not nil, is called with each scrubbed text. It returns the final text, or an error
	// if the text must not be used.
	Ask func(ctx context.Context, r *Result) ([]byte, error)
}

// A Result is the result of scrubbing a text.
type Result struct {
	Before, After []byte // the whole content
	Masked        int    // findings that were masked
	Replaced      int    // matches of rules that were replaced

	Path string // relative to the top of the project; "" for a text without a path

	plain, text []byte // Before and After, decoded to UTF-8
}

// ScrubbedText returns the scrubbed text in UTF-8.
func (r *Result) ScrubbedText() []byte { return r.text }

// MaskedFindings returns the findings of p in the original text that scrubbing masks.
func (r *Result) MaskedFindings(p *policy.Policy) []policy.Finding {
	find := p.Find
	if scan.IsDense(r.plain) {
		find = p.FindDense
	}
	return slices.DeleteFunc(find(nil, r.Path, r.plain), func(f policy.Finding) bool { return !f.Counts() || f.Severity < policy.Warn })
}

// HasChanges reports whether scrubbing changed the content.
func (r *Result) HasChanges() bool { return !bytes.Equal(r.Before, r.After) }

// maxRounds is the maximum number of times that rules and policy may change each other's results.
const maxRounds = 10

// Scrub returns the result of scrubbing data, the content of path, which is relative to the top of the
// project. It reports false if data is not text, or the policy does not apply to path.
func (s *Scrubber) Scrub(ctx context.Context, path string, data []byte) (*Result, bool, error) {
	r := &Result{Before: data, After: data, Path: path}
	text, encode, ok := scan.DecodeText(data)
	if !ok || !s.Policy.AppliesTo(path) {
		return r, false, nil
	}
	r.plain, r.text = text, text
	if err := s.applyUntilStable(r); err != nil {
		return r, true, err
	}
	if s.Ask != nil {
		said, err := s.Ask(ctx, r)
		if err != nil {
			return r, true, err
		}
		if !bytes.Equal(said, r.text) {
			r.text = said
			if err := s.applyUntilStable(r); err != nil {
				return r, true, err
			}
		}
	}
	if bytes.Equal(r.text, r.plain) {
		return r, true, nil
	}
	if !bytes.Equal(encode(r.plain), data) {
		return r, true, errors.New("is invalid UTF-16, so it cannot be rewritten without losing data: repair it first")
	}
	r.After = encode(r.text)
	return r, true, nil
}

// applyUntilStable applies rules and policy to r.text until neither changes anything. It returns an
// error if that does not end.
func (s *Scrubber) applyUntilStable(r *Result) error {
	for range maxRounds {
		text, n, last := s.Rules.apply(string(r.text))
		r.Replaced += n
		mask := s.Policy.Mask
		if scan.IsDense([]byte(text)) {
			mask = s.Policy.MaskDense
		}
		next, m := mask(r.Path, []byte(text), policy.Warn)
		r.Masked += m
		if bytes.Equal(next, r.text) {
			return nil
		}
		r.text = next
		if len(next) > 4*len(r.Before)+1<<20 {
			return unstableError(last)
		}
	}
	_, _, last := s.Rules.apply(string(r.text))
	return unstableError(last)
}

// unstableError returns the error for replacements that never end; place is that of the last rule that
// changed something, or "".
func unstableError(place string) error {
	if place == "" {
		return fmt.Errorf("a replacement in the policy matches its own pattern, so masking would never end: change the replacement")
	}
	return fmt.Errorf("the rule at %s matches its own result, so it would never end: change the rule", place)
}

// shownPrefix is the number of bytes of a secret that a preview shows.
const shownPrefix = 4

// Diff returns the changes to the file name as a unified diff. It shows only the beginning of secrets,
// because a preview may end up in a log. That includes secrets that are allowed and stay.
func (r *Result) Diff(p *policy.Policy, name string) []byte {
	text := diff.Diff("a/"+name, shortenSecrets(p, r.Path, r.plain), "b/"+name, shortenSecrets(p, r.Path, r.text))
	_, text, _ = bytes.Cut(text, []byte("\n")) // drop the line that names the diff command
	return text
}

// shortenSecrets returns text, the content of path, with only the beginning of each secret. Shortening
// one secret may reveal another, so it searches repeatedly.
func shortenSecrets(p *policy.Policy, path string, text []byte) []byte {
	for range maxRounds {
		var b bytes.Buffer
		at := 0
		for _, part := range secretRanges(p, path, text) {
			if part[1]-part[0] > shownPrefix {
				b.Write(text[at : part[0]+shownPrefix])
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

// secretRanges returns the spans of secrets and personal data in text, the content of path, with
// overlapping ones merged.
func secretRanges(p *policy.Policy, path string, text []byte) [][2]int {
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
