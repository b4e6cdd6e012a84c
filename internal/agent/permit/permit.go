// Package permit reads rules for tool calls: which run, which are asked for,
// which are refused.
//
// A rule is a tool's name, or a name with conditions on arguments, all of which
// must hold: `shell:cmd=git *`, `write_file:path=docs/*`. Case does not count,
// `*` stands for any text, `?` for one character, `[a-z]` for one of several.
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

// A Ruling is what rules say of a call.
type Ruling uint8

// The rulings.
const (
	None Ruling = iota
	Allow
	Ask
	Deny
)

// String names the ruling.
func (r Ruling) String() string { return [...]string{"none", "allow", "ask", "deny"}[r] }

// Rules are one level of rules: a person's grants of a session, or an agent
// file's. The zero Rules say nothing. They are safe for concurrent use.
type Rules struct {
	mu               sync.RWMutex
	allow, ask, deny []rule
}

// A rule is one line of a list.
type rule struct {
	tool string
	args []condition
}

// A condition is on one argument.
type condition struct{ name, glob string }

// Add adds the rules of a file.
func (r *Rules) Add(p team.Permissions) error {
	var errs []error
	read := func(list []string, into *[]rule) {
		for _, text := range list {
			one, err := parse(text)
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

// Grant adds a rule that allows.
func (r *Rules) Grant(pattern string) error {
	return r.Add(team.Permissions{Allow: []string{pattern}})
}

// parse reads tool[:arg=glob]…. A colon that begins no further condition is part
// of the value.
func parse(text string) (rule, error) {
	name, rest, has := strings.Cut(strings.TrimSpace(text), ":")
	if has && !begins(rest) {
		if strings.Contains(rest, "=") || name != "mcp" {
			return rule{}, errors.New("the tool name must be followed by argument=pattern")
		}
		name, has = text, false // mcp:server/tool is a name
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
		if i > 0 && !begins(p) {
			last := &out.args[len(out.args)-1]
			last.glob += ":" + p
			continue
		}
		arg, glob, _ := strings.Cut(p, "=")
		out.args = append(out.args, condition{arg, glob})
	}
	return out, nil
}

// begins reports whether a text begins with argument=.
func begins(s string) bool {
	arg, _, ok := strings.Cut(s, "=")
	return ok && arg != "" && !strings.ContainsFunc(arg, func(r rune) bool {
		return r != '_' && r != '-' && r != '.' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
}

// Of returns what the rules are for a call. Deny comes before allow, allow before
// ask.
func (r *Rules) Of(tool string, input json.RawMessage) Ruling {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if len(r.deny)+len(r.allow)+len(r.ask) == 0 {
		return None
	}
	args := arguments(input)
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

// matches reports whether a rule is about a call. Where an argument has several
// values, under several words for it, nobody here knows which one counts: one
// that fits is enough to refuse, and to allow all must fit.
func (one *rule) matches(tool string, args map[string][]string, every bool) bool {
	if !glob(one.tool, tool) {
		return false
	}
	for _, c := range one.args {
		values := args[strings.ToLower(c.name)]
		fits := func(v string) bool { return glob(c.glob, v) }
		misses := func(v string) bool { return !fits(v) }
		if !slices.ContainsFunc(values, fits) || every && slices.ContainsFunc(values, misses) {
			return false
		}
	}
	return true
}

// arguments are the values of a call by the names that a rule may use: the
// call's own, and every other word for the same thing, so that a rule on cmd
// holds for command. A path stands there as it is written and as it is meant.
func arguments(input json.RawMessage) map[string][]string {
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

// hides are the texts with which one command brings another.
var hides = []string{";", "&", "|", "<", ">", "`", "\n", "\r", "$("}

// Covers reports whether a grant was surely meant for this very call: by the
// tool's bare name; by its path; or, for a command, by words that it begins with,
// when it holds nothing that could bring another command. A grant for a command
// is none for the same command elsewhere.
func (r *Rules) Covers(tool string, input json.RawMessage) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	what := subject(tool, input)
	return slices.ContainsFunc(r.allow, func(one rule) bool {
		if one.tool != tool {
			return false
		}
		if len(one.args) == 0 {
			return true
		}
		return len(one.args) == 1 && what.name != "" && tools.CanonicalName(one.args[0].name) == what.name && one.args[0].covers(&what)
	})
}

// An about is what a call is about, in one word: its command or its path. It has
// no name when the call says more, or several things.
type about struct{ name, key, value string }

func subject(tool string, input json.RawMessage) about {
	call := checkrein.Tool{Name: tool, Canonical: tools.Canonical(tool), Input: input}
	var fields map[string]json.RawMessage
	if json.Unmarshal(input, &fields) != nil {
		return about{}
	}
	if list := call.Commands(); len(list) > 0 {
		delete(fields, "timeout")
		key := call.ArgKey("command")
		if _, named := fields[key]; named && len(list) == 1 && len(fields) == 1 {
			return about{"command", key, list[0]}
		}
		return about{}
	}
	if list := call.Paths(); len(list) == 1 {
		return about{"path", call.ArgKey("path"), list[0]}
	}
	return about{}
}

// covers reports whether a condition means this one: literally, or, of a
// command, as words that it begins with.
func (c *condition) covers(what *about) bool {
	words, open, plain := literal(c.glob)
	if !plain {
		return false
	}
	if !open {
		return what.value == words
	}
	if what.name != "command" || slices.ContainsFunc(hides, func(h string) bool { return strings.Contains(what.value, h) }) {
		return false
	}
	words = strings.TrimRight(words, " ")
	return words != "" && (what.value == words || strings.HasPrefix(what.value, words+" "))
}

// literal reads a pattern that stands for one text, or, when it ends with a
// star, for all that begin with it. In such a pattern [*] is a star.
func literal(pattern string) (text string, open, ok bool) {
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

// Pattern is the narrowest rule that covers a call: what "always" means. For a
// command that is this very command, for a file this very file. It is "" for a
// call that no such rule covers.
func Pattern(tool string, input json.RawMessage) string {
	what := subject(tool, input)
	call := checkrein.Tool{Name: tool, Canonical: tools.Canonical(tool), Input: input}
	if what.name == "" {
		if len(call.Commands()) > 0 || len(call.Paths()) > 0 {
			return ""
		}
		return tool
	}
	quoted := strings.NewReplacer("*", "[*]", "?", "[?]", "[", "[[]", ":", "[:]").Replace(what.value)
	return tool + ":" + what.key + "=" + quoted
}

// glob matches a whole text, whatever its case. Unlike a path's, its star
// crosses everything.
func glob(pattern, text string) bool {
	return match([]rune(strings.ToLower(pattern)), []rune(strings.ToLower(text)))
}

func match(p, s []rune) bool {
	star, mark := -1, 0 // the last star, and where the text stood then
	i, j := 0, 0
	for j < len(s) {
		if i < len(p) && p[i] == '*' {
			star, mark = i, j
			i++
			continue
		}
		if n, ok := one(p[i:], s[j]); ok {
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

// one matches a character with the beginning of a pattern and returns how much
// of that it took.
func one(p []rune, r rune) (int, bool) {
	if len(p) == 0 {
		return 0, false
	}
	switch p[0] {
	case '?':
		return 1, true
	case '[':
		if end := slices.Index(p[1:], ']'); end > 0 {
			return end + 2, set(p[1:end+1], r)
		}
	}
	return 1, p[0] == r
}

// set matches one character of a list such as a-z0-9; a leading ! or ^ turns it
// round.
func set(list []rune, r rune) bool {
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
