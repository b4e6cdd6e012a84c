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
	"slices"
	"strings"
	"sync"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/agent/team"
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
			return rule{}, errors.New("after the tool's name comes argument=pattern")
		}
		name, has = text, false // mcp:server/tool is a name
	}
	if name == "" {
		return rule{}, errors.New("it names no tool")
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

// Of says what the rules are for a call. Deny comes before allow, allow before
// ask.
func (r *Rules) Of(tool string, input json.RawMessage) Ruling {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if len(r.deny)+len(r.allow)+len(r.ask) == 0 {
		return None
	}
	args := arguments(tool, input)
	matches := func(one rule) bool { return one.matches(tool, args) }
	switch {
	case slices.ContainsFunc(r.deny, matches):
		return Deny
	case slices.ContainsFunc(r.allow, matches):
		return Allow
	case slices.ContainsFunc(r.ask, matches):
		return Ask
	}
	return None
}

func (one *rule) matches(tool string, args map[string][]string) bool {
	if !glob(one.tool, tool) {
		return false
	}
	for _, c := range one.args {
		if !slices.ContainsFunc(args[strings.ToLower(c.name)], func(v string) bool { return glob(c.glob, v) }) {
			return false
		}
	}
	return true
}

// arguments are the values of a call by the names that a rule may use: the
// call's own, and every other word for the same thing, so that a rule on cmd
// holds for command.
func arguments(tool string, input json.RawMessage) map[string][]string {
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
		if c := strings.ToLower(checkrein.CanonicalArg(name)); c != names[0] {
			names = append(names, c)
		}
		if slices.Contains(names, "command") {
			names = append(names, "cmd")
		}
		slices.Sort(names)
		for _, n := range slices.Compact(names) {
			out[n] = append(out[n], value)
		}
	}
	return out
}

// hides are the texts with which one command brings another.
var hides = []string{";", "&", "|", "<", ">", "`", "\n", "\r", "$("}

// Covers reports whether a grant was surely meant for this very call: by the
// tool's bare name, or, for a command, by words that it begins with, when it
// holds nothing that could bring another command.
func (r *Rules) Covers(tool string, input json.RawMessage) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	call := checkrein.Tool{Name: tool, Canonical: checkrein.CanonicalTool(tool), Input: input}
	commands := call.Commands()
	for i := range r.allow {
		one := &r.allow[i]
		if !strings.EqualFold(one.tool, tool) {
			continue
		}
		if len(one.args) == 0 {
			return true
		}
		if len(commands) == 0 {
			if one.matches(tool, arguments(tool, input)) {
				return true
			}
			continue
		}
		if len(one.args) == 1 && !slices.ContainsFunc(commands, func(c string) bool { return !one.args[0].covers(c) }) {
			return true
		}
	}
	return false
}

// covers reports whether a condition on the command means this one: literally,
// or as words that it begins with.
func (c *condition) covers(command string) bool {
	words, open, plain := literal(c.glob)
	if checkrein.CanonicalArg(c.name) != "command" || !plain {
		return false
	}
	if !open && command == words {
		return true
	}
	if !open || slices.ContainsFunc(hides, func(h string) bool { return strings.Contains(command, h) }) {
		return false
	}
	words = strings.TrimRight(words, " ")
	return words != "" && (command == words || strings.HasPrefix(command, words+" "))
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
// command that is this very command.
func Pattern(tool string, input json.RawMessage) string {
	call := checkrein.Tool{Name: tool, Canonical: checkrein.CanonicalTool(tool), Input: input}
	commands := call.Commands()
	if len(commands) != 1 {
		return tool
	}
	quoted := strings.NewReplacer("*", "[*]", "?", "[?]", "[", "[[]", ":", "[:]").Replace(commands[0])
	return tool + ":" + call.ArgKey("command") + "=" + quoted
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
