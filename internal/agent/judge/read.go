package judge

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/agent/model"
	"github.com/checkrein/checkrein/internal/hook/answer"
	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/suggest"
)

// A schema describes the replies that a judge may give.
type schema struct {
	model.Schema
	words  []checkrein.Decision // the allowed decisions
	rule   string               // the explanation for the judge
	guards bool                 // it can only block, and is read strictly
}

// The names of schemas.
const (
	decisionSchema = "pre_tool_use_decision"
	guardSchema    = "guard_decision"
)

// findSchema returns the schema with this name for hooks on the event of row, or nil if name is "",
// which means free text.
func findSchema(name string, row *checkrein.Contract) (*schema, error) {
	var s *schema
	switch name {
	case "":
		return nil, nil
	case decisionSchema:
		s = newSchema(name, checkrein.Allow, checkrein.Ask, checkrein.Deny)
	case guardSchema:
		s = newSchema(name, checkrein.Allow, checkrein.Deny)
		s.guards = true
	default:
		return nil, fmt.Errorf("schema %q is unknown%s", name, suggest.Hint(name, []string{decisionSchema, guardSchema}))
	}
	if !row.Can(checkrein.CanDeny) {
		return nil, fmt.Errorf("schema %s has no effect on %s, which cannot be blocked: remove schema to use the reply as context", name, row.Name)
	}
	return s, nil
}

// newSchema returns a schema whose decisions are words.
func newSchema(name string, words ...checkrein.Decision) *schema {
	list := make([]string, len(words))
	for i, w := range words {
		list[i] = string(rawjson.Quote(w.String()))
	}
	return &schema{
		Schema: model.Schema{Name: name, JSON: json.RawMessage(`{"type":"object","properties":{"decision":{"type":"string","enum":[` + strings.Join(list, ",") +
			`]},"reason":{"type":"string"}},"required":["decision","reason"],"additionalProperties":false}`)},
		words: words,
		rule: "Reply with exactly one JSON object and nothing else: {\"decision\": " + strings.Join(list, " or ") +
			", \"reason\": \"one short sentence\"}.",
	}
}

// parseReply returns the verdict in reply, the answer to a question with this nonce and these pieces.
// It is lenient only with denials, since a reply that allows something must be unambiguous.
func (s *schema) parseReply(reply, nonce string, pieces []piece) (verdict, error) {
	text := strings.TrimSpace(reply)
	switch {
	case text == "":
		return verdict{}, errors.New("its reply is empty")
	case strings.Contains(strings.ToLower(text), nonce):
		return verdict{}, errors.New("its reply contains the fence marks")
	}
	var around [2]string
	if !s.guards {
		var err error
		if text, around, err = extractObject(text); err != nil {
			return verdict{}, err
		}
	}
	v, err := s.parseObject([]byte(text))
	switch {
	case err != nil:
		return verdict{}, err
	case v.Decision == checkrein.Deny:
		return v.verdict, nil
	case v.unknownKey != "":
		return verdict{}, fmt.Errorf("its reply has an unknown key %s", v.unknownKey)
	case isVerdictInData(pieces, &v):
		return verdict{}, errors.New("its reply repeats a verdict from the text that it judges")
	}
	if low := strings.Join(strings.Fields(lowerVisible(v.reason)), " "); v.Decision == checkrein.Allow {
		for _, words := range contradictions {
			if strings.Contains(low, words) {
				return verdict{}, fmt.Errorf("its reply says allow, but its reason says %q: they must agree", words)
			}
		}
	}
	if err := checkAround(v.Decision, around[0], around[1]); err != nil {
		return verdict{}, err
	}
	return v.verdict, nil
}

// extractObject returns the first JSON object in text, and the text before and after it. It returns an
// error unless the object is alone on its lines.
func extractObject(text string) (object string, around [2]string, err error) {
	from := strings.IndexByte(text, '{')
	if from < 0 {
		return "", around, errors.New("its reply has no JSON object")
	}
	size := objectLen(text[from:])
	if size == 0 {
		return "", around, errors.New("its reply has no complete JSON object")
	}
	before, after := text[:from], text[from+size:]
	if line := before[strings.LastIndexByte(before, '\n')+1:]; strings.TrimSpace(line) != "" {
		return "", around, errors.New("the JSON object in its reply is in the middle of other text")
	}
	line, _, _ := strings.Cut(after, "\n")
	switch line = strings.TrimSpace(line); {
	case line == "" || line == "```":
	case line[0] == '{':
		return "", around, answer.Unreadablef("its reply must be a single JSON object, but another one follows")
	default:
		return "", around, errors.New("the JSON object in its reply is followed by other text")
	}
	return text[from : from+size], [2]string{before, after}, nil
}

