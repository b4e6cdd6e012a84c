package conduct

import (
	"regexp"
	"strings"
	"sync"
)

// claimWords are what an agent says that it has done for the world to see.
var claimWords = []string{"published", "republished", "posted", "scheduled", "deployed", "uploaded", "sent", "emailed", "e-mailed", "tweeted", "submitted"}

// What stands around a claim, with WORD for the claim itself.
const (
	claimNoun = `(?:post|article|reminder|task|tweet|thread|email|message|page|site|website|app|preview|job|blog|update|report|newsletter|video|alert|alarm|form|package)`
	begins    = `(?:(?:done|successfully|great|ok|okay|now|and|also|all|news|good|yes|complete|completed|finished|status)[ ,!—–:;(-]+)*`
	address   = `[a-z0-9-]*(?:://|/|\.[a-z]{2,})[^ ]*`
	soon      = `(?:[0-9]|today|tomorrow|tonight|noon|midnight|every|monday|tuesday|wednesday|thursday|friday|saturday|sunday|next|daily|weekly|")`
	adverbs   = `(?:(?:just|also|now|successfully|then|already|finally|both|quickly|actually|gone ahead and|been) )*`
)

// claimExpressions are the forms of claims: "I've published", "I wrote it and posted it",
// "Published!", "Reminder scheduled for 9am", "Your post has been published", "It's live at".
var claimExpressions = [...]string{
	`\bi(?:'ve| have)? ` + adverbs + `(WORD)\b`,
	`\bi(?:'ve| have)? [^;:]* and ` + adverbs + `(WORD)\b`,
	`^` + begins + `(?:(?:your|the) )?(?:` + claimNoun + ` )?(WORD)(?:!| successfully| to [^,:]*(?:$|: ?` + address + `)|: ?(?:"|` + address + `)| at (?:` + address + `)| on [a-z]+$| for ` + soon + `| a [^,]*$|[.✅✔🎉🚀 ]*$| \()`,
	`^` + begins + `(?:your|everything|the ` + claimNoun + `)\b[a-z ]* (?:has|have|is|are)(?: been| now)+(?: successfully)? (WORD)(?:!| successfully| for | to ` + address + `|\.?$| at ` + address + `)`,
	`^` + begins + `it(?:'s| is| has)(?: been| now)*(?: successfully)? (WORD)(?:!|\.?$| for | at ` + address + `)`,
	`\b(?:is|are|it's|now) (live)(?:!| at ` + address + `)`,
}

var (
	// denied are words before a claim that make it something else: a plan, a report of
	// what others did.
	denied = lazy{expr: `\b(?:not|never|cannot|unable|failed|without|nothing|none|neither|will|would|could|can|should|shall|may|might|must|` +
		`whether|suppose|want|wants|ready|please|let)\b|n't\b|'ll\b|'d\b`}
	// conditional are words before or behind it that do.
	conditional = lazy{expr: `\b(?:if|once|when|whenever|after|before|until|unless|assuming|by|below|above)\b|\?`}
)

// usualClaims returns the forms of the usual words.
func usualClaims() []*regexp.Regexp {
	usual.once.Do(func() { usual.forms = claimForms(claimWords) })
	return usual.forms
}

var usual struct {
	once  sync.Once
	forms []*regexp.Regexp
}

// A claim is a sentence that says that something was done.
type claim struct {
	word string
	at   int // of its sentence
}

// claimsIn finds the claims of a reply.
func claimsIn(all []sentence, forms []*regexp.Regexp) []claim {
	var out []claim
	for i := range all {
		s := &all[i]
		if strings.HasPrefix(s.text, "#") && !strings.Contains(s.plain, "!") {
			continue
		}
		if w := s.claims(forms); w != "" {
			out = append(out, claim{w, i})
		}
	}
	return out
}

// claimForms compiles the forms of claims for words.
func claimForms(words []string) []*regexp.Regexp {
	var out []*regexp.Regexp
	for _, form := range claimExpressions {
		out = append(out, regexp.MustCompile(strings.ReplaceAll(form, "WORD", strings.Join(words, "|"))))
	}
	return out
}

// claims returns the word with which the sentence claims that something was done,
// "" when it does not: an offer, a plan, a question, a report of what others did.
func (s *sentence) claims(forms []*regexp.Regexp) string {
	for _, form := range forms {
		m := form.FindStringSubmatchIndex(s.plain)
		if m == nil || denied.MatchString(s.plain[:m[2]]) || conditional.MatchString(s.plain) {
			continue
		}
		if word := s.plain[m[2]:m[3]]; !strings.EqualFold(strings.Trim(s.text, "-. "), word) { // which may be an entry of a list
			return word
		}
	}
	return ""
}
