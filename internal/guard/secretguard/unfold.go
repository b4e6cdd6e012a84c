package secretguard

import (
	"strconv"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/issuers"
	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/secret/placeholder"
	"github.com/checkrein/checkrein/internal/shell"
)

// maxUnfold is how long a text may be that is read once more in one piece. Commands
// and addresses are short.
const maxUnfold = 16 << 10

// unfolded is a text with its pieces put together: neighbouring quotes, texts that
// code adds up, variables that the same command sets, and what an address has as
// %XX. It is text itself when there is nothing to put together.
func unfolded(text string) string {
	if len(text) > maxUnfold {
		return text
	}
	out := joined(expanded(text))
	if strings.IndexByte(out, '%') >= 0 {
		out = percents(out)
	}
	return out
}

// joined takes out what is between two quoted texts that make one.
func joined(s string) string {
	if !strings.ContainsAny(s, `"'`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		c := s[i]
		if c != '"' && c != '\'' {
			b.WriteByte(c)
			i++
			continue
		}
		k := i + 1
		for k < len(s) && strings.IndexByte(" \t+.", s[k]) >= 0 {
			k++
		}
		between := strings.Trim(s[i+1:min(k, len(s))], " \t")
		if k < len(s) && s[k] == c && (k == i+1 || len(between) == 1) {
			i = k + 1
			continue
		}
		b.WriteByte(c)
		i++
	}
	return b.String()
}

// expanded puts the values that a command sets in place of their variables.
func expanded(s string) string {
	if !strings.Contains(s, "$") || !strings.Contains(s, "=") {
		return s
	}
	var pairs []string
	for _, w := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(" \t\n;&|()", r) }) {
		name, value, ok := strings.Cut(w, "=")
		if value = strings.Trim(value, `"'`); ok && isVariable(name) && value != "" && !strings.Contains(value, "$") {
			pairs = append(pairs, "${"+name+"}", value, "$"+name, value)
		}
	}
	if len(pairs) == 0 {
		return s
	}
	return strings.NewReplacer(pairs...).Replace(s)
}

func isVariable(name string) bool {
	for i := range len(name) {
		c := name[i]
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}

// percents decodes letters, digits and what has no meaning in an address.
func percents(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil && n > ' ' && n < 0x7f && strings.IndexByte(`/@?#\:"'%`, byte(n)) < 0 {
				b.WriteByte(byte(n))
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// folded adds the secrets of a call's arguments that are only found when their
// pieces are put together, those known by their shape.
func (k *secretKeeper) folded(ev *checkrein.Event, list []shell.Typed) []shell.Typed {
	t := ev.Tool
	if changesFile(t) {
		return list
	}
	c := SecretsOf(ev)
	c.Mark = func(text string, f secret.Finding) string {
		if issuers.Of(f.Rule) != nil && !secret.Guesses(f.Rule) {
			list = addTyped(list, shell.Typed{Value: text[f.Start:f.End], Rule: f.Rule, Issuers: k.domains(f.Rule)})
		}
		return placeholder.Bare
	}
	argTexts(t.Input, "", func(_, text string) {
		if whole := unfolded(text); whole != text {
			c.Text(whole)
		}
	})
	return list
}

func addTyped(list []shell.Typed, s shell.Typed) []shell.Typed {
	for i := range list {
		if list[i].Value == s.Value {
			return list
		}
	}
	return append(list, s)
}

// inLogin returns a value without the host behind it, where the value is the password
// of an address: https://oauth2:VALUE@host/path.
func inLogin(rule, value string) string {
	i := strings.IndexByte(value, '@')
	if i < 8 || issuers.Of(rule) == nil && !strings.ContainsAny(value[i:], "./") {
		return value
	}
	return value[:i]
}
