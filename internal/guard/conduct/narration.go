package conduct

import "strings"

// Patterns for sentences about using a tool: verbs, and their objects.
const (
	does    = `(?:run|rerun|execute|search|fetch|query|install|download|deploy|restart|push|commit)`
	doing   = `(?:running|rerunning|executing|searching|fetching|querying|installing|downloading|deploying|restarting|pushing|committing)`
	did     = `(?:ran|reran|executed|searched|fetched|queried|installed|downloaded|deployed|restarted|pushed|committed)`
	done    = `(?:run|rerun|executed|searched|fetched|queried|installed|downloaded|deployed|restarted|pushed|committed)`
	looks   = `(?:check|read|open|inspect|scan|look at)` // these verbs may also refer to text in the conversation
	looking = `(?:checking|reading|opening|inspecting|scanning|looking at)`
	things  = `(?:"|(?:tests?|suite|specs|commands?|scripts?|build|query|queries|linter|formatter|migrations?|pipeline|workflow|job|program|binary|` +
		`benchmarks?|server|service|container|image|database|db|api|endpoint|url|page|site|website|web|internet|repo|repository|codebase|branch|changes|` +
		`packages?|dependency|dependencies|files?|folder|directory|logs?|tools?|code|app|project|config|configuration|readme|staging|production|prod|[a-z0-9_/-]+\.[a-z]{2,4})\b)`
	object  = `:? (?:(?:the|a|an|your|all|full|test|unit|new|to|v?[0-9.]+) )*` + things
	that    = ` (?:it|this|that|them)(?:[.!,…]|$| (?:now|for|and|right|again)\b)`
	what    = `(?:` + object + `|` + that + `)`
	filler  = `(?:(?:ok|okay|sure|alright|great|perfect|now|first|next|then|so|and|well|certainly|absolutely|yes|understood|good|one moment|just a (?:second|moment))[ ,!—:;]+)*`
	quickly = `(?:(?:now|just|also|then|first|quickly|currently|go ahead and) )*`
	agreed  = `(?:(?:i'm )?on it|will do|right away|got it)[,.!—–:; -]+`
	nodded  = `(?:sure(?: thing)?|ok|okay|alright|certainly|absolutely|understood|of course|no problem)[,.!—–:; -]+`
)

var (
	// promised matches promises to use a tool at once.
	promised = lazyRegexp{expr: `^` + filler + `(?:let me ` + quickly + does + what + `|i(?:'m| am) ` + quickly + doing + what + `|i(?:'ll| will|'m going to| am going to) (?:` +
		quickly + does + what + `.*\b(?:now|immediately)\b|now ` + does + what + `)|` + doing + `(?: (?:it|this|that|them) now\b|` + what + `.*(?:\bnow\b|…))|` + agreed + `(?:` + doing + `|i'll ` + does + `)(?:` + what + `|…))|^now ` + doing + what}
	// promisedLook matches promises that may refer to text in the conversation, so that they count
	// only in the last sentence.
	promisedLook = lazyRegexp{expr: `^` + filler + `(?:let me ` + quickly + looks + what + `|i(?:'m| am) ` + quickly + looking + what + `|` + looking + what + `.*(?:\bnow\b|…)|checking now|` + agreed + looking + object + `)`}
	// promisedNod matches a promise after an agreement, if the sentence says nothing else.
	promisedNod = lazyRegexp{expr: `^` + nodded + `(?:` + doing + `|` + looking + `)(?:` + object + `(?: for you)?|…)[.!… ]*$`}
	// talks matches words of sentences that only discuss tools, or state a condition.
	talks = lazyRegexp{expr: `\b(?:if|once|when|whenever|unless|until|after|assuming|is|are|was|were|takes?|requires?|means|can|could|would|should|may|might|needs?|helps|makes|gives|won't|isn't|doesn't|pasted)\b|\?`}
	// reportedUse matches reports that the speaker has used a tool; recalled matches words that
	// place this in the past, or deny it.
	reportedUse = lazyRegexp{expr: `\bi (?:(?:just|also|then|successfully|quickly) )*` + did + object + `|\bi(?:'ve| have) (?:(?:just|also|now|successfully|gone ahead and) )*` + done + object}
	recalled    = lazyRegexp{expr: `\b(?:earlier|previously|already|yesterday|last|ago|before|mentally|head|mind|previous|example|below|above|pasted|provided|shared|if|when|not|never|could)\b|n't\b|\?`}
	// waiting matches words of a speaker who waits for an answer before acting.
	waiting = lazyRegexp{expr: `\?|\b(?:confirm|provide|share|paste|send|know|tell|approve|permission|approval|wait|waiting)\b`}
	nods    = lazyRegexp{expr: `^(?:` + filler + `)(?:` + agreed + `|` + nodded + `)$`}
)

// findNarration returns a sentence of reply that describes the use of a tool, or "" if there is none.
// It is for replies of runs that used no tool, in which "running it now" is false. If recall is set,
// the speaker may refer to earlier tool use.
func findNarration(reply string, recall bool) string {
	if call := findWrittenCall(reply); call != "" {
		return call
	}
	all := splitSentences(reply)
	before := "" // a preceding sentence that only agrees
	for i := range all {
		s := &all[i]
		said := before + s.plain
		if before = ""; nods.MatchString(said + " ") {
			before = said + " "
		}
		last := i == len(all)-1
		if (!strings.HasSuffix(said, ":") || strings.HasSuffix(strings.TrimSpace(reply), s.text)) && // after a colon with more text, the reader is supposed to run what follows
			(promised.MatchString(said) || promised.MatchString(s.plain) || last && (promisedLook.MatchString(said) || promisedNod.MatchString(said))) &&
			!talks.MatchString(said) && !waiting.MatchString(all[len(all)-1].plain) {
			return s.text
		}
		if !recall && reportedUse.MatchString(s.plain) && !recalled.MatchString(s.plain) {
			return s.text
		}
	}
	return ""
}

// findWrittenCall returns the tag of a tool call that the reply spells out as text instead of making
// it, or "" if there is none.
func findWrittenCall(reply string) string {
	fence := false
	for line := range strings.Lines(reply) {
		line = strings.TrimSpace(line)
		if codeFence(line) != "" {
			fence = !fence
		}
		for _, tag := range [...]string{"<tool_call>", "<function_calls>", "<function_call>", "<invoke name=", "[TOOL_CALL]"} {
			if !fence && strings.HasPrefix(line, tag) {
				return tag
			}
		}
	}
	return ""
}
