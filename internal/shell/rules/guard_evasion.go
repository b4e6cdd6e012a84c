package rules

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/hostfiles"
	"github.com/checkrein/checkrein/internal/catalog/hosts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// Commands that go around what guards an agent: an agent that is started without its
// hooks or with another person's settings, signals and limits for checkrein and for
// hosts, and variables that change them later.

// GuardEffects are the effects of a call on what guards agents. None means that there is
// none that is known.
func GuardEffects(c *shell.Call, p *shell.Place) []shell.Effect {
	if c.Name == "" {
		return nil
	}
	rule, why := program.RuleHooksOff, ""
	switch {
	case hostfiles.MayStart(c.Name):
		why = started(c, p)
	case c.Remote != "":
	case Chooses(c.Name):
		rule, why = program.RuleGuardEnded, signalled(c)
	default:
		rule, why = program.RuleGuardLater, later(c)
	}
	if why == "" {
		return nil
	}
	return []shell.Effect{{Label: shell.Unknown, Kind: "run", Category: shell.GuardOff, Radius: shell.RadiusHigh, Rule: rule, Words: text(c), Reason: why}}
}

// started returns what keeps a host that a call starts from asking its hooks; "" = nothing.
func started(c *shell.Call, p *shell.Place) string {
	words := make([]string, len(c.Args))
	for i := range c.Args {
		words[i] = c.Args[i].Text
	}
	if c.Dir != "" && len(words) > 0 && strings.HasSuffix(words[0], "js") && !strings.HasPrefix(words[0], "/") {
		words[0] = c.Dir + "/" + words[0] // it names the package by its directory
	}
	s, rest := hostfiles.StartOf(c.Name, words)
	if s == nil {
		return ""
	}
	if off := s.Off(rest, func(file string) ([]byte, bool) { return settings(c, p, file) }); off != "" {
		return "starts " + s.Host + ", bypassing checkrein: " + off
	}
	if s.Asks(rest) {
		return ""
	}
	for i := range c.Env {
		v := &c.Env[i]
		if how := hostfiles.Steer(v.Name, v.Value.Text); how != "" && !same(v, p) {
			return "starts " + s.Host + " with " + v.Name + " set: " + how
		}
	}
	switch {
	case c.Remote != "":
		return "starts " + s.Host + " in " + c.Remote + ", where checkrein may not see its calls"
	case c.Elevated:
		return "starts " + s.Host + " as another user, whose settings may lack checkrein's hooks"
	case c.Apart != "":
		return "starts " + s.Host + " through " + c.Apart + ", which changes its home directory, root, environment or limits"
	}
	for i := len(c.Args) - len(rest); i < len(c.Args); i++ {
		if w := &c.Args[i]; w.Text == "--" {
			break
		} else if !w.Quoted && strings.HasPrefix(w.Text, string(shell.Hole)) {
			return "starts " + s.Host + " with arguments that are known only at run time and may turn hooks off"
		}
	}
	return ""
}

// same reports whether a variable that says where settings are says what holds anyway.
func same(v *shell.Variable, p *shell.Place) bool {
	value := strings.TrimRight(v.Value.Text, "/")
	switch {
	case p.Home == "" || value == "":
		return false
	case v.Name == "HOME":
		return value == p.Home || value == "~"
	case strings.HasPrefix(v.Name, "XDG_"):
		return value == p.Directory(v.Name) || p.Directory(v.Name) == "" && v.Name == "XDG_CONFIG_HOME" && value == p.Home+"/.config"
	}
	return false
}

