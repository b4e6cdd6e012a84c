package resolve

import (
	"bytes"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// generated is the output of programs that make text out of their words alone.
func (w *walker) generated(c *shell.Call) (text string, sure, ok bool) {
	switch c.Name {
	case "yes":
		line := "y"
		if len(c.Args) > 0 {
			line = joined(c.Args, " ").Text
		}
		return line + "\n", !strings.Contains(line, hole), true // and so on
	case "date", "gdate":
		for _, a := range c.Args {
			if format, is := strings.CutPrefix(a.Text, "+"); is {
				return percents(format, "%") + "\n", !strings.Contains(format, "%") && a.Known(), true
			}
		}
	case "find":
		for i, a := range c.Args {
			if a.Text == "-printf" && i+1 < len(c.Args) {
				out, _ := echoText(nil, c.Args[i+1].Text)
				text := percents(string(out), "%")
				return text, text == string(out), true
			}
		}
		if len(c.Args) == 3 && c.Args[1].Text == "-name" && !c.Args[2].Glob && hasPrograms(c.Args[0].Text) {
			return c.Args[0].Text + "/" + c.Args[2].Text + "\n", !isPattern(c.Args[2].Text), true
		}
	case "git":
		for _, a := range c.Args {
			format, is := strings.CutPrefix(a.Text, "--format=")
			if !is {
				format, is = strings.CutPrefix(a.Text, "--pretty=")
			}
			format = strings.TrimPrefix(strings.TrimPrefix(format, "format:"), "tformat:")
			if is && strings.ContainsAny(format, " %") {
				return percents(format, "%") + "\n", false, true
			}
		}
	case "declare", "typeset", "export":
		return w.printsState(c)
	case "jq", "gojq", "jaq":
		return selected(c)
	case "ls":
		return listed(c)
	case "cat":
		return w.concatenated(c)
	case "paste":
		return w.pasted(c)
	case "whereis":
		for _, a := range c.Args {
			if a.Text != "" && a.Text[0] != '-' {
				return a.Text + ": /usr/bin/" + a.Text + "\n", a.Known(), true
			}
		}
	case "expr":
		if len(c.Args) == 3 && c.Args[1].Text == ":" && (c.Args[2].Text == `\(.*\)` || c.Args[2].Text == ".*") {
			return c.Args[0].Text + "\n", c.Args[0].Known(), true
		}
	}
	return "", false, false
}

// percents puts a hole where a format has a verb.
func percents(format, sign string) string {
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != sign[0] || i+1 >= len(format) {
			b.WriteByte(format[i])
			continue
		}
		i++
		if format[i] == sign[0] {
			b.WriteByte(sign[0])
			continue
		}
		b.WriteString(hole)
	}
	return b.String()
}

// listed is the output of ls with files that it is named: the names.
func listed(c *shell.Call) (text string, sure, ok bool) {
	var b strings.Builder
	for _, a := range c.Args {
		if a.Text == "" || a.Text[0] == '-' && a.Text != "-1" || a.Glob || !strings.HasPrefix(programFile(a.Text), "/") {
			return "", false, false
		}
		if a.Text != "-1" {
			b.WriteString(a.Text + "\n")
		}
	}
	return b.String(), true, b.Len() > 0
}

// programFile is a path when it lies where programs lie, so that it is a file.
func programFile(path string) string {
	if i := strings.LastIndexByte(path, '/'); i > 0 && hasPrograms(path[:i]) {
		return path
	}
	return ""
}

// concatenated is the output of cat with files that the text itself made.
func (w *walker) concatenated(c *shell.Call) (text string, sure, ok bool) {
	if len(c.Args) == 0 {
		return "", false, false
	}
	var b strings.Builder
	for _, a := range c.Args {
		if a.Text == "" || a.Text[0] == '-' && a.Text != "-" {
			return "", false, false
		}
		flow := c.In
		if a.Text != "-" && a.Text != "/dev/stdin" {
			flow = w.opened(a.Text)
		}
		if flow == nil || !flow.Sure || !w.pay(len(flow.Text)) {
			return "", false, false
		}
		b.WriteString(flow.Text)
	}
	return b.String(), true, true
}