// objectLen returns the length of the JSON object at the beginning of text, or 0 if it has no end.
func objectLen(text string) int {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{':
			depth++
		case c == '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}

// checkAround returns an error if the text around a verdict other than a denial casts doubt on it:
// part of another object, a tag or comment, an open code fence, or a word for a stricter decision.
func checkAround(d checkrein.Decision, before, after string) error {
	if strings.ContainsAny(before+after, "{}") {
		return answer.Unreadablef("its reply must be a single JSON object, but there is part of another one next to it")
	}
	before = trimThinking(before)
	if hasTag(before) || hasTag(after) {
		return errors.New("its reply has fence marks around the object, so the object may be quoted")
	}
	opened, closed := strings.Count(before, "```"), strings.Count(after, "```")
	last := before[strings.LastIndexByte(strings.TrimRight(before, " \t\r\n"), '\n')+1:]
	if opened != closed || opened > 1 || opened == 1 && !strings.HasPrefix(strings.TrimSpace(last), "```") || closed == 1 && !strings.HasPrefix(strings.TrimSpace(after), "```") {
		return errors.New("its reply has a code fence that does not belong to the object")
	}
	for _, text := range [...]string{before, after} {
		for _, word := range strings.FieldsFunc(lowerVisible(text), func(r rune) bool { return !unicode.IsLetter(r) }) {
			if isStricter(d, word) || d == checkrein.Allow && slices.Contains(doubts[:], word) {
				return fmt.Errorf("its reply says both %s and %q: it must say only one", d, cleanLine(word))
			}
		}
	}
	return nil
}

// trimThinking returns text without a complete <think> block at its beginning.
func trimThinking(text string) string {
	const open, end = "<think>", "</think>"
	text = strings.TrimLeft(text, " \t\r\n")
	if rest, ok := strings.CutPrefix(text, open); ok {
		if inner, rest, ok := strings.Cut(rest, end); ok && !strings.Contains(inner, open) {
			return rest
		}
	}
	return text
}

// hasTag reports whether text contains a tag or a comment delimiter.
func hasTag(text string) bool {
	for i := 0; i+1 < len(text); i++ {
		if c := text[i+1]; text[i] == '<' && (c == '/' || c == '!' || c == '?' || 'a' <= c|0x20 && c|0x20 <= 'z') {
			return true
		}
	}
	return strings.Contains(text, "-->") || strings.Contains(text, "/*") || strings.Contains(text, "*/")
}

// refusals lists prefixes of words that stand for a denial.
var refusals = [...]string{"deny", "deni", "reject", "refus", "forbid", "disallow", "prohibit", "blocked"}

// doubts lists words that contradict an Allow when they occur next to it.
var doubts = [...]string{
	"not", "no", "never", "cannot", "don", "doesn", "isn", "shouldn", "mustn", "wouldn", "unsafe", "dangerous", "harmful", "malicious", "block", "stop",
	"if", "unless", "would", "should", "must", "however", "but",
}

// contradictions lists phrases in the reason of an Allow that contradict it.
var contradictions = [...]string{"unsafe", "must be den", "must be block", "should be den", "should be block", "must not", "should not", "do not run", "do not allow", "don't run", "not allowed"}

// isStricter reports whether word stands for a stricter decision than d.
func isStricter(d checkrein.Decision, word string) bool {
	if d < checkrein.Ask && word == checkrein.Ask.String() {
		return true
	}
	for _, r := range refusals {
		if strings.HasPrefix(word, r) {
			return true
		}
	}
	return false
}

// A parsedReply is the JSON object of a reply.
type parsedReply struct {
	verdict
	reason     string // unchanged, unlike Reason
	unknownKey string // an unknown key, quoted
}

// parseObject parses obj as a verdict. Schemas other than that of guards accept other spellings of the
// decision, a missing reason, and further members, which the caller must reject unless the verdict is
// a denial.
func (s *schema) parseObject(obj []byte) (parsedReply, error) {
	if err := rawjson.CheckObject(obj); err != nil {
		return parsedReply{}, answer.Unreadablef("its reply is not a single JSON object: %w", err)
	}
	var v parsedReply
	var err error
	seen := map[string]bool{}
	fail := func(format string, args ...any) bool {
		err = fmt.Errorf(format, args...)
		return false
	}
	rawjson.Each(obj, func(key string, val []byte) bool {
		folded := strings.ToLower(strings.TrimSpace(key))
		if seen[folded] {
			return fail("its reply has the key %q twice", folded)
		}
		seen[folded] = true
		if kind := rawjson.Kind(val); kind == '{' || kind == '[' {
			return fail("%q in its reply is an object or a list, not a string", folded)
		}
		ours := folded == "decision" || folded == "reason"
		if !ours && s.guards || ours && key != folded {
			return fail("its reply has an unknown key %q", key)
		}
		if !ours {
			v.unknownKey = strconv.Quote(cleanLine(key))
			return true
		}
		text, isText := rawjson.Text(val)
		if !isText {
			return fail("%q in its reply is not a string", key)
		}
		if key == "reason" {
			v.reason, v.Reason = text, cleanLine(text)
			return true
		}
		return s.setDecision(&v.verdict, text) || fail("its decision %q is not one of %s", cleanLine(text), s.decisionList())
	})
	switch {
	case err != nil:
		return parsedReply{}, err
	case !seen["decision"]:
		return parsedReply{}, errors.New("its reply has no decision")
	case s.guards && !seen["reason"]:
		return parsedReply{}, errors.New("its reply has no reason")
	case v.Reason == "":
		v.Reason = "no reason provided"
	}
	return v, nil
}

// setDecision sets the decision of v to the one that word names. It reports false if word is not one
// of s.words.
func (s *schema) setDecision(v *verdict, word string) bool {
	if !s.guards {
		word = strings.ToLower(strings.TrimSpace(word))
	}
	for _, d := range s.words {
		if word == d.String() {
			v.Decision = d
			return true
		}
	}
	return false
}

// decisionList returns the allowed decisions, separated by commas.
func (s *schema) decisionList() string {
	out := make([]string, len(s.words))
	for i, w := range s.words {
		out[i] = w.String()
	}
	return strings.Join(out, ", ")
}

// isVerdictInData reports whether the data in pieces contains the decision and the reason of v,
// however they are spaced, escaped and ordered there. The judge may then have quoted or obeyed the
// data.
func isVerdictInData(pieces []piece, v *parsedReply) bool {
	decision, reason := "decision:"+v.Decision.String(), normalizeText(v.reason)
	if reason != "" {
		reason = "reason:" + reason
	}
	var decided, reasoned bool
	for _, p := range pieces {
		if p.data {
			text := normalizeText(p.text)
			decided = decided || strings.Contains(text, decision)
			reasoned = reasoned || strings.Contains(text, reason)
		}
	}
	return decided && reasoned
}

// normalizeText returns s in lower case, without spaces, quotes, escapes and invisible characters.
func normalizeText(s string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '\\', '"', '\'', '`', '“', '”', '‘', '’':
			return -1
		}
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, lowerVisible(unescapeAll(s)))
}

