package conduct

import (
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A sentence is a part of a reply that states one thing.
type sentence struct {
	text string // the original text
	// plain is the text in lower case, without markup. Quotations and code are replaced
	// with a single quote, because they are not the speaker's own words.
	plain string
}

// A lazyRegexp is a regular expression that is compiled when it is first used.
type lazyRegexp struct {
	expr string
	once sync.Once
	re   *regexp.Regexp
}

func (l *lazyRegexp) MatchString(s string) bool {
	l.once.Do(func() { l.re = regexp.MustCompile(l.expr) })
	return l.re.MatchString(s)
}

// finalReply returns the agent's last reply in ev: its text, or else its final message.
func finalReply(ev *checkrein.Event) string {
	if ev.Text != "" {
		return ev.Text
	}
	return rawjson.GetText(ev.Detail("final_message"), "content")
}

// maxProse is how many bytes of a reply are read, from its end.
const maxProse = 256 << 10

// splitSentences returns the sentences of text, a reply, in its author's own words. It omits code
// blocks, tables, quoted lines, and drafts for someone else.
func splitSentences(text string) []sentence {
	var out []sentence
	fence := ""
	text = text[max(0, len(text)-maxProse):]
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if mark := codeFence(line); mark != "" {
			switch {
			case fence == "":
				fence = mark
			case strings.HasPrefix(mark, fence):
				fence = ""
			}
			continue
		}
		if fence != "" || line == "" || line[0] == '>' || line[0] == '|' {
			continue
		}
		out = appendSentences(out, line)
	}
	return dropDrafts(out)
}

// codeFence returns the backquotes or tildes with which line begins or ends a code block, or "" if it
// does not.
func codeFence(line string) string {
	for _, c := range [...]string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, c)); n >= 3 {
			return line[:n]
		}
	}
	return ""
}

// drafts matches sentences that introduce a draft for someone else.
var drafts = lazyRegexp{expr: `^(?:dear\b|subject ?:)|\b(?:draft|drafted|template|example|sample|version|wording|caption|something|say|write)\b.*:$`}

// dropDrafts returns the sentences before the first draft, such as "here is a draft:" or the beginning
// of a letter.
func dropDrafts(all []sentence) []sentence {
	for i := range all {
		if drafts.MatchString(all[i].plain) {
			return all[:i]
		}
	}
	return all
}

// appendSentences appends the sentences of line to out. Punctuation in quotations does not end a
// sentence.
func appendSentences(out []sentence, line string) []sentence {
	masked := maskQuotes(line)
	from := 0
	for i := 0; i < len(masked); {
		r, n := utf8.DecodeRuneInString(masked[i:])
		i += n
		if !strings.ContainsRune(".!?…", r) {
			continue
		}
		for i < len(masked) && strings.IndexByte(".!?*_)", masked[i]) >= 0 {
			i++
		}
		if i == len(masked) || masked[i] == ' ' || masked[i] >= utf8.RuneSelf {
			out = appendSentence(out, line[from:i], masked[from:i])
			from = i
		}
	}
	return appendSentence(out, line[from:], masked[from:])
}

// appendSentence appends a sentence to out. If it consists of punctuation only, it is added to the
// previous sentence.
func appendSentence(out []sentence, text, masked string) []sentence {
	s := sentence{text: strings.TrimSpace(text), plain: plainText(masked)}
	if strings.Trim(s.plain, "-–—#|.!?… ") == "" {
		if n := len(out); n > 0 && s.text != "" && len(out[n-1].text) < maxQuote {
			out[n-1].text += " " + s.text // trailing marks
		}
		return out
	}
	return append(out, s)
}

// plainText returns a masked sentence in the form in which expressions match it; see sentence.plain.
func plainText(masked string) string {
	masked = strings.NewReplacer("’", "'", "...", "…", "*", "", string(maskByte), `"`).Replace(strings.ToLower(masked))
	for strings.Contains(masked, `""`) {
		masked = strings.ReplaceAll(masked, `""`, `"`)
	}
	return strings.TrimLeft(strings.Join(strings.Fields(masked), " "), "-•_✅✔🎉🚀 ")
}

// maskByte stands for each quoted byte of a masked line.
const maskByte = '\x01'

// maskQuotes replaces every byte in quotes or backquotes with maskByte.
func maskQuotes(line string) string {
	b := []byte(line)
	pairs := [...]struct{ open, close string }{{"`", "`"}, {`"`, `"`}, {"“", "”"}}
	for i := 0; i < len(line); i++ {
		for k, p := range pairs {
			if p.open == "" || !strings.HasPrefix(line[i:], p.open) {
				continue
			}
			n := strings.Index(line[i+len(p.open):], p.close)
			if n < 0 {
				pairs[k].open = "" // no later mark of this kind is closed either
				continue
			}
			end := i + len(p.open) + n + len(p.close)
			for ; i < end; i++ {
				b[i] = maskByte
			}
			i-- // continue after the closing mark
			break
		}
	}
	return string(b)
}