// pasted is the output of paste: the lines of files side by side, or with -s the
// lines of one file in a row.
func (w *walker) pasted(c *shell.Call) (text string, sure, ok bool) {
	delim, serial := "\t", false
	var texts []string
	for i := 0; i < len(c.Args); i++ {
		t := c.Args[i].Text
		if len(t) > 1 && t[0] == '-' {
			serial = serial || strings.HasPrefix(t, "-s")
			if j := strings.IndexByte(t, 'd'); j > 0 {
				if delim = t[j+1:]; delim == "" && i+1 < len(c.Args) {
					i++
					delim = c.Args[i].Text
				}
			}
			continue
		}
		flow := c.In
		if t != "-" && t != "/dev/stdin" {
			flow = w.opened(t)
		}
		if flow == nil || !flow.Sure || !w.pay(len(flow.Text)) {
			return "", false, false
		}
		texts = append(texts, flow.Text)
	}
	if len(texts) == 0 && c.In != nil && c.In.Sure {
		texts = append(texts, c.In.Text)
	}
	if len(texts) == 0 || len(texts) > 16 || len(delim) > 4 {
		return "", false, false
	}
	if serial {
		for i := range texts {
			texts[i] = strings.ReplaceAll(strings.TrimSuffix(texts[i], "\n"), "\n", delim)
		}
		return strings.Join(texts, "\n") + "\n", true, true
	}
	var b strings.Builder
	for n := 0; ; n++ {
		if n > maxWords {
			return "", false, true
		}
		left := false
		for i := range texts {
			if i > 0 {
				b.WriteString(delim)
			}
			var line string
			line, texts[i], _ = strings.Cut(texts[i], "\n")
			b.WriteString(line)
			left = left || texts[i] != ""
		}
		b.WriteByte('\n')
		if !left {
			break
		}
	}
	return b.String(), true, true
}

// selected is the output of jq with a string, or with a path into a known text.
func selected(c *shell.Call) (text string, sure, ok bool) {
	filter, none := "", false
	for _, a := range c.Args {
		switch {
		case a.Text != "" && a.Text[0] == '-':
			none = none || strings.Contains(a.Text, "n") && a.Text[1] != '-' || a.Text == "--null-input"
		case filter == "":
			filter = strings.TrimSpace(a.Text)
		default:
			return "", false, false
		}
	}
	if len(filter) > 1 && filter[0] == '"' && filter[len(filter)-1] == '"' && !strings.Contains(filter, `\(`) {
		return string(ansiC(nil, filter[1:len(filter)-1])) + "\n", true, none
	}
	if c.In == nil || !c.In.Sure || none {
		return "", false, false
	}
	in := strings.TrimSpace(c.In.Text)
	key := strings.Trim(filter, `.[]"0123456789? `)
	if key != "" {
		if strings.ContainsAny(key, ".|[( ") {
			return "", false, false
		}
		_, rest, found := strings.Cut(in, `"`+key+`"`)
		if !found {
			return "", false, false
		}
		in = strings.TrimLeft(rest, " \t\n:")
	}
	in = strings.TrimLeft(in, "[ \t\n")
	if in == "" || in[0] != '"' {
		return "", false, false
	}
	for i := 1; i < len(in); i++ {
		if in[i] == '\\' {
			i++
		} else if in[i] == '"' {
			return string(ansiC(nil, in[1:i])) + "\n", true, true
		}
	}
	return "", false, false
}

