package conduct

import (
	"regexp"
	"strings"
	"sync"
)

// claimWords lists the verbs with which an agent claims to have published or sent something.
var claimWords = []string{"published", "republished", "posted", "scheduled", "deployed", "uploaded", "sent", "emailed", "e-mailed", "tweeted", "submitted"}

// Patterns for the text around a claim; WORD stands for its verb.
const (
	claimNoun = `(?:post|article|reminder|task|tweet|thread|email|message|page|site|website|app|preview|job|blog|update|report|newsletter|video|alert|alarm|form|package)`
	begins    = `(?:(?:done|successfully|great|ok|okay|now|and|also|all|news|good|yes|complete|completed|finished|status)[ ,!—–:;(-]+)*`
	address   = `[a-z0-9-]*(?:://|/|\.[a-z]{2,})[^ ]*`
	soon      = `(?:[0-9]|today|tomorrow|tonight|noon|midnight|every|monday|tuesday|wednesday|thursday|friday|saturday|sunday|next|daily|weekly|")`
	adverbs   = `(?:(?:just|also|now|successfully|then|already|finally|both|quickly|actually|gone ahead and|been) )*`
)

// claimExpressions lists the forms of claims: "I've published", "I wrote it and posted it",
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
	// negated matches words before a claim that turn it into something else, such as a plan or a
	// denial.
	negated = lazyRegexp{expr: `\b(?:not|never|cannot|unable|failed|without|nothing|none|neither|will|would|could|can|should|shall|may|might|must|` +
		`whether|suppose|want|wants|ready|please|let)\b|n't\b|'ll\b|'d\b`}
	// conditional matches words before or after a claim that make it conditional, or a question.
	conditional = lazyRegexp{expr: `\b(?:if|once|when|whenever|after|before|until|unless|assuming|by|below|above)\b|\?`}
)

// defaultClaimForms returns the compiled forms of claims for claimWords.
func defaultClaimForms() []*regexp.Regexp {
	defaultClaims.once.Do(func() { defaultClaims.forms = compileClaimForms(claimWords) })
	return defaultClaims.forms
}

var defaultClaims struct {
	once  sync.Once
	forms []*regexp.Regexp
}

// A claim is a sentence that claims that something was done.
type claim struct {
	word string
	at   int // the index of its sentence
}

// findClaims returns the claims in the sentences of a reply.
func findClaims(all []sentence, forms []*regexp.Regexp) []claim {
	var out []claim
	for i := range all {
		s := &all[i]
		if strings.HasPrefix(s.text, "#") && !strings.Contains(s.plain, "!") {
			continue
		}
		if w := s.claimWord(forms); w != "" {
			out = append(out, claim{w, i})
		}
	}
	return out
}

// compileClaimForms compiles claimExpressions with words in place of WORD.
func compileClaimForms(words []string) []*regexp.Regexp {
	var out []*regexp.Regexp
	for _, form := range claimExpressions {
		out = append(out, regexp.MustCompile(strings.ReplaceAll(form, "WORD", strings.Join(words, "|"))))
	}
	return out
}

// claimWord returns the verb with which the sentence claims that something was done. It returns "" if
// the sentence makes no claim, because it is an offer, a plan, a question or a report about others.
func (s *sentence) claimWord(forms []*regexp.Regexp) string {
	for _, form := range forms {
		m := form.FindStringSubmatchIndex(s.plain)
		if m == nil || negated.MatchString(s.plain[:m[2]]) || conditional.MatchString(s.plain) {
			continue
		}
		if word := s.plain[m[2]:m[3]]; !strings.EqualFold(strings.Trim(s.text, "-. "), word) { // a single word may just be a list item
			return word
		}
	}
	return ""
}
