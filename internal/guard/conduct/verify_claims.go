// Package conduct holds agents to their word: claims need evidence, tools must be used and not only
// described, checks must pass before a turn ends, and denied calls must not be retried in another
// form.
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

// maxReferences limits how many references are looked up for a claim.
const maxReferences = 50

// A claimVerifier holds the forms of claims and the files with evidence.
type claimVerifier struct {
	forms    func() []*regexp.Regexp // the compiled forms of claims
	evidence []string                // the paths of evidence files
}

// NewVerifyClaims returns the builtin that catches claims such as "Published!" if nothing was
// published. Offers, plans, and claims for which there is evidence pass.
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
	return c.verifyReply, nil
}

// verifyReply denies a reply with a claim for which there is no evidence.
func (c *claimVerifier) verifyReply(_ context.Context, call builtin.Call) (checkrein.Verdict, error) {
	ev := &call.Event
	switch ev.Kind {
	case checkrein.Stop, checkrein.OnCompletionClaim, checkrein.SubagentStop, checkrein.OnResponseEnd:
	default:
		return checkrein.Verdict{}, nil
	}
	reply := finalReply(ev)
	if summary, _ := rawjson.Text(ev.Detail("summary")); ev.Kind == checkrein.OnCompletionClaim {
		reply += "\n" + summary
	}
	all := splitSentences(reply)
	claims := findClaims(all, c.forms())
	if len(claims) == 0 {
		return checkrein.Verdict{}, nil
	}
	evidence, err := c.readAllEvidence(&call)
	if err != nil {
		return checkrein.Verdict{}, err
	}
	i := c.findUnproven(ev, all, claims, evidence)
	switch {
	case i < 0:
		return checkrein.Verdict{}, nil
	case ev.Kind == checkrein.OnResponseEnd:
		return unverifiedNote(ev, claims[i].word), nil
	}
	at := claims[i].at
	said := all[at].text
	if len(said) < maxQuote/4 && at+1 < len(all) { // quote a claim as short as "Published!" with its next sentence
		said += " " + all[at+1].text
	}
	why, way := "nothing shows that it was "+claims[i].word, "do it and give its URL or ID, or say that it is not done"
	v := builtin.SetRule(checkrein.Verdict{Decision: checkrein.Deny, Reason: "[claims] " + builtin.BlockedReason(why+"; "+way, quoteSentence(said))}, "verify_claims/unproven", why)
	v.Metadata["instead"] = way
	return v, nil
}

// readAllEvidence returns the texts of the evidence files, or nil if there are none.
func (c *claimVerifier) readAllEvidence(call *builtin.Call) ([]string, error) {
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

// findUnproven returns the index of the first claim for which there is no evidence, or -1.
func (c *claimVerifier) findUnproven(ev *checkrein.Event, all []sentence, claims []claim, evidence []string) int {
	if len(c.evidence) == 0 && actedThisTurn(ev) {
		return -1
	}
	from := 0 // the first sentence that does not belong to an earlier claim
	for i, cl := range claims {
		refs, to := findReferences(all[cl.at].text), cl.at+1
		if len(refs) == 0 { // use the references of the surrounding sentences
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

// actedThisTurn reports whether the agent used a tool in this turn that can do more than read and
// write files. If there are no evidence files, this counts as evidence.
func actedThisTurn(ev *checkrein.Event) bool {
	acted := false
	rawjson.Elements(ev.Detail("tool_names"), func(_ int, val []byte) bool {
		name, _ := rawjson.Text(val)
		switch tools.CanonicalTool(name) {
		case "read", "write", "edit", "patch", "list", "search", "glob", "fetch":
		default:
			acted = acted || name != ""
		}
		return true
	})
	return acted
}

// unverifiedNote returns a verdict that appends a note to the reply which warns the reader that
// nothing shows that it was done; word is the verb of the claim.
func unverifiedNote(ev *checkrein.Event, word string) checkrein.Verdict {
	note := "⚠ Unverified: nothing shows that it was " + strings.Replace(word, "live", "published", 1) + "."
	if strings.Contains(ev.Text, note) {
		return checkrein.Verdict{}
	}
	return checkrein.Verdict{Append: "\n" + note}
}