// passed is the output of programs that leave text much as it is. What they leave
// out is not followed, so that mostly the text is not sure: it may be less.
func (w *walker) passed(c *shell.Call, in string) (string, bool) {
	one := strings.Count(strings.TrimSuffix(in, "\n"), "\n") == 0
	switch c.Name {
	case "pv", "lolcat", "buffer", "mbuffer", "sponge", "strings", "iconv", "cpp", "expand", "unexpand", "fmt", "recode", "dos2unix", "unbuffer", "ts":
		return in, one && len(c.Args) == 0 || c.Name == "pv" || c.Name == "iconv" && onlyUnicode(c.Args)
	case "m4":
		return in, one && len(c.Args) == 0 && !strings.ContainsAny(in, "(`'") && !strings.Contains(in, "dnl")
	case "dd":
		for _, a := range c.Args {
			if strings.HasPrefix(a.Text, "if=") || strings.HasPrefix(a.Text, "of=") || strings.HasPrefix(a.Text, "conv=") || strings.HasPrefix(a.Text, "skip=") {
				return in, false
			}
		}
		return in, true
	case "sort", "uniq", "shuf":
		return in, one && len(c.Args) == 0
	case "grep", "egrep", "fgrep", "rg", "fold", "nl", "column", "head", "tail", "sed", "gsed", "awk", "gawk", "mawk", "nawk", "cut", "xargs":
		return in, false
	case "perl", "ruby":
		// -pe and -ne go through the lines.
		for _, a := range c.Args {
			if strings.HasPrefix(a.Text, "-p") || strings.HasPrefix(a.Text, "-n") {
				if len(c.Args) == 2 && c.Args[0].Text == "-pe" {
					if out, ok := edited(c.Args[1:], in); ok {
						return out, true
					}
				}
				return in, false
			}
		}
	case "envsubst":
		return w.again(in).Text, true
	case "gzip", "bzip2", "xz", "zstd", "lz4", "gunzip", "zcat", "bunzip2", "bzcat", "unxz", "xzcat", "unzstd", "zstdcat", "lzma", "compress", "uncompress", "pigz", "unpigz":
		return packed(c, in)
	}
	return "", false
}

// onlyUnicode reports whether the words of iconv name no character set that makes
// letters others.
func onlyUnicode(args []shell.Word) bool {
	for _, a := range args {
		t := strings.ToLower(strings.TrimLeft(a.Text, "-ftc"))
		if _, val, ok := strings.Cut(t, "="); ok {
			t = val
		}
		t, _, _ = strings.Cut(t, "//")
		switch strings.ReplaceAll(t, "-", "") {
		case "", "utf8", "ascii", "usascii", "latin1", "iso88591":
		default:
			return false
		}
	}
	return true
}

// packMark stands before a text that was packed, which nobody else can read.
const packMark = "\x1f\x8b"

// packed is what packing programs make of a text: it is marked, and the mark is
// taken off again.
func packed(c *shell.Call, in string) (string, bool) {
	back := strings.HasPrefix(c.Name, "un") || strings.HasSuffix(c.Name, "cat") || c.Name == "gunzip" || c.Name == "bunzip2"
	for _, a := range c.Args {
		if a.Text == "" || a.Text[0] != '-' {
			return "", false
		}
		back = back || strings.Contains(a.Text, "d")
	}
	if !back {
		return packMark + in, true
	}
	rest, ok := strings.CutPrefix(in, packMark)
	return rest, ok
}

// fieldLists is the output of cut with several fields.
func fieldLists(args []shell.Word, in string) (string, bool) {
	delim, list, chars, join, given := "\t", "", false, "", false
	for i := 0; i < len(args); i++ {
		t := args[i].Text
		if val, ok := strings.CutPrefix(t, "--output-delimiter="); ok {
			join, given = val, true
			continue
		}
		if len(t) < 2 || t[0] != '-' || strings.IndexByte("dfcb", t[1]) < 0 {
			return "", false
		}
		val := t[2:]
		if val == "" {
			if i++; i >= len(args) {
				return "", false
			}
			val = args[i].Text
		}
		if t[1] == 'd' {
			delim = val
		} else {
			list, chars = val, t[1] != 'f'
		}
	}
	if list == "" || delim == "" || len(list) > 64 {
		return "", false
	}
	if !given && !chars {
		join = delim
	}
	return eachLine(in, func(line string) string {
		parts := strings.Split(line, delim)
		if chars {
			parts = strings.Split(line, "")
		} else if len(parts) == 1 {
			return line
		}
		var out []string
		for one := range strings.SplitSeq(list, ",") {
			from, to, isRange := strings.Cut(one, "-")
			lo, hi := 1, len(parts)
			if from != "" {
				lo = number(from)
			}
			if !isRange {
				hi = lo
			} else if to != "" {
				hi = number(to)
			}
			lo, hi = max(min(lo-1, len(parts)), 0), min(hi, len(parts))
			out = append(out, parts[lo:max(lo, hi)]...)
		}
		return strings.Join(out, join)
	}), true
}

// backwards is a text from its end to its beginning.
func backwards(s string) string {
	b := bytes.Clone([]byte(s))
	slices.Reverse(b)
	return string(b)
}
