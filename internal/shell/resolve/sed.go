package resolve

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// edited is the output of sed, when its script is simple.
func edited(args []shell.Word, in string) (string, bool) {
	var scripts []string
	quiet := false
	for i := 0; i < len(args); i++ {
		t := args[i].Text
		switch {
		case t == "-e" || t == "--expression":
			if i++; i >= len(args) {
				return "", false
			}
			scripts = append(scripts, args[i].Text)
		case t == "-n":
			quiet = true
		case t == "-E" || t == "-r" || t == "-u":
		case strings.HasPrefix(t, "-"):
			return "", false
		case len(scripts) == 0:
			scripts = append(scripts, t)
		default:
			return "", false // a file
		}
	}
	ok := len(scripts) > 0
	steps := 0
	for _, s := range scripts {
		for s != "" && ok {
			in, s, ok = sedStep(in, strings.TrimLeft(s, " ;\n"), quiet)
			steps++
			ok = ok && steps <= maxLoop && len(in) <= maxOutput
		}
	}
	return in, ok
}

// sedStep does one command of sed and returns what is left of the script.
func sedStep(in, script string, quiet bool) (out, rest string, ok bool) {
	if script == "" {
		return in, "", true
	}
	// The first or the last line of a text of one line is the text.
	if strings.Count(strings.TrimSuffix(in, "\n"), "\n") == 0 {
		script = strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(script, "1"), "$!d"), "$")
		if script == "" {
			return in, "", true
		}
	}
	switch c := script[0]; {
	case len(script) > 3 && (c == 's' || c == 'y') && !startsName(script[1]):
		return substituted(in, script, quiet)
	case c == 'p' && quiet && len(script) == 1:
		return in, "", true
	case !quiet && (c == 'i' || c == 'a' || c == 'c') && len(script) > 1:
		text := strings.TrimLeft(strings.TrimPrefix(strings.TrimLeft(script[1:], " "), `\`), " \n")
		switch c {
		case 'i':
			return text + "\n" + in, "", true
		case 'a':
			return strings.TrimSuffix(in, "\n") + "\n" + text + "\n", "", true
		}
		return text + "\n", "", true
	}
	return "", "", false
}

// substituted does s/a/b/ and y/a/b/ with texts, or with all of a line.
func substituted(in, script string, quiet bool) (out, rest string, ok bool) {
	parts := strings.SplitN(script[2:], script[1:2], 3)
	if len(parts) != 3 {
		return "", "", false
	}
	flags := parts[2]
	if i := strings.IndexAny(flags, ";\n}"); i >= 0 {
		flags, rest = flags[:i], flags[i+1:]
	}
	flags = strings.TrimSpace(flags)
	pat, with := parts[0], parts[1]
	if quiet && !strings.Contains(flags, "p") || strings.Trim(flags, "gp1") != "" || strings.Contains(with, `\n`) {
		return "", "", false
	}
	if script[0] == 'y' {
		if len(pat) != len(with) || strings.Contains(pat+with, `\`) {
			return "", "", false
		}
		return strings.Map(func(r rune) rune {
			if i := strings.IndexRune(pat, r); i >= 0 && r < 0x80 {
				return rune(with[i])
			}
			return r
		}, in), rest, true
	}
	n := 1
	if strings.Contains(flags, "g") {
		n = -1
	}
	put := func(line string) string { return strings.ReplaceAll(strings.ReplaceAll(with, `\1`, line), "&", line) }
	switch strings.TrimSuffix(strings.TrimPrefix(pat, "^"), "$") {
	case ".*", `\(.*\)`, "(.*)", ".+", "(.+)", `.\+`:
		return eachLine(in, put), rest, true
	case "":
		if pat == "^" {
			return eachLine(in, func(line string) string { return with + line }), rest, true
		}
		if pat == "$" {
			return eachLine(in, func(line string) string { return line + with }), rest, true
		}
		return "", "", false
	}
	if strings.ContainsAny(pat, `\.*[]^$+?(){}|`) || strings.ContainsAny(with, `\&`) {
		return "", "", false
	}
	return eachLine(in, func(line string) string { return strings.Replace(line, pat, with, n) }), rest, true
}
