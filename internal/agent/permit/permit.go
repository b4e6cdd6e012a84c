// Package permit implements rules for tool calls: which are allowed, asked about or denied.
//
// A rule is a tool's name, or a name with conditions on arguments, all of which must hold:
// `shell:cmd=git *`, `write_file:path=docs/*`. Case does not matter; `*` stands for any text, `?` for
// one character, `[a-z]` for one of several.
package permit

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/agent/team"
	"github.com/checkrein/checkrein/internal/catalog/tools"
)

// A Ruling is what rules decide about a call.
type Ruling uint8

// The rulings.
const (
	None Ruling = iota
	Allow
	Ask
	Deny
)

// String returns the name of the ruling.
func (r Ruling) String() string { return [...]string{"none", "allow", "ask", "deny"}[r] }

// Rules holds one level of rules: the user's grants in a session, or the rules of an agent file. The
// zero Rules is empty. It is safe for concurrent use.
type Rules struct {
	mu               sync.RWMutex
	allow, ask, deny []rule
}

// A rule is one parsed rule.
type rule struct {
	tool string
	args []condition
}

// A condition is a pattern that one argument must match.
type condition struct{ name, glob string }

// Add adds the rules in p. The error joins those of all invalid rules; the others are added
// nevertheless.
func (r *Rules) Add(p team.Permissions) error {
	var errs []error
	read := func(list []string, into *[]rule) {
		for _, text := range list {
			one, err := parseRule(text)
			if err != nil {
				errs = append(errs, fmt.Errorf("rule %q: %w", text, err))
				continue
			}
			*into = append(*into, one)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	read(p.Allow, &r.allow)
	read(p.Ask, &r.ask)
	read(p.Deny, &r.deny)
	return errors.Join(errs...)
}

// Grant adds the rule pattern to those that allow.
func (r *Rules) Grant(pattern string) error {
	return r.Add(team.Permissions{Allow: []string{pattern}})
}

// parseRule parses tool[:arg=glob]…. A colon that does not begin another condition belongs to the
// value.
func parseRule(text string) (rule, error) {
	name, rest, has := strings.Cut(strings.TrimSpace(text), ":")
	if has && !beginsCondition(rest) {
		if strings.Contains(rest, "=") || name != "mcp" {
			return rule{}, errors.New("the tool name must be followed by argument=pattern")
		}
		name, has = text, false // the name mcp:server/tool has a colon
	}
	if name == "" {
		return rule{}, errors.New("the tool name is missing")
	}
	out := rule{tool: name}
	if !has {
		return out, nil
	}
	parts := strings.Split(rest, ":")
	for i, p := range parts {
		if i > 0 && !beginsCondition(p) {
			last := &out.args[len(out.args)-1]
			last.glob += ":" + p
			continue
		}
		arg, glob, _ := strings.Cut(p, "=")
		out.args = append(out.args, condition{arg, glob})
	}
	return out, nil
}

// beginsCondition reports whether s begins with argument=.
func beginsCondition(s string) bool {
	arg, _, ok := strings.Cut(s, "=")
	return ok && arg != "" && !strings.ContainsFunc(arg, func(r rune) bool {
		return r != '_' && r != '-' && r != '.' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
}

// RulingFor returns the ruling for a call, or None if no rule matches. Deny takes precedence over
// Allow, and Allow over Ask.
func (r *Rules) RulingFor(tool string, input json.RawMessage) Ruling {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if len(r.deny)+len(r.allow)+len(r.ask) == 0 {
		return None
	}
	args := argumentValues(input)
	some := func(one rule) bool { return one.matches(tool, args, false) }
	every := func(one rule) bool { return one.matches(tool, args, true) }
	switch {
	case slices.ContainsFunc(r.deny, some):
		return Deny
	case slices.ContainsFunc(r.allow, every):
		return Allow
	case slices.ContainsFunc(r.ask, some):
		return Ask
	}
	return None
}

// matches reports whether the rule matches a call of tool. An argument may have several values, under
// several names, and it is unknown which one counts. For a denial one match is enough; for an allow,
// every is set and all values must match.
func (one *rule) matches(tool string, args map[string][]string, every bool) bool {
	if !matchesGlob(one.tool, tool) {
		return false
	}
	for _, c := range one.args {
		values := args[strings.ToLower(c.name)]
		fits := func(v string) bool { return matchesGlob(c.glob, v) }
		misses := func(v string) bool { return !fits(v) }
		if !slices.ContainsFunc(values, fits) || every && slices.ContainsFunc(values, misses) {
			return false
		}
	}
	return true
}

// argumentValues returns the values of a call's arguments by the names that a rule may use: the call's
// own names and all synonyms, so that a rule on cmd applies to command. A path has two values: as
// written and cleaned.
func argumentValues(input json.RawMessage) map[string][]string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(input, &fields) != nil {
		return nil
	}
	out := map[string][]string{}
	for name, raw := range fields {
		value := string(raw)
		var text string
		if json.Unmarshal(raw, &text) == nil {
			value = text
		}
		names := []string{strings.ToLower(name)}
		if c := strings.ToLower(tools.CanonicalName(name)); c != names[0] {
			names = append(names, c)
		}
		if slices.Contains(names, "command") {
			names = append(names, "cmd")
		}
		slices.Sort(names)
		for _, n := range slices.Compact(names) {
			out[n] = append(out[n], value)
			if clean := filepath.Clean(value); slices.Contains(names, "path") && clean != value {
				out[n] = append(out[n], clean)
			}
		}
	}
	return out
}

// commandSeparators lists texts that can begin another command within a command.
var commandSeparators = []string{";", "&", "|", "<", ">", "`", "\n", "\r", "$("}

// IsGranted reports whether a grant certainly applies to this call: by the tool's name alone; by its
// path; or, for a command, by the words with which it begins, if nothing in it could begin another
// command. A grant for a command does not apply to a call that has other arguments as well, such as
// another directory.
func (r *Rules) IsGranted(tool string, input json.RawMessage) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	what := subjectOf(tool, input)
	return slices.ContainsFunc(r.allow, func(one rule) bool {
		if one.tool != tool {
			return false
		}
		if len(one.args) == 0 {
			return true
		}
		return len(one.args) == 1 && what.name != "" && tools.CanonicalName(one.args[0].name) == what.name && one.args[0].isMetBy(&what)
	})
}

// A callSubject is the single subject of a call, its command or its path. Its name is "" if the call
// has other or several subjects.
type callSubject struct{ name, key, value string }

// subjectOf returns the single subject of a call, or the zero callSubject if there is none.
func subjectOf(tool string, input json.RawMessage) callSubject {
	call := checkrein.Tool{Name: tool, Canonical: tools.CanonicalTool(tool), Input: input}
	var fields map[string]json.RawMessage
	if json.Unmarshal(input, &fields) != nil {
		return callSubject{}
	}
	if list := call.Commands(); len(list) > 0 {
		delete(fields, "timeout")
		key := call.ArgKey("command")
		if _, named := fields[key]; named && len(list) == 1 && len(fields) == 1 {
			return callSubject{"command", key, list[0]}
		}
		return callSubject{}
	}
	if list := call.Paths(); len(list) == 1 {
		return callSubject{"path", call.ArgKey("path"), list[0]}
	}
	return callSubject{}
}

// isMetBy reports whether c was meant for the subject what: literally or, for a command, by the words
// with which it begins.
func (c *condition) isMetBy(what *callSubject) bool {
	words, open, plain := parseLiteral(c.glob)
	if !plain {
		return false
	}
	if !open {
		return what.value == words
	}
	if what.name != "command" || slices.ContainsFunc(commandSeparators, func(h string) bool { return strings.Contains(what.value, h) }) {
		return false
	}
	words = strings.TrimRight(words, " ")
	return words != "" && (what.value == words || strings.HasPrefix(what.value, words+" "))
}

// parseLiteral returns the text that pattern stands for, or with open set, the beginning of all texts
// that it stands for, because it ends with a star. [*] is a literal star. ok is false for any other
// pattern.
func parseLiteral(pattern string) (text string, open, ok bool) {
	pattern, open = strings.CutSuffix(pattern, "*")
	var b strings.Builder
	p := []rune(pattern)
	for i := 0; i < len(p); i++ {
		switch {
		case p[i] == '[' && i+2 < len(p) && p[i+2] == ']':
			b.WriteRune(p[i+1])
			i += 2
		case strings.ContainsRune("*?[", p[i]):
			return "", false, false
		default:
			b.WriteRune(p[i])
		}
	}
	return b.String(), open, true
}

// NarrowestRule returns the narrowest rule that grants a call, for the answer "always": for a command
// this command, for a file this file. It returns "" if there is no such rule.
func NarrowestRule(tool string, input json.RawMessage) string {
	what := subjectOf(tool, input)
	call := checkrein.Tool{Name: tool, Canonical: tools.CanonicalTool(tool), Input: input}
	if what.name == "" {
		if len(call.Commands()) > 0 || len(call.Paths()) > 0 {
			return ""
		}
		return tool
	}
	quoted := strings.NewReplacer("*", "[*]", "?", "[?]", "[", "[[]", ":", "[:]").Replace(what.value)
	return tool + ":" + what.key + "=" + quoted
}

// matchesGlob reports whether pattern matches all of text, ignoring case. Unlike in paths, a star also
// matches slashes.
func matchesGlob(pattern, text string) bool {
	return matchRunes([]rune(strings.ToLower(pattern)), []rune(strings.ToLower(text)))
}

// matchRunes reports whether the pattern p matches all of s.
func matchRunes(p, s []rune) bool {
	star, mark := -1, 0 // the last star, and the position in the text at that time
	i, j := 0, 0
	for j < len(s) {
		if i < len(p) && p[i] == '*' {
			star, mark = i, j
			i++
			continue
		}
		if n, ok := matchOne(p[i:], s[j]); ok {
			i, j = i+n, j+1
			continue
		}
		if star < 0 {
			return false
		}
		mark++
		i, j = star+1, mark
	}
	for i < len(p) && p[i] == '*' {
		i++
	}
	return i == len(p)
}

// matchOne reports whether r matches the beginning of the pattern p, and returns the length of that
// beginning.
func matchOne(p []rune, r rune) (length int, ok bool) {
	if len(p) == 0 {
		return 0, false
	}
	switch p[0] {
	case '?':
		return 1, true
	case '[':
		if end := slices.Index(p[1:], ']'); end > 0 {
			return end + 2, matchSet(p[1:end+1], r)
		}
	}
	return 1, p[0] == r
}

// matchSet reports whether r is in list, such as a-z0-9. A leading ! or ^ negates it.
func matchSet(list []rune, r rune) bool {
	not := list[0] == '!' || list[0] == '^'
	if not {
		list = list[1:]
	}
	in := false
	for i := 0; i < len(list); i++ {
		if i+2 < len(list) && list[i+1] == '-' {
			in = in || list[i] <= r && r <= list[i+2]
			i += 2
			continue
		}
		in = in || list[i] == r
	}
	return in != not
}
