package conduct

import (
	"slices"
	"strings"
)

// A toolVerb is what a model says that it does when it uses a tool.
type toolVerb struct {
	base, doing string
	past, done  string // "" = people do this with what stands in the conversation, too
	alone       bool   // it needs no more than "it"
}

var toolVerbs = [...]toolVerb{
	{"run", "running", "ran", "run", true},
	{"rerun", "rerunning", "reran", "rerun", true},
	{"execute", "executing", "executed", "executed", true},
	{"search", "searching", "searched", "searched", false},
	{"fetch", "fetching", "fetched", "fetched", false},
	{"query", "querying", "queried", "queried", false},
	{"install", "installing", "installed", "installed", false},
	{"download", "downloading", "downloaded", "downloaded", false},
	{"deploy", "deploying", "deployed", "deployed", false},
	{"restart", "restarting", "restarted", "restarted", false},
	{"push", "pushing", "pushed", "pushed", false},
	{"commit", "committing", "committed", "committed", false},
	{"check", "checking", "", "", true},
	{"read", "reading", "", "", false},
	{"open", "opening", "", "", false},
	{"inspect", "inspecting", "", "", false},
	{"scan", "scanning", "", "", false},
	{"look", "looking", "", "", false},
}

// toolObjects are what tools work on.
var toolObjects = []string{
	"test", "tests", "suite", "specs", "testsuite", "unit", "command", "commands", "script", "scripts", "build", "query", "queries", "linter", "lint", "formatter",
	"migration", "migrations", "pipeline", "workflow", "job", "program", "binary", "benchmark", "benchmarks", "server", "service", "container", "image", "database", "db",
	"api", "endpoint", "url", "page", "site", "website", "web", "internet", "repo", "repository", "codebase", "branch", "changes", "package", "packages",
	"dependency", "dependencies", "file", "files", "folder", "directory", "log", "logs", "tool", "tools", "code", "app", "project", "config", "configuration", "readme",
	"staging", "production", "prod", quoted,
}

// Words around a verb, for what is and what is not the use of a tool.
var (
	fillers   = []string{"ok", "okay", "sure", "alright", "great", "perfect", "now", "first", "next", "then", "so", "and", "well", "certainly", "absolutely", "yes", "understood", "good", "one", "moment", "second", "just", "a", ",", "!", "—", ":", ";"}
	atOnce    = []string{"now", "immediately", "…"}
	elsewhere = []string{"through", "by", "on", "out", "into", "back", "down", "you", "your", "with", "about", "for"} // behind the verb: to run out, to build on
	finite    = []string{"is", "are", "was", "were", "takes", "take", "requires", "means", "can", "could", "will", "would", "should", "may", "might", "needs", "helps", "makes", "gives", "won't", "isn't", "doesn't"}
	general   = []string{"works", "work", "does", "seems", "sounds", "costs", "has", "have", "often", "usually", "always", "normally", "i", "your", "my"} // about running things at any time
	recalls   = []string{"earlier", "previously", "already", "yesterday", "last", "ago", "before", "mentally", "head", "mind", "previous", "example", "below", "above", "pasted", "provided", "shared"}
	pronouns  = []string{"it", "this", "that", "them", "these", "those"}
	waits     = []string{"?", "confirm", "provide", "share", "paste", "send", "know", "tell", "approve", "permission", "approval", "wait", "waiting"}
)

