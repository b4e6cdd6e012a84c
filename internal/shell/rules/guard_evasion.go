package rules

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/hostfiles"
	"github.com/checkrein/checkrein/internal/catalog/hosts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// Commands that bypass an agent's guards: starting an agent without its hooks or with
// another user's settings, signals and limits for checkrein and for hosts, and variables
// that affect them later.

// GuardEffects returns the effects of a call on the guards of agents. It is nil if none are known.
func GuardEffects(c *shell.Call, p *shell.Place) []shell.Effect {
	if c.Name == "" {
		return nil
	}
	rule, why := program.RuleHooksOff, ""
	switch {
	case hostfiles.MayStart(c.Name):
		why = startBypass(c, p)
	case c.Remote != "":
	case IsProcessTool(c.Name):
		rule, why = program.RuleGuardEnded, signalledGuard(c)
	default:
		rule, why = program.RuleGuardLater, laterBypass(c)
	}
	if why == "" {
		return nil
	}
	return []shell.Effect{{Label: shell.Unknown, Kind: "run", Category: shell.GuardOff, Impact: shell.ImpactHigh, Rule: rule, Words: longCallText(c), Reason: why}}
}

// startBypass returns why a host that c starts does not call its hooks, or "".
func startBypass(c *shell.Call, p *shell.Place) string {
	words := make([]string, len(c.Args))
	for i := range c.Args {
		words[i] = c.Args[i].Text
	}
	if c.Dir != "" && len(words) > 0 && strings.HasSuffix(words[0], "js") && !strings.HasPrefix(words[0], "/") {
		words[0] = c.Dir + "/" + words[0] // the directory names the package
	}
	s, rest := hostfiles.ResolveStart(c.Name, words)
	if s == nil {
		return ""
	}
	if off := s.DescribeBypass(rest, func(file string) ([]byte, bool) { return hostSettings(c, p, file) }); off != "" {
		return "starts " + s.Host + ", bypassing checkrein: " + off
	}
	if s.StartsNoAgent(rest) {
		return ""
	}
	for i := range c.Env {
		v := &c.Env[i]
		if how := hostfiles.DescribeHijack(v.Name, v.Value.Text); how != "" && !isDefaultDir(v, p) {
			return "starts " + s.Host + " with " + v.Name + " set: " + how
		}
	}
	switch {
	case c.Remote != "":
		return "starts " + s.Host + " in " + c.Remote + ", where checkrein may not see its calls"
	case c.Elevated:
		return "starts " + s.Host + " as another user, whose settings may lack checkrein's hooks"
	case c.ChangedBy != "":
		return "starts " + s.Host + " through " + c.ChangedBy + ", which changes its home directory, root, environment or limits"
	}
	for i := len(c.Args) - len(rest); i < len(c.Args); i++ {
		if w := &c.Args[i]; w.Text == "--" {
			break
		} else if !w.Quoted && strings.HasPrefix(w.Text, string(shell.Placeholder)) {
			return "starts " + s.Host + " with arguments that are known only at run time and may turn hooks off"
		}
	}
	return ""
}

// isDefaultDir reports whether a variable for the directory of settings has its default value.
func isDefaultDir(v *shell.Variable, p *shell.Place) bool {
	value := strings.TrimRight(v.Value.Text, "/")
	switch {
	case p.Home == "" || value == "":
		return false
	case v.Name == "HOME":
		return value == p.Home || value == "~"
	case strings.HasPrefix(v.Name, "XDG_"):
		return value == p.DirOf(v.Name) || p.DirOf(v.Name) == "" && v.Name == "XDG_CONFIG_HOME" && value == p.Home+"/.config"
	}
	return false
}

// hostSettings returns the text of a settings file that a host is given. Known is false if only a
// running shell can tell; the text is nil if it was not read.
func hostSettings(c *shell.Call, p *shell.Place, file string) (text []byte, known bool) {
	for i := range c.Files {
		if f := &c.Files[i]; f.Path == file {
			return []byte(f.Text), f.Complete
		}
	}
	if strings.ContainsRune(file, shell.Placeholder) || strings.HasPrefix(file, "/dev/") || strings.HasPrefix(file, "/proc/") {
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

// signalledGuard describes which of the processes that c chooses is an agent or a guard, or returns
// "".
func signalledGuard(c *shell.Call) string {
	patterns, parent := ProcessPatterns(c)
	if parent {
		return "kills, stops, limits or inspects the agent, which started this shell"
	}
	for _, pattern := range patterns {
		if name := matchingGuard(pattern); name != "" {
			return "kills, stops, limits or inspects " + name + ", an agent or one of its guards"
		}
	}
	return ""
}

// matchingGuard returns the program of checkrein or of a host that a process pattern matches, or "".
func matchingGuard(pattern string) string {
	pattern = strings.Trim(strings.ToLower(pattern), `^$\ `)
	fits := func(name string) bool {
		if len(pattern) >= 3 && strings.Contains(name, pattern) {
			return true
		}
		for word := range strings.FieldsFuncSeq(pattern, isSeparator) {
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

// isSeparator reports whether a character separates the words of a command line or of a pattern.
func isSeparator(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '.')
}

// laterBypass describes a variable that c sets for programs started later and that bypasses guards, or
// returns "".
func laterBypass(c *shell.Call) string {
	alone := program.Is(c.Name, program.IsVariableSetter)
	if !alone && !program.Is(c.Name, program.IsServiceManager) {
		return ""
	}
	if !alone && !slices.ContainsFunc(c.Args, func(w shell.Word) bool {
		return inListFold("setenv unsetenv set-environment unset-environment import-environment", w.Text)
	}) {
		return stoppedService(c)
	}
	for i := range c.Args {
		name, value, given := strings.Cut(c.Args[i].Text, "=")
		if !given && i+1 < len(c.Args) {
			value = c.Args[i+1].Text
		}
		if how := hostfiles.DescribeHijack(name, value); how != "" && !(name == "PATH" && alone) {
			return "sets " + name + " for programs started later: " + how
		}
	}
	return ""
}

// stoppedService describes the service of checkrein that c stops, or returns "".
func stoppedService(c *shell.Call) string {
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

// longCallText returns the words of c, truncated to about 500 bytes.
func longCallText(c *shell.Call) string {
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