// settings is the text of a file that a host is given. It is not known where only a
// running shell could tell; nil = it was not read.
func settings(c *shell.Call, p *shell.Place, file string) (text []byte, known bool) {
	for i := range c.Files {
		if f := &c.Files[i]; f.Path == file {
			return []byte(f.Text), f.Sure
		}
	}
	if strings.ContainsRune(file, shell.Hole) || strings.HasPrefix(file, "/dev/") || strings.HasPrefix(file, "/proc/") {
		return nil, false
	}
	if p.Read == nil {
		return nil, true
	}
	at := file
	switch {
	case strings.HasPrefix(file, "~/"):
		at = p.Home + file[1:]
	case !strings.HasPrefix(file, "/"):
		dir := c.Dir
		if !strings.HasPrefix(dir, "/") {
			dir = p.Dir + "/" + dir
		}
		at = strings.TrimRight(dir, "/") + "/" + file
	}
	found, ok := p.Read(at)
	if !ok {
		return nil, true
	}
	return []byte(found), true
}

// signalled returns which of the processes that a call chooses guard agents; "" = none that
// is known.
func signalled(c *shell.Call) string {
	patterns, parent := Processes(c)
	if parent {
		return "kills, stops, limits or inspects the agent, which started this shell"
	}
	for _, pattern := range patterns {
		if name := guard(pattern); name != "" {
			return "kills, stops, limits or inspects " + name + ", an agent or one of its guards"
		}
	}
	return ""
}

// guard is the program of ours, or of a host, that a pattern for processes would find;
// "" = none.
func guard(pattern string) string {
	pattern = strings.Trim(strings.ToLower(pattern), `^$\ `)
	fits := func(name string) bool {
		if len(pattern) >= 3 && strings.Contains(name, pattern) {
			return true
		}
		for word := range strings.FieldsFuncSeq(pattern, apart) {
			if strings.Trim(word, ".") == name {
				return true
			}
		}
		return false
	}
	for _, name := range [...]string{"checkrein", "checkreind"} {
		if fits(name) || len(pattern) > 3 && pattern[0] == '[' && fits(strings.NewReplacer("[", "", "]", "").Replace(pattern)) {
			return name
		}
	}
	bare := strings.NewReplacer("[", "", "]", "").Replace(pattern)
	for i := range hosts.Starts {
		for name := range strings.FieldsSeq(hosts.Starts[i].Programs) {
			if fits(name) || bare == name {
				return name
			}
		}
	}
	return ""
}

// apart reports whether a character parts the words of a command line, or of a pattern.
func apart(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '.')
}

// later returns which variables a call sets for what starts later; "" = none that bends
// what guards agents.
func later(c *shell.Call) string {
	alone := program.Is(c.Name, program.IsVariableSetter)
	if !alone && !program.Is(c.Name, program.IsServiceManager) {
		return ""
	}
	if !alone && !slices.ContainsFunc(c.Args, func(w shell.Word) bool {
		return listed("setenv unsetenv set-environment unset-environment import-environment", w.Text)
	}) {
		return service(c)
	}
	for i := range c.Args {
		name, value, given := strings.Cut(c.Args[i].Text, "=")
		if !given && i+1 < len(c.Args) {
			value = c.Args[i+1].Text
		}
		if how := hostfiles.Steer(name, value); how != "" && !(name == "PATH" && alone) {
			return "sets " + name + " for programs started later: " + how
		}
	}
	return ""
}

// service returns which service of ours a call stops; "" = none.
func service(c *shell.Call) string {
	stops := false
	for i := range c.Args {
		t := c.Args[i].Text
		switch t {
		case "stop", "kill", "disable", "mask", "freeze", "isolate", "set-property", "remove", "unload", "bootout", "delete":
			stops = true
		}
		if base := t[strings.LastIndexAny(t, "./")+1:]; stops && (strings.Contains(t, "checkrein") || base == "checkreind") {
			return "stops " + t + ", which guards agents"
		}
	}
	return ""
}

// text are the words of a call, for people.
func text(c *shell.Call) string {
	var b strings.Builder
	b.WriteString(c.Name)
	for i := range c.Args {
		if b.Len() > 500 {
			b.WriteString(" …")
			break
		}
		b.WriteByte(' ')
		b.WriteString(c.Args[i].Text)
	}
	return b.String()
}
