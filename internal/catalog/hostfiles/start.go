package hostfiles

import (
	"path"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/catalog/hosts"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A Start describes how a host is started from a command line.
type Start hosts.Start

// runners lists programs that can start a host by a path or by the name of a package.
const runners = " npx bunx pnpx npm pnpm yarn bun deno node nodejs uvx uv pipx python python3 tsx docker "

// MayStart reports whether program is a host or may start one.
func MayStart(program string) bool {
	return program != "" && (FindStart(program) != nil || strings.Contains(runners, " "+program+" "))
}

// FindStart returns the host whose program has this name, or nil if there is none.
func FindStart(program string) *Start {
	for i := range hosts.Starts {
		if s := (*Start)(&hosts.Starts[i]); containsWord(s.Programs, program) {
			return s
		}
	}
	return nil
}

// ResolveStart returns the host that program starts with the arguments words, and the arguments of the
// host itself. It returns nil if program starts no host.
func ResolveStart(program string, words []string) (s *Start, rest []string) {
	if s = FindStart(program); s != nil {
		return s, words
	}
	if !strings.Contains(runners, " "+program+" ") {
		return nil, nil
	}
	for i := range hosts.Starts {
		if sub, ok := strings.CutPrefix(hosts.Starts[i].Sub, program+" "); ok {
			if len(words) > 0 && words[0] == sub {
				return (*Start)(&hosts.Starts[i]), words[1:]
			}
			return nil, nil
		}
	}
	for i, w := range words {
		if w == "" || w[0] == '-' {
			if _, after, ok := strings.Cut(w, "="); ok && strings.HasPrefix(w, "--p") { // --package=NAME
				if s = findByPackage(after); s != nil {
					return s, words[i+1:]
				}
			}
			continue
		}
		if s = findByPackage(w); s != nil {
			return s, words[i+1:]
		}
		if s = FindStart(w); s != nil { // a program of the project, or of a package that a flag names
			return s, words[i+1:]
		}
		if !containsWord("dlx exec x run tool", w) && (i == 0 || words[i-1] == "" || words[i-1][0] != '-') {
			return nil, nil // it starts another program
		}
	}
	return nil, nil
}

// IsAgent reports whether a process with these arguments is a host, judging by its program or by the
// script that an interpreter runs.
func IsAgent(args []string) bool {
	if len(args) == 0 {
		return false
	}
	program := path.Base(strings.ReplaceAll(args[0], `\`, "/"))
	if s, _ := ResolveStart(program, args[1:]); s != nil {
		return true
	}
	if !strings.Contains(runners, " "+program+" ") {
		return false
	}
	at := slices.IndexFunc(args[1:], func(w string) bool { return !strings.HasPrefix(w, "-") })
	if at < 0 {
		return false
	}
	script := path.Base(args[1+at])
	return FindStart(strings.TrimSuffix(script, path.Ext(script))) != nil
}

// findByPackage returns the host whose package word names, with or without a version, or into which
// word is a path. It returns nil if there is none.
func findByPackage(word string) *Start {
	word = strings.ReplaceAll(word, `\`, "/")
	for i := range hosts.Starts {
		for name := range strings.FieldsSeq(hosts.Starts[i].Packages) {
			switch rest, ok := strings.CutPrefix(word, name); {
			case ok && (rest == "" || rest[0] == '@'), strings.Contains(word, "/node_modules/"+name+"/"), strings.HasPrefix(word, "node_modules/"+name+"/"):
				return (*Start)(&hosts.Starts[i])
			case name[0] == '@' && strings.Contains(word, name+"/"):
				return (*Start)(&hosts.Starts[i])
			}
		}
	}
	return nil
}

// IsHostVariable reports whether the environment variable name moves the settings of a host or makes
// it skip hooks.
func IsHostVariable(name string) bool {
	return slices.ContainsFunc(hosts.Starts[:], func(s hosts.Start) bool { return containsWord(s.Env, name) })
}

// DescribeHijack describes how an environment variable with this value affects hosts or checkrein. It
// returns "" if it does not.
func DescribeHijack(name, value string) string {
	if IsHostVariable(name) {
		return "an agent looks for its settings elsewhere, or skips hooks"
	}
	return facts.DescribeHijack(name, value)
}

// StartsNoAgent reports whether the arguments words make the host show its help or version, or run a
// subcommand that starts no agent.
func (s *Start) StartsNoAgent(words []string) bool {
	for _, w := range words {
		switch {
		case w == "--version", w == "-v" && !containsWord(s.Starting, w), w == "--help", w == "-h", w == "-V":
			return true
		case !strings.HasPrefix(w, "-"):
			return containsWord(s.Quiet, w)
		}
	}
	return false
}

// DescribeBypass describes how the arguments words make the host skip hooks or use other settings. It
// returns "" if they do not. read returns the text of a file, or nil if it cannot be read; known is
// false if the text may still change.
func (s *Start) DescribeBypass(words []string, read func(file string) (text []byte, known bool)) string {
	for i, w := range words {
		if w == "--" {
			break
		}
		if strings.HasPrefix(w, "-") {
			name, value, glued := strings.Cut(w, "=")
			if !glued && i+1 < len(words) {
				value = words[i+1]
			}
			if why := s.optionBypass(name, value, read); why != "" {
				return why
			}
		}
	}
	if sub := s.hooklessSubcommand(words); sub != "" {
		return sub + " does not call hooks, or turns them off"
	}
	return s.configBypass(words)
}

// optionBypass describes how an option makes the host skip hooks or use other settings. It returns ""
// if it does not.
func (s *Start) optionBypass(name, value string, read func(string) ([]byte, bool)) string {
	switch {
	case containsWord(s.Bare, name), value != "" && containsWord(s.Bare, name+"="+value):
		return name + " skips hooks"
	case containsWord(s.Moves, name):
		return name + " uses settings other than the user's own"
	case name == s.Sources && name != "":
		if !slices.Contains(strings.Split(strings.ReplaceAll(value, " ", ""), ","), "user") {
			return name + " ignores the user's own settings and the hooks in them"
		}
	case name == s.Text && name != "":
		return s.settingsBypass(name, value, read)
	case containsWord(s.Sets, name):
		key, _, _ := strings.Cut(value, "=")
		if f := s.settingsFile(hosts.TOML); f != nil && (strings.HasPrefix(strings.TrimSpace(key), "hooks") || len(f.OffSwitches([]byte(value+"\n"))) > 0) {
			return name + " " + value + " turns hooks off, or changes which ones run"
		}
	}
	return ""
}

// settingsBypass describes how value, which is settings or the name of a file with settings, affects
// hooks. It returns "" if it does not.
func (s *Start) settingsBypass(name, value string, read func(string) ([]byte, bool)) string {
	f := s.settingsFile(hosts.JSON)
	if f == nil {
		return ""
	}
	text, known := []byte(value), true
	if !strings.HasPrefix(strings.TrimSpace(value), "{") {
		if text, known = read(value); text == nil && known {
			return "" // the host cannot read it either
		}
	}
	if !known || strings.ContainsRune(string(text), facts.Placeholder) {
		return name + " names settings that checkrein cannot read before they are used"
	}
	if off := f.OffSwitches(text); len(off) > 0 {
		return name + " sets " + off[0] + ", which skips hooks or changes them"
	}
	if events := f.ForeignHooks(text); len(events) > 0 {
		return name + " adds other hooks for " + events[0]
	}
	return ""
}

// settingsFile returns the row of the host's settings file in this format, or nil if there is none.
func (s *Start) settingsFile(form hosts.Form) *File {
	for i := range hosts.Files {
		if f := (*File)(&hosts.Files[i]); f.Host == s.Host && f.Form == form && len(f.Switches) > 0 {
			return f
		}
	}
	return nil
}

// configBypass describes how a subcommand that changes a setting turns hooks off. It returns "" if
// words are not such a subcommand.
func (s *Start) configBypass(words []string) string {
	var plain []string
	removes := false
	for _, w := range words {
		if strings.HasPrefix(w, "-") {
			removes = removes || w == "--rm"
			continue
		}
		plain = append(plain, w)
	}
	n := 0
	switch {
	case len(plain) > 1 && containsWord(s.Config, plain[0]+"/"+plain[1]):
		n = 2
	case len(plain) > 0 && containsWord(s.Config, plain[0]):
		n = 1
	default:
		return ""
	}
	sub, rest := strings.Join(plain[:n], " "), plain[n:]
	removes = removes || containsWord("unset remove rm", plain[n-1])
	switch {
	case n == 1 && !removes && len(rest) < 2:
		return "" // it only shows the setting
	case len(rest) == 0, len(rest) == 1 && !removes: // an option or standard input names the settings
		return sub + " changes settings that the command does not name"
	}
	key, value := normalizeKey(rest[0]), strings.Join(rest[1:], " ")
	switch {
	case strings.ContainsRune(key, facts.Placeholder):
		return sub + " changes a setting that is known only at run time"
	case s.Wires != "" && keysOverlap(key, s.Wires):
		return sub + " changes " + key + ", which has checkrein's hooks"
	}
	for i := range hosts.Files {
		if f := (*File)(&hosts.Files[i]); f.Host == s.Host {
			if why := f.describeSetting(key, value, removes); why != "" {
				return sub + " " + why
			}
		}
	}
	return ""
}

// normalizeKey returns a key with dots instead of brackets: plugins["enabled"] becomes
// plugins.enabled.
func normalizeKey(text string) string {
	return strings.NewReplacer("[", ".", "]", "", `"`, "", "'", "").Replace(text)
}

// keysOverlap reports whether key and other, whose parts are separated by dots, are equal or one
// contains the other.
func keysOverlap(key, other string) bool {
	a, b := strings.Split(key, "."), strings.Split(other, ".")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] && b[i] != "*" {
			return false
		}
	}
	return true
}

// hooklessSubcommand returns the subcommand in words that does not call hooks, or "" if there is none.
func (s *Start) hooklessSubcommand(words []string) string {
	if s.Without == "" {
		return ""
	}
	first, second := "", ""
	for _, w := range words {
		if strings.HasPrefix(w, "-") {
			continue
		}
		if first != "" {
			second = w
			break
		}
		first = w
	}
	if second != "" && containsWord(s.Without, first+"/"+second) {
		return first + " " + second
	}
	return ""
}

// isHijackMember reports whether the environment variable that ends path, with the value v, affects
// hosts or checkrein.
func isHijackMember(path string, v rawjson.Value) bool {
	text := v.String()
	return text != "" && text != "null" && DescribeHijack(path[strings.LastIndexByte(path, '.')+1:], text) != ""
}

// containsWord reports whether word is in list, whose words are separated by spaces.
func containsWord(list, word string) bool {
	for one := range strings.FieldsSeq(list) {
		if one == word {
			return true
		}
	}
	return false
}
