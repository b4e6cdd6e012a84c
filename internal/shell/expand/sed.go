package expand

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// A SedScript is a sed script whose result can be computed: it substitutes text and deletes lines.
type SedScript struct{ commands []sedCommand }

// A sedCommand substitutes text in lines, or deletes them if with is nil.
type sedCommand struct {
	from, to int            // the lines that it applies to; 0 means all
	match    *regexp.Regexp // the text that it replaces, or that is in the lines that it deletes; nil means any
	with     *string
	all      bool // it replaces each match, not only the first
}

// ParseSed returns the script in args, the arguments of sed. It reports false if the result of the script cannot be
// computed.
func ParseSed(args []shell.Word) (s SedScript, ok bool) {
	var texts []string
	extended, named := false, false
	for i := 0; i < len(args); i++ {
		t := args[i].Text
		if !args[i].IsKnown() || args[i].Glob {
			return s, false
		}
		switch {
		case t == "-e" || t == "--expression":
			if i++; i >= len(args) || !args[i].IsKnown() {
				return s, false
			}
			texts, named = append(texts, args[i].Text), true
		case t == "-E" || t == "-r" || t == "--regexp-extended":
			extended = true
		case strings.HasPrefix(t, "-i") || strings.HasPrefix(t, "--in-place"):
			if strings.ContainsAny(t[2:], "eErnsz") && t[0:2] == "-i" {
				return s, false // -ie or -i.bak with letters of options
			}
		case strings.HasPrefix(t, "-"):
			return s, false
		case !named:
			texts, named = append(texts, t), true
		}
	}
	for _, text := range texts {
		c, known := parseSedCommand(strings.TrimSpace(text), extended)
		if !known {
			return s, false
		}
		s.commands = append(s.commands, c)
	}
	return s, len(texts) > 0
}

// parseSedCommand returns the single command in text. It reports false if its result cannot be computed.
func parseSedCommand(text string, extended bool) (c sedCommand, ok bool) {
	n := len(text) - len(strings.TrimLeft(text, "0123456789"))
	c.from, _ = strconv.Atoi(text[:n])
	c.to, text = c.from, text[n:]
	if rest, ok := strings.CutPrefix(text, ","); ok && n > 0 {
		n = len(rest) - len(strings.TrimLeft(rest, "0123456789"))
		c.to, _ = strconv.Atoi(rest[:n])
		text = rest[n:]
	}
	switch {
	case text == "d" && c.from > 0:
		return c, true
	case len(text) > 3 && text[0] == '/' && strings.HasSuffix(text, "/d") && !strings.Contains(text[1:len(text)-2], "/"):
		c.match = sedPattern(text[1:len(text)-2], extended)
		return c, c.match != nil
	case len(text) < 4 || text[0] != 's' || text[1] == '\\' || text[1] == '\n' || text[1] >= 0x80:
		return c, false
	}
	var parts []string
	at, delim := 2, text[1]
	for i := 2; i < len(text) && len(parts) < 2; i++ {
		switch text[i] {
		case '\\':
			i++
		case delim:
			parts = append(parts, strings.ReplaceAll(text[at:i], `\`+string(delim), string(delim)))
			at = i + 1
		}
	}
	if len(parts) < 2 || strings.Trim(text[at:], "g") != "" || strings.ContainsAny(parts[1], "\\&\n") {
		return c, false
	}
	c.match, c.with, c.all = sedPattern(parts[0], extended), &parts[1], strings.Contains(text[at:], "g")
	return c, c.match != nil
}

// sedPattern returns the regular expression p of sed, or nil if it cannot be translated.
func sedPattern(p string, extended bool) *regexp.Regexp {
	var b strings.Builder
	for i := 0; i < len(p); i++ {
		ch := p[i]
		switch {
		case ch == '\\':
			if i++; i >= len(p) || strings.IndexByte("./*[]^$+?(){}|\"'`-", p[i]) < 0 {
				return nil
			}
			if extended || strings.IndexByte("+?(){}|", p[i]) < 0 {
				b.WriteString(regexp.QuoteMeta(p[i : i+1]))
			} else {
				b.WriteByte(p[i])
			}
		case !extended && strings.IndexByte("+?(){}|", ch) >= 0:
			b.WriteString(`\` + string(ch))
		case ch == '[' && strings.Contains(p[i:], "[:"):
			return nil
		default:
			b.WriteByte(ch)
		}
	}
	re, err := regexp.CompilePOSIX(b.String())
	if err != nil || b.Len() == 0 {
		return nil
	}
	return re
}

// Apply returns text as the script changes it. It reports false if the result is too long.
func (s *SedScript) Apply(text string) (string, bool) {
	for _, c := range s.commands {
		var out strings.Builder
		n := 0
		for line := range strings.Lines(text) {
			if n++; out.Len() > MaxOutput {
				return "", false
			}
			if c.from > 0 && (n < c.from || n > c.to) {
				out.WriteString(line)
				continue
			}
			body := strings.TrimSuffix(line, "\n")
			switch {
			case c.with == nil && (c.match == nil || c.match.MatchString(body)):
			case c.with == nil:
				out.WriteString(line)
			case c.all:
				out.WriteString(c.match.ReplaceAllLiteralString(body, *c.with) + line[len(body):])
			default:
				if at := c.match.FindStringIndex(body); at != nil {
					body = body[:at[0]] + *c.with + body[at[1]:]
				}
				out.WriteString(body + line[len(strings.TrimSuffix(line, "\n")):])
			}
		}
		text = out.String()
	}
	return text, true
}
