package conduct

import (
	"slices"
	"strings"
)

// claimWords are what an agent says that it has done for the world to see.
var claimWords = []string{"published", "republished", "posted", "scheduled", "deployed", "uploaded", "sent", "emailed", "e-mailed", "tweeted", "submitted"}

// Words around a claim.
var (
	claimNouns = []string{
		"post", "posts", "article", "articles", "reminder", "reminders", "task", "tasks", "tweet", "tweets", "thread", "email", "emails", "message", "messages",
		"page", "pages", "site", "website", "app", "preview", "job", "blog", "update", "report", "newsletter", "video", "alert", "alarm", "form", "package",
	}
	determiners = []string{"the", "your", "a", "an", "it", "this", "both", "all", "everything", "them"}
	begins      = []string{"done", "successfully", "great", "ok", "okay", "now", "and", "also", "all", "news", "good", "yes", "complete", "completed", "finished", ",", "!", "—", "–", ":", ";", "(", "status"}
	clauseEnds  = []string{".", "!", "…", ",", ";", "—", "–", "(", "and"}
	passives    = []string{"been", "now"}
	others      = []string{"you", "you've", "he", "she", "they", "they've", "we", "who", "which", "that", "users", "people"}
	times       = []string{"today", "tomorrow", "tonight", "noon", "midnight", "every", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "next", "daily", "weekly"}
	months      = []string{"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december", "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec"}
	here        = []string{"below", "above"} // what is posted here needs no evidence
)

// A claim is a sentence that says that something was done.
type claim struct {
	word string
	at   int // of its sentence
}

// claimsIn finds the claims of a reply.
func claimsIn(all []sentence, words []string) []claim {
	var out []claim
	for i := range all {
		if w := all[i].claims(words); w != "" {
			out = append(out, claim{w, i})
		}
	}
	return out
}

// claims returns the word with which the sentence claims that something was done,
// "" when it does not: an offer, a plan, a question, a report of what others did.
func (s *sentence) claims(words []string) string {
	if s.asks() || s.has(here...) || strings.HasPrefix(s.text, "#") && !s.has("!") {
		return ""
	}
	for i, w := range s.words {
		known := slices.Contains(words, w)
		if !known && w != "live" || hasWord(s.words[:i], unsure) {
			continue
		}
		if !known {
			if s.isLive(i) {
				return w
			}
			continue
		}
		if s.isMine(i) || s.isBare(i) || s.isPassive(i) {
			return w
		}
	}
	return ""
}

// isMine is "I've published", "I wrote it and then posted it".
func (s *sentence) isMine(at int) bool {
	i := at - 1
	joined := false
	for ; i >= 0 && slices.Contains(between, s.words[i]); i-- {
		joined = joined || s.words[i] == "and"
	}
	if i >= 0 && s.words[i] == "have" {
		i--
	}
	if i >= 0 && (s.words[i] == "i" || s.words[i] == "i've") {
		return true
	}
	return joined && i > 0 && hasWord(s.words[:i], []string{"i", "i've"}) && !hasWord(s.words[:i], others) && !hasWord(s.words[:i], []string{";", ":"})
}

// isBare is "Published!", "Posted to the feed", "Reminder scheduled for 9am".
func (s *sentence) isBare(at int) bool {
	start := s.start(at)
	rest := s.words[at+1:]
	switch {
	case start == at && len(s.words) == 1:
		return strings.ContainsAny(s.text, "✅✔🎉🚀") // else it may be an entry of a list
	case start == at && s.words[at] == "sent" && len(rest) > 0 && rest[0] == "to":
		return false // code sends things, too
	case start == at:
	case at-start > 3 || !slices.Contains(claimNouns, s.words[at-1]) || slices.Contains([]string{"a", "an", "any", "each", "every", "all"}, s.words[start]):
		return false
	case at-start > 1 && (hasWord(s.words[start:at-1], finite) || hasWord(s.words[start:at-1], others)):
		return false
	case strings.HasSuffix(s.words[at-1], "s") && len(rest) > 0 && !isMark(rest[0]):
		return false // such ones as were posted somewhere
	}
	if hasWord(rest, conditions) || hasWord(rest, []string{"by"}) || hasWord(rest, finite) || !s.follows(at, start == at) {
		return false
	}
	// Of "sent to the client, it expires" the claim is the other half.
	i := slices.IndexFunc(rest, func(w string) bool { return w == "," || w == ":" })
	return i <= 0 || i+2 >= len(rest) || slices.ContainsFunc(rest, isAddress) || slices.Contains(rest, "!") || slices.Contains(rest, quoted)
}

// start is where a statement begins behind what leads up to it.
func (s *sentence) start(before int) int {
	i := 0
	for i < before && slices.Contains(begins, s.words[i]) {
		i++
	}
	return i
}

// isPassive is "Your post has been published", "It is now posted at …".
func (s *sentence) isPassive(at int) bool {
	i := at - 1
	aux := at+1 < len(s.words) && s.words[at+1] == "!"
	for ; i >= 0 && slices.Contains(between, s.words[i]); i-- {
		aux = aux || slices.Contains(passives, s.words[i])
	}
	if !aux || i < 0 || i > 6 || !slices.Contains([]string{"has", "have", "is", "are", "it's"}, s.words[i]) || !s.follows(at, false) {
		return false
	}
	// Who knows what "the message" or "it" is, unless nothing more is said of it.
	then := ""
	if at+1 < len(s.words) {
		then = s.words[at+1]
	}
	final := at+2 >= len(s.words) && (then == "" || isMark(then)) || then == "!" || then == "successfully" || slices.ContainsFunc(s.words[at+1:], isAddress)
	switch s.words[s.start(i)] {
	case "your", "everything":
		return true
	case "it", "it's":
		return final || then == "for"
	}
	return final && i > 0 && slices.Contains(claimNouns, s.words[i-1])
}

// isLive is "It's live at example.com/x", "Your app is live!".
func (s *sentence) isLive(at int) bool {
	if at == 0 || !slices.Contains([]string{"now", "is", "it's", "are"}, s.words[at-1]) {
		return false
	}
	cheers := at+1 < len(s.words) && s.words[at+1] == "!" && slices.Contains([]string{"your", "it", "it's"}, s.words[s.start(at)])
	return cheers || slices.ContainsFunc(referencesIn(s.text), isAddress)
}

// follows reports whether the words behind a claim may stand there, and do not
// make it part of a description: "published in 2019", "scheduled tasks".
func (s *sentence) follows(at int, first bool) bool {
	rest := s.words[at+1:]
	if len(rest) == 0 {
		return true
	}
	then := ""
	if len(rest) > 1 {
		then = rest[1]
	}
	switch w := rest[0]; {
	case slices.Contains(clauseEnds, w), w == "successfully", w == "to", w == quoted, isAddress(w):
		return true
	case w == ":":
		return then == "" || then == quoted || isAddress(then)
	case w == "at":
		return then != "" && (isAddress(then) || !isDigit(then[0])) && then != "the"
	case w == "on":
		return then != "" && !isDigit(then[0]) && !slices.Contains(times, then) && !slices.Contains(months, then)
	case w == "for":
		return then != "" && (isDigit(then[0]) || slices.Contains(times, then) || then == quoted)
	case slices.Contains(determiners, w):
		return first
	}
	return false
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
