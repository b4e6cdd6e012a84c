package conduct

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A sentence is a piece of a reply that states one thing.
type sentence struct {
	text string // as it was written
	// words are in lower case, without markup. Punctuation is a word of its own,
	// and so is a piece of code or a quotation, whatever is in it: see [quoted].
	words []string
}

// quoted stands for what is quoted or code: it is not the speaker's own word.
const quoted = `"`

func (s *sentence) has(words ...string) bool { return hasWord(s.words, words) }

func (s *sentence) asks() bool { return s.has("?") }

func hasWord(in, words []string) bool {
	return slices.ContainsFunc(in, func(w string) bool { return slices.Contains(words, w) })
}

// replyOf is what the agent said last, wherever the event has it.
func replyOf(ev *checkrein.Event) string {
	if ev.Text != "" {
		return ev.Text
	}
	return rawjson.GetText(ev.Detail("final_message"), "content")
}

// How much is read: a reply's end, and of what claims to be one sentence so much.
const (
	maxProse = 256 << 10
	maxWords = 200
)

// sentences reads what a reply says in its author's own words: blocks of code,
// tables and lines that quote somebody are left out, and what is drafted for
// somebody else too.
func sentences(text string) []sentence {
	var out []sentence
	fence := ""
	text = text[max(0, len(text)-maxProse):]
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if mark := fenceOf(line); mark != "" {
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
	return undrafted(out)
}

// fenceOf returns the marks that begin or end a block of code, "" for none.
func fenceOf(line string) string {
	for _, c := range [...]string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, c)); n >= 3 {
			return line[:n]
		}
	}
	return ""
}

// undrafted cuts off what is a draft: what follows "here is a draft:", and all of
// a letter.
func undrafted(all []sentence) []sentence {
	for i := range all {
		s := &all[i]
		if n := len(s.words); n == 0 {
			continue
		} else if s.words[0] == "dear" || s.words[0] == "subject" && n > 1 && s.words[1] == ":" ||
			s.words[n-1] == ":" && s.has("draft", "drafted", "template", "example", "sample", "version", "wording", "caption", "something", "say", "write") {
			return all[:i]
		}
	}
	return all
}

// appendSentences splits a line. What is quoted in it does not end a sentence.
func appendSentences(out []sentence, line string) []sentence {
	masked := mask(line)
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

func appendSentence(out []sentence, text, masked string) []sentence {
	s := sentence{text: strings.TrimSpace(text), words: wordsOf(masked)}
	if len(s.words) == 0 {
		if n := len(out); n > 0 && s.text != "" && len(out[n-1].text) < maxQuote {
			out[n-1].text += " " + s.text // a mark behind it
		}
		return out
	}
	return append(out, s)
}

// hidden is in a masked line what nobody is to read.
const hidden = '\x01'

// mask hides what stands in quotes or backquotes, byte for byte.
func mask(line string) string {
	b := []byte(line)
	pairs := [...]struct{ open, close string }{{"`", "`"}, {`"`, `"`}, {"“", "”"}}
	for i := 0; i < len(line); i++ {
		for k, p := range pairs {
			if p.open == "" || !strings.HasPrefix(line[i:], p.open) {
				continue
			}
			n := strings.Index(line[i+len(p.open):], p.close)
			if n < 0 {
				pairs[k].open = "" // nor will there be one further on
				continue
			}
			end := i + len(p.open) + n + len(p.close)
			for ; i < end; i++ {
				b[i] = hidden
			}
			i-- // and on behind it
			break
		}
	}
	return string(b)
}

// wordsOf splits a masked sentence.
func wordsOf(masked string) []string {
	var out []string
	for field := range strings.FieldsSeq(masked) {
		if len(out) >= maxWords {
			break
		}
		out = appendWords(out, strings.ReplaceAll(field, "’", "'"))
	}
	return out
}

// marks are what ends or parts a statement.
const marks = ",:;!?.…—–("

// appendWords splits a field into a word and the punctuation around it. Inside of
// it punctuation stays, as in an address.
func appendWords(out []string, field string) []string {
	if strings.IndexByte(field, hidden) >= 0 {
		out = append(out, quoted)
		field = field[strings.LastIndexByte(field, hidden)+1:]
	}
	start := strings.IndexFunc(field, isWordRune)
	if start < 0 {
		return appendMarks(out, field)
	}
	end := strings.LastIndexFunc(field, isWordRune)
	_, n := utf8.DecodeRuneInString(field[end:])
	out = appendMarks(out, field[:start])
	for i, part := range strings.Split(field[start:end+n], "—") {
		if i > 0 {
			out = append(out, "—")
		}
		out = append(out, strings.ToLower(part))
	}
	return appendMarks(out, field[end+n:])
}

func appendMarks(out []string, s string) []string {
	if strings.Contains(s, "...") {
		return append(out, "…")
	}
	for _, r := range s {
		if strings.ContainsRune(marks, r) {
			out = append(out, string(r))
		} else if r == '-' && len(s) == 1 && len(out) > 0 {
			out = append(out, "—")
		}
	}
	return out
}

func isWordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '/'
}

// Words that make a statement something else than a report.
var (
	// unsure words stand before what is not, or not yet, the case.
	unsure = []string{
		"not", "never", "cannot", "can't", "couldn't", "didn't", "don't", "doesn't", "haven't", "hasn't", "hadn't", "isn't", "aren't", "wasn't", "weren't", "won't", "wouldn't", "shouldn't",
		"unable", "failed", "without", "nothing", "none", "nobody", "neither",
		"will", "i'll", "it'll", "you'll", "we'll", "they'll", "would", "i'd", "you'd", "could", "can", "should", "shall", "may", "might", "must",
		"if", "once", "when", "whenever", "after", "before", "until", "unless", "whether", "assuming", "suppose", "imagine", "pretend", "hypothetically",
		"want", "wants", "ready", "please", "let", "let's",
	}
	// conditions may also stand behind it.
	conditions = []string{"if", "once", "when", "whenever", "unless", "until", "after", "assuming"}
	// between are words that a verb and its subject may have between them.
	between = []string{"just", "also", "now", "successfully", "then", "already", "finally", "both", "quickly", "actually", "gone", "ahead", "and", "been"}
)