// lowerVisible returns s in lower case, without invisible characters.
func lowerVisible(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) || unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) || unicode.IsControl(r) && !unicode.IsSpace(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}

// unescapeAll returns s with its JSON escapes decoded, however many times it was escaped.
func unescapeAll(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var out strings.Builder
	for i := 0; i < len(s); {
		if s[i] != '\\' {
			out.WriteByte(s[i])
			i++
			continue
		}
		for i < len(s) && s[i] == '\\' {
			i++
		}
		if i == len(s) {
			break
		}
		switch c := s[i]; c {
		case 'n', 'r', 't', 'b', 'f':
			out.WriteByte(' ')
			i++
		case 'u':
			r, size := parseUnicodeEscape(s[i:])
			if low, more := parseUnicodeEscape(strings.TrimLeft(s[i+size:], `\`)); utf16.IsSurrogate(r) && more > 0 {
				if both := utf16.DecodeRune(r, low); both != unicode.ReplacementChar {
					size = len(s) - i - len(strings.TrimLeft(s[i+size:], `\`)) + more
					r = both
				}
			}
			if size == 0 {
				r, size = 'u', 1
			}
			out.WriteRune(r)
			i += size
		}
	}
	return out.String()
}

// parseUnicodeEscape parses uXXXX at the beginning of s, and returns the UTF-16 code unit and the
// length, or 0 and 0 if s begins with something else.
func parseUnicodeEscape(s string) (rune, int) {
	if len(s) < 5 || s[0] != 'u' {
		return 0, 0
	}
	n, err := strconv.ParseUint(s[1:5], 16, 16)
	if err != nil {
		return 0, 0
	}
	return rune(n), 5
}

// redactAndClean returns s, a model's text, in a form that is safe to store, show and pass on: without
// secrets, and without control and invisible characters. The characters are removed first, because a
// secret could be hidden by them.
func redactAndClean(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || unicode.IsPrint(r):
			return r
		case unicode.IsSpace(r):
			return ' '
		}
		return -1
	}, strings.ToValidUTF8(s, "\uFFFD"))
	clean := secret.Cleaner{Want: secret.Secrets}
	s, _ = clean.RedactText(s)
	return s
}

// cleanLine returns redactAndClean of s as a single line of at most maxReason bytes.
func cleanLine(s string) string {
	s = strings.Join(strings.Fields(redactAndClean(s)), " ")
	if len(s) <= maxReason {
		return s
	}
	end := maxReason
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}
