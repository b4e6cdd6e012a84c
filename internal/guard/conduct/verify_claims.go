// Package conduct holds the agent to its word: claims need evidence, tools are used and not
// narrated, checks pass before the end, and what was denied is not tried in another way.
package conduct

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/guard/builtin"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// maxReferences is how many things are looked up for a claim.
const maxReferences = 50

// A claimVerifier describes which words claim something and where the truth is.
type claimVerifier struct {
	forms    func() []*regexp.Regexp // of claims
	evidence []string                // files
}

// NewVerifyClaims catches "Published!" when nothing was. Offers, plans and what
// can be found in the evidence pass.
func NewVerifyClaims(args []string) (builtin.Func, error) {
	c, words := claimVerifier{forms: defaultClaimForms}, claimWords
	for _, arg := range args {
		path, ok := strings.CutPrefix(arg, "evidence=")
		word := strings.ToLower(arg)
		switch {
		case ok && path != "":
			c.evidence = append(c.evidence, path)
		case !ok && word != "" && strings.IndexFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' }) < 0:
			words = append(words[:len(words):len(words)], word)
		default:
			return nil, fmt.Errorf("argument %q: must be evidence=FILE, or a word that makes a claim, such as released", arg)
		}
	}
	if len(words) > len(claimWords) {
		c.forms = sync.OnceValue(func() []*regexp.Regexp { return compileClaimForms(words) })
	}
	return c.verify, nil
}

func (c *claimVerifier) verify(_ context.Context, call builtin.Call) (checkrein.Verdict, error) {
	ev := &call.Event
	switch ev.Kind {
	case checkrein.Stop, checkrein.OnCompletionClaim, checkrein.SubagentStop, checkrein.OnResponseEnd:
	default:
		return checkrein.Verdict{}, nil
	}
	reply := replyOf(ev)
	if summary, _ := rawjson.Text(ev.Detail("summary")); ev.Kind == checkrein.OnCompletionClaim {
		reply += "\n" + summary
	}
	all := sentences(reply)
	claims := findClaims(all, c.forms())
	if len(claims) == 0 {
		return checkrein.Verdict{}, nil
	}
	evidence, err := c.read(&call)
	if err != nil {
		return checkrein.Verdict{}, err
	}
	i := c.unproven(ev, all, claims, evidence)
	switch {
	case i < 0:
		return checkrein.Verdict{}, nil
	case ev.Kind == checkrein.OnResponseEnd:
		return honestNote(ev, claims[i].word), nil
	}
	at := claims[i].at
	said := all[at].text
	if len(said) < maxQuote/4 && at+1 < len(all) { // "Published!" alone says little
		said += " " + all[at+1].text
	}
	why, way := "nothing shows that it was "+claims[i].word, "do it and give its URL or ID, or say that it is not done"
	v := builtin.SetRule(checkrein.Verdict{Decision: checkrein.Deny, Reason: "[claims] " + builtin.BlockedReason(why+"; "+way, quote(said))}, "verify_claims/unproven", why)
	v.Metadata["instead"] = way
	return v, nil
}

// read returns what the evidence files have; none of them is nil.
func (c *claimVerifier) read(call *builtin.Call) ([]string, error) {
	var out []string
	for _, path := range c.evidence {
		if rest, ok := strings.CutPrefix(path, "~/"); ok {
			path = filepath.Join(call.Machine.Home, rest)
		}
		if !filepath.IsAbs(path) {
			path = filepath.Join(call.Dir, path)
		}
		text, err := readEvidence(path)
		if err != nil {
			return nil, fmt.Errorf("reading evidence: %w", err)
		}
		out = append(out, text)
	}
	return out, nil
}

// unproven returns the first claim that nothing backs, -1 when there is none.
func (c *claimVerifier) unproven(ev *checkrein.Event, all []sentence, claims []claim, evidence []string) int {
	if len(c.evidence) == 0 && actedThisTurn(ev) {
		return -1
	}
	from := 0 // what stands before it belongs to an earlier claim
	for i, cl := range claims {
		refs, to := findReferences(all[cl.at].text), cl.at+1
		if len(refs) == 0 { // then what stands around it is meant
			to = len(all)
			if i+1 < len(claims) {
				to = claims[i+1].at
			}
			for k := from; k < to && len(refs) < maxReferences; k++ {
				refs = append(refs, findReferences(all[k].text)...)
			}
		}
		from, refs = to, refs[:min(len(refs), maxReferences)]
		if !slices.ContainsFunc(refs, func(ref string) bool {
			return slices.ContainsFunc(evidence, func(e string) bool { return proves(e, ref) })
		}) {
			return i
		}
	}
	return -1
}

// actedThisTurn reports whether the turn used a tool that can do more than look
// and write files. Where nobody says where the truth is, that must do.
func actedThisTurn(ev *checkrein.Event) bool {
	acted := false
	rawjson.Elements(ev.Detail("tool_names"), func(_ int, val []byte) bool {
		name, _ := rawjson.Text(val)
		switch tools.Canonical(name) {
		case "read", "write", "edit", "patch", "list", "search", "glob", "fetch":
		default:
			acted = acted || name != ""
		}
		return true
	})
	return acted
}

// honestNote is for whoever reads the reply.
func honestNote(ev *checkrein.Event, word string) checkrein.Verdict {
	note := "⚠ Unverified: nothing shows that it was " + strings.Replace(word, "live", "published", 1) + "."
	if strings.Contains(ev.Text, note) {
		return checkrein.Verdict{}
	}
	return checkrein.Verdict{Append: "\n" + note}
}
