package known

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/secret/value"
)

// Limits of the values that are compared.
const (
	MaxValues  = 256
	maxLength  = 4 << 10 // bytes of a value
	minKeyLine = 24      // bytes of a line of a key
	minEntropy = 2.5     // bits per character
	minWords   = 12      // letters and digits of a value that is mostly words
)

// ruleOfFile is the rule of values that only the name of their file or variable marks as secrets.
const ruleOfFile = "secret-file"

// AppendValues appends the secrets in text, the content of the file name, to list: those that the engine
// finds, and those of variables whose names say that they are secrets. The lines of a key are values of
// their own. Values that may occur in ordinary text are left out.
func AppendValues(list []Value, text, name string) []Value {
	add := func(val, rule string) {
		if len(list) < MaxValues && isComparable(val) && !slices.ContainsFunc(list, func(v Value) bool { return v.Text == val }) {
			list = append(list, Value{val, rule, name})
		}
	}
	for _, f := range secret.Find(nil, text, secret.Secrets) {
		val := text[f.Start:f.End]
		if !strings.Contains(val, "\n") {
			add(val, f.Rule)
			continue
		}
		for line := range strings.Lines(val) {
			if line = strings.TrimSpace(line); len(line) >= minKeyLine && !strings.HasPrefix(line, "-----") {
				add(line, f.Rule)
			}
		}
	}
	for line := range strings.Lines(text) {
		if key, val := parseSetting(line); facts.IsSecretName(key) && !strings.Contains(val, "://") && value.IsChosenPassword(val) {
			add(val, ruleOfFile)
		}
	}
	if only := strings.TrimSpace(text); len(only) <= 256 && !strings.ContainsAny(only, " \t\n=:") && value.LooksLikeKey(only) {
		add(only, ruleOfFile)
	}
	return list
}

// parseSetting returns the name and the value of a line such as `export NAME="value"`; "" if there are
// none.
func parseSetting(line string) (name, val string) {
	line = strings.TrimPrefix(strings.TrimSpace(line), "export ")
	at := strings.IndexAny(line, "=:")
	if at <= 0 || line[0] == '#' {
		return "", ""
	}
	name, val = strings.Trim(line[:at], " \t\"'"), strings.Trim(line[at+1:], " \t,;")
	if val != "" && (val[0] == '"' || val[0] == '\'') {
		val, _, _ = strings.Cut(val[1:], val[:1])
		return name, val
	}
	val, _, _ = strings.Cut(val, " #")
	return name, strings.TrimSpace(val)
}

// isComparable reports whether val is so unlikely to occur by chance that it may be searched for without
// its separators and in any case.
func isComparable(val string) bool {
	if len(val) > maxLength || value.IsStandIn(val) || value.IsPublishedExample(val) || value.IsTemplate(val) {
		return false
	}
	core := string(appendLetters(nil, val))
	switch {
	case len(core) < minLetters || value.Entropy(core) < minEntropy || strings.Trim(core, "0123456789") == "":
		return false
	case value.ReadsLikeWords(val):
		return len(core) >= minWords && (strings.ContainsAny(core, "0123456789") || len(core) >= 2*minWords)
	}
	return true
}
