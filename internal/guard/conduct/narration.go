package conduct

import "strings"

// What people say who use a tool, and what they say it of.
const (
	does    = `(?:run|rerun|execute|search|fetch|query|install|download|deploy|restart|push|commit)`
	doing   = `(?:running|rerunning|executing|searching|fetching|querying|installing|downloading|deploying|restarting|pushing|committing)`
	did     = `(?:ran|reran|executed|searched|fetched|queried|installed|downloaded|deployed|restarted|pushed|committed)`
	done    = `(?:run|rerun|executed|searched|fetched|queried|installed|downloaded|deployed|restarted|pushed|committed)`
	looks   = `(?:check|read|open|inspect|scan|look at)` // which people do with what stands in the conversation, too
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
	// promised are promises to use a tool at once.
	promised = lazyRegexp{expr: `^` + filler + `(?:let me ` + quickly + does + what + `|i(?:'m| am) ` + quickly + doing + what + `|i(?:'ll| will|'m going to| am going to) (?:` +
		quickly + does + what + `.*\b(?:now|immediately)\b|now ` + does + what + `)|` + doing + `(?: (?:it|this|that|them) now\b|` + what + `.*(?:\bnow\b|…))|` + agreed + `(?:` + doing + `|i'll ` + does + `)(?:` + what + `|…))|^now ` + doing + what}
	// promisedLook are promises of what people also do with what stands before them: they
	// count only as the last word.
	promisedLook = lazyRegexp{expr: `^` + filler + `(?:let me ` + quickly + looks + what + `|i(?:'m| am) ` + quickly + looking + what + `|` + looking + what + `.*(?:\bnow\b|…)|checking now|` + agreed + looking + object + `)`}
	// promisedNod is a promise behind a nod, if that is all that is said.
	promisedNod = lazyRegexp{expr: `^` + nodded + `(?:` + doing + `|` + looking + `)(?:` + object + `(?: for you)?|…)[.!… ]*$`}
	// talks are words by which it is talk about using tools, or about a condition.
	talks = lazyRegexp{expr: `\b(?:if|once|when|whenever|unless|until|after|assuming|is|are|was|were|takes?|requires?|means|can|could|would|should|may|might|needs?|helps|makes|gives|won't|isn't|doesn't|pasted)\b|\?`}
	// reportedUse is that the speaker has used a tool; recalled are words by which it was some
	// time ago, or not at all.
	reportedUse = lazyRegexp{expr: `\bi (?:(?:just|also|then|successfully|quickly) )*` + did + object + `|\bi(?:'ve| have) (?:(?:just|also|now|successfully|gone ahead and) )*` + done + object}
	recalled    = lazyRegexp{expr: `\b(?:earlier|previously|already|yesterday|last|ago|before|mentally|head|mind|previous|example|below|above|pasted|provided|shared|if|when|not|never|could)\b|n't\b|\?`}
	// waiting are words of who waits for an answer, and has promised for later.
	waiting = lazyRegexp{expr: `\?|\b(?:confirm|provide|share|paste|send|know|tell|approve|permission|approval|wait|waiting)\b`}
	nods    = lazyRegexp{expr: `^(?:` + filler + `)(?:` + agreed + `|` + nodded + `)$`}
)

// narrates returns the sentence of a reply that tells of a tool in use, "" when
// there is none. It is asked about replies that used none: then "running it now"
// is not so. With recall, the speaker may speak of what was done some time ago.
func narrates(reply string, recall bool) string {
	if call := writtenCall(reply); call != "" {
		return call
	}
	all := sentences(reply)
	before := "" // an agreement that is a sentence of its own
	for i := range all {
		s := &all[i]
		said := before + s.plain
		if before = ""; nods.MatchString(said + " ") {
			before = said + " "
		}
		last := i == len(all)-1
		if (!strings.HasSuffix(said, ":") || strings.HasSuffix(strings.TrimSpace(reply), s.text)) && // else what follows is for the reader to run
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

// writtenCall finds a tool call that was written down instead of made.
func writtenCall(reply string) string {
	fence := false
	for line := range strings.Lines(reply) {
		line = strings.TrimSpace(line)
		if fenceOf(line) != "" {
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
