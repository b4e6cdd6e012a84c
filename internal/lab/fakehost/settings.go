package fakehost

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// settings holds the parts of a settings file that this agent uses.
type settings struct {
	Hooks       map[string][]group `json:"hooks"`
	Off         bool               `json:"disableAllHooks"`
	Permissions struct {
		Allow []string `json:"allow"`
		Deny  []string `json:"deny"`
		Ask   []string `json:"ask"`
	} `json:"permissions"`
}

type group struct {
	Matcher string `json:"matcher"`
	Hooks   []hook `json:"hooks"`
}

type hook struct {
	Type    string   `json:"type"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
	Timeout float64  `json:"timeout"` // seconds
}

// hookTypes lists the types that a hook may have. A file with a hook of any other type is ignored.
var hookTypes = []string{"command", "http", "prompt", "agent", "mcp_tool"}

// readAllSettings reads and merges the settings of all sources. It reads the files each time, because
// changes take effect while a session runs.
func (s *session) readAllSettings() settings {
	var all settings
	for _, src := range []struct{ name, path string }{
		{"user", filepath.Join(s.config, "settings.json")},
		{"project", filepath.Join(s.cwd, ".claude", "settings.json")},
		{"local", filepath.Join(s.cwd, ".claude", "settings.local.json")},
		{"flag", s.options.settings},
	} {
		if src.path == "" || src.name != "flag" && s.options.sources != nil && !slices.Contains(s.options.sources, src.name) {
			continue
		}
		all.add(readSettings(src.path))
	}
	return all
}

// add merges one into all.
func (all *settings) add(one settings) {
	all.Off = all.Off || one.Off
	all.Permissions.Allow = append(all.Permissions.Allow, one.Permissions.Allow...)
	all.Permissions.Deny = append(all.Permissions.Deny, one.Permissions.Deny...)
	all.Permissions.Ask = append(all.Permissions.Ask, one.Permissions.Ask...)
	for event, groups := range one.Hooks {
		if all.Hooks == nil {
			all.Hooks = map[string][]group{}
		}
		all.Hooks[event] = append(all.Hooks[event], groups...)
	}
}

// readSettings reads the settings file at path; path may also be the JSON itself. It returns the zero
// settings if the file cannot be read or is invalid.
func readSettings(path string) settings {
	text := []byte(path)
	if !strings.HasPrefix(path, "{") {
		var err error
		if text, err = os.ReadFile(path); err != nil {
			return settings{}
		}
	}
	var one settings
	if json.Unmarshal(text, &one) != nil {
		return settings{}
	}
	for _, groups := range one.Hooks {
		for _, g := range groups {
			for _, h := range g.Hooks {
				if !slices.Contains(hookTypes, h.Type) {
					return settings{}
				}
			}
		}
	}
	return one
}

// hooksFor returns the command hooks for an event whose matchers match subject, without duplicates.
func (all *settings) hooksFor(event, subject string) []hook {
	if all.Off {
		return nil
	}
	var out []hook
	for _, g := range all.Hooks[event] {
		if !matches(g.Matcher, event, subject) {
			continue
		}
		for _, h := range g.Hooks {
			same := func(o hook) bool { return o.Command == h.Command && slices.Equal(o.Args, h.Args) }
			if h.Type == "command" && !slices.ContainsFunc(out, same) {
				out = append(out, h)
			}
		}
	}
	return out
}

// eventsWithoutMatcher lists the events whose matchers are ignored.
var eventsWithoutMatcher = []string{"UserPromptSubmit", "Stop", "PostToolBatch"}

// nameList matches a matcher that is a list of names and not a regular expression.
var nameList = regexp.MustCompile(`^[A-Za-z0-9_\-,| ]*$`)

// matches reports whether matcher, a list of names or a regular expression, matches subject. It is
// always true for eventsWithoutMatcher.
func matches(matcher, event, subject string) bool {
	if matcher == "" || matcher == "*" || slices.Contains(eventsWithoutMatcher, event) {
		return true
	}
	if nameList.MatchString(matcher) {
		list := strings.FieldsFunc(matcher, func(r rune) bool { return r == ',' || r == '|' })
		return slices.ContainsFunc(list, func(n string) bool { return strings.TrimSpace(n) == subject })
	}
	re, err := regexp.Compile(matcher)
	return err == nil && re.MatchString(subject)
}

// timeout returns how long the hook may run for an event, by default as long as the real host allows.
func (h hook) timeout(event string) time.Duration {
	switch {
	case h.Timeout > 0:
		return time.Duration(h.Timeout * float64(time.Second))
	case event == "UserPromptSubmit":
		return 30 * time.Second
	case event == "SessionEnd":
		return 1500 * time.Millisecond
	}
	return 600 * time.Second
}

// ruleDecisions reports whether the permission rules allow a call without a question, deny it, or
// require a question.
func (s *session) ruleDecisions(tool, subject string) (allowed, denied, asked bool) {
	rules := s.readAllSettings().Permissions
	hit := func(list []string) bool {
		return slices.ContainsFunc(list, func(rule string) bool { return ruleMatches(strings.TrimSpace(rule), tool, subject) })
	}
	allowed = tool == "Read" || tool == "Agent" || hit(s.options.allowed) || hit(rules.Allow) ||
		s.options.mode == "bypassPermissions" || s.options.mode == "acceptEdits" && (tool == "Write" || tool == "Edit")
	return allowed, hit(rules.Deny), hit(rules.Ask)
}

// ruleMatches reports whether a rule such as Bash, Bash(git *) or mcp__srv applies to a call.
func ruleMatches(rule, tool, subject string) bool {
	name, rest, has := strings.Cut(rule, "(")
	if !has {
		return name == tool || strings.HasPrefix(tool, "mcp__") && (strings.HasPrefix(tool, name+"__") || name == tool[:strings.LastIndex(tool, "__")]+"__*")
	}
	if name != tool {
		return false
	}
	rest = strings.TrimSuffix(rest, ")")
	for _, any := range []string{":*", "*"} {
		if start, ok := strings.CutSuffix(rest, any); ok {
			return strings.HasPrefix(subject, start)
		}
	}
	return rest == subject
}
