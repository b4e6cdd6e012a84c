package rules

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/hostfiles"
	"github.com/checkrein/checkrein/internal/catalog/hosts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// This file finds commands that bypass an agent's guards: starting an agent without its hooks or
// with another user's settings, sending signals to checkrein or a host, limiting their resources,
// and setting variables that affect programs started later.

// GuardEffects returns the effect of c if it bypasses the guards of agents, or nil.
func GuardEffects(c *shell.Call, p *shell.Place) []shell.Effect {
	if c.Name == "" {
		return nil
	}
	rule, why := program.RuleHooksOff, ""
	switch {
	case hostfiles.MayStart(c.Name):
		why = hostStartBypass(c, p)
	case c.Remote != "":
	case IsProcessTool(c.Name):
		rule, why = program.RuleGuardEnded, describeGuardSignal(c)
	default:
		rule, why = program.RuleGuardLater, lastingBypass(c)
	}
	if why == "" {
		return nil
	}
	return []shell.Effect{{Label: shell.Unknown, Kind: "run", Category: shell.GuardOff, Impact: shell.ImpactHigh, Rule: rule, Words: longCallText(c), Reason: why}}
}

// hostStartBypass returns why the host that c starts does not call its hooks, or "" if it does or if c
// starts none.
func hostStartBypass(c *shell.Call, p *shell.Place) string {
	words := make([]string, len(c.Args))
	for i := range c.Args {
		words[i] = c.Args[i].Text
	}
	if c.Dir != "" && len(words) > 0 && strings.HasSuffix(words[0], "js") && !strings.HasPrefix(words[0], "/") {
		words[0] = c.Dir + "/" + words[0] // the directory contains the name of the host's package
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

// isDefaultDir reports whether v, a variable for a directory of settings, has its default value.
func isDefaultDir(v *shell.Variable, p *shell.Place) bool {
	value := strings.TrimRight(v.Value.Text, "/")
	switch {
	case p.Home == "" || value == "":
		return false
	case v.Name == "HOME":
		return value == p.Home || value == "~"
	case strings.HasPrefix(v.Name, "XDG_"):
		return value == p.EnvDir(v.Name) || p.EnvDir(v.Name) == "" && v.Name == "XDG_CONFIG_HOME" && value == p.Home+"/.config"
	}
	return false
}

// hostSettings returns the text of the settings file that c names for a host. It reports false if the
// text is only known at run time. The text is nil if the file could not be read.
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

// describeGuardSignal describes the effect of c on an agent or a guard among the processes that c
// chooses. It returns "" if there is none.
func describeGuardSignal(c *shell.Call) string {
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

// matchingGuard returns the program of checkrein or of a host that the process pattern matches, or "".
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

// isSeparator reports whether r separates the words of a command line or of a pattern.
func isSeparator(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '.')
}

// lastingBypass describes how c bypasses guards from now on: by a variable for programs started later,
// or by stopping a service of checkrein. It returns "" if c does neither.
func lastingBypass(c *shell.Call) string {
	alone := program.Is(c.Name, program.IsVariableSetter)
	if !alone && !program.Is(c.Name, program.IsServiceManager) {
		return ""
	}
	if !alone && !slices.ContainsFunc(c.Args, func(w shell.Word) bool {
		return inListFold("setenv unsetenv set-environment unset-environment import-environment", w.Text)
	}) {
		return describeStoppedService(c)
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

// describeStoppedService describes the service of checkrein that c stops, or returns "".
func describeStoppedService(c *shell.Call) string {
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

// longCallText returns the name and the words of c, truncated after about 500 bytes.
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