// narrates returns the sentence of a reply that tells of a tool in use, "" when
// there is none. It is asked about replies that used none: then "running it now"
// is not so. With recall, the speaker may speak of what was done some time ago.
func narrates(reply string, recall bool) string {
	if call := writtenCall(reply); call != "" {
		return call
	}
	all := sentences(reply)
	if len(all) == 0 {
		return ""
	}
	last := &all[len(all)-1]
	agreed, nodded := false, false // the sentence before is an agreement and nothing else
	for i := range all {
		s := &all[i]
		// Who waits for an answer has promised for later.
		promises := !last.has(waits...) && !s.has(conditions...) && s.promises(s == last, agreed, nodded)
		rest, ok := afterAgreement(s.words, agreements)
		agreed = ok && len(rest) == 0
		rest, ok = afterAgreement(s.words, nods)
		nodded = ok && len(rest) == 0
		if promises && s.words[len(s.words)-1] == ":" && !strings.HasSuffix(strings.TrimSpace(reply), s.text) {
			promises = false // what follows is for the reader to run
		}
		if promises || !recall && s.reports() {
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

var (
	// agreements are how a speaker takes on what was asked for, at once.
	agreements = [][]string{{"i'm", "on", "it"}, {"on", "it"}, {"will", "do"}, {"right", "away"}, {"got", "it"}}
	// nods are how a speaker agrees to what was asked for, or only to what was said.
	nods = [][]string{{"sure", "thing"}, {"sure"}, {"ok"}, {"okay"}, {"alright"}, {"certainly"}, {"absolutely"}, {"understood"}, {"of", "course"}, {"no", "problem"}}
)

// afterAgreement returns the words behind one of the agreements and the marks that
// follow it, and whether there is one; else the words behind what fills a sentence.
func afterAgreement(words []string, agreements [][]string) ([]string, bool) {
	for len(words) > 0 && slices.Contains(fillers, words[0]) && !startsWith(words, agreements) {
		words = words[1:]
	}
	for _, a := range agreements {
		if len(words) < len(a) || !slices.Equal(words[:len(a)], a) {
			continue
		}
		rest := words[len(a):]
		if len(rest) > 0 && !isMark(rest[0]) {
			continue // on it depends, got it working
		}
		for len(rest) > 0 && (isMark(rest[0]) || slices.Contains(fillers, rest[0])) {
			rest = rest[1:]
		}
		return rest, true
	}
	return words, false
}

// startsWith reports whether words start with one of the lists.
func startsWith(words []string, lists [][]string) bool {
	return slices.ContainsFunc(lists, func(list []string) bool {
		return len(words) >= len(list) && slices.Equal(words[:len(list)], list)
	})
}

// maxNodded is how many words may follow a nod: who says more speaks about the matter.
const maxNodded = 6

// promises reports whether the sentence says that a tool is being used now. What
// people also do with what stands before them counts only as the last word, when
// nothing came of it. Behind an agreement, which may be a sentence of its own, what is
// being done is being done now; behind a nod only if that is all that is said.
func (s *sentence) promises(last, agreed, nodded bool) bool {
	words, agrees := afterAgreement(s.words, agreements)
	hurry := s.has(atOnce...) || agreed || agrees
	rest, nods := afterAgreement(s.words, nods)
	if nods && !agrees {
		words = rest
	}
	nodded = (nods || nodded && last) && len(words) <= maxNodded
	next := func(from ...string) bool { // eats words that must come next
		if len(words) < len(from) || !slices.Equal(words[:len(from)], from) {
			return false
		}
		words = words[len(from):]
		return true
	}
	doing, needsHurry := false, true
	switch {
	case next("let", "me"):
		needsHurry = false
	case next("i'll"), next("i", "will"), next("i'm", "going", "to"), next("i", "am", "going", "to"):
	case next("i'm"), next("i", "am"):
		doing, needsHurry = true, false
	default:
		doing = true
		// Else it may be about running things.
		hurry = hurry && !hasWord(words, finite)
		nodded = nodded && !hasWord(words, finite) && !hasWord(words, general)
	}
	for len(words) > 0 && (slices.Contains(between, words[0]) || words[0] == "go" || words[0] == "first" || words[0] == "currently") {
		words = words[1:]
	}
	if len(words) == 0 || needsHurry && !hurry && !(doing && nodded) {
		return false
	}
	for i := range toolVerbs {
		v := &toolVerbs[i]
		form := v.base
		if doing {
			form = v.doing
		}
		if words[0] == form && (v.past != "" || last) && (v.hasObject(words[1:]) || needsHurry && hurry && len(words) <= 3) {
			return true
		}
	}
	return false
}

// reports reports whether the sentence says that the speaker has used a tool.
func (s *sentence) reports() bool {
	if s.asks() || s.has(recalls...) {
		return false
	}
	for i, w := range s.words {
		perfect := w == "i've" || w == "i" && i+1 < len(s.words) && s.words[i+1] == "have"
		if w != "i" && w != "i've" {
			continue
		}
		if hasWord(s.words[:i], unsure) {
			return false
		}
		rest := s.words[i+1:]
		if w == "i" && perfect {
			rest = rest[1:]
		}
		for len(rest) > 0 && slices.Contains(between, rest[0]) {
			rest = rest[1:]
		}
		if len(rest) == 0 {
			return false
		}
		for k := range toolVerbs {
			v := &toolVerbs[k]
			if (!perfect && rest[0] == v.past || perfect && rest[0] == v.done) && v.past != "" && v.hasObject(rest[1:]) {
				return true
			}
		}
	}
	return false
}

// hasObject reports whether the verb is about something that tools work on.
func (v *toolVerb) hasObject(rest []string) bool {
	if len(rest) > 0 && (rest[0] == "at" || rest[0] == ":") { // to look at
		rest = rest[1:]
	}
	if len(rest) == 0 || slices.Contains(elsewhere, rest[0]) {
		return false
	}
	if slices.Contains(pronouns, rest[0]) && (len(rest) == 1 || isMark(rest[1]) || slices.Contains([]string{"now", "for", "and", "right", "again"}, rest[1])) {
		return v.alone
	}
	for i, w := range rest {
		if i == 5 || isMark(w) {
			return false
		}
		if slices.Contains(toolObjects, w) || isAddress(w[strings.LastIndexByte(w, '/')+1:]) {
			return true
		}
	}
	return false
}

func isMark(word string) bool { return word != "" && strings.Contains(marks, word) }
