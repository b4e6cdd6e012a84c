package hostfiles

import (
	"path"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/catalog/hosts"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A Start is how a host is started from a command line.
type Start hosts.Start

// runners are the programs that start a host which they are given by a path or the name
// of a package.
const runners = " npx bunx pnpx npm pnpm yarn bun deno node nodejs uvx uv pipx python python3 tsx docker "

// MayStart reports whether a program is a host, or may run one.
func MayStart(program string) bool {
	return program != "" && (StartNamed(program) != nil || strings.Contains(runners, " "+program+" "))
}

// StartNamed finds a host by the name of its program; nil = it is none.
func StartNamed(program string) *Start {
	for i := range hosts.Starts {
		if s := (*Start)(&hosts.Starts[i]); listed(s.Programs, program) {
			return s
		}
	}
	return nil
}

// StartOf finds the host that a program starts with words, and the words that the host
// gets; nil = none.
func StartOf(program string, words []string) (s *Start, rest []string) {
	if s = StartNamed(program); s != nil {
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
				if s = packaged(after); s != nil {
					return s, words[i+1:]
				}
			}
			continue
		}
		if s = packaged(w); s != nil {
			return s, words[i+1:]
		}
		if s = StartNamed(w); s != nil { // of the project, or of a package that a flag names
			return s, words[i+1:]
		}
		if !listed("dlx exec x run tool", w) && (i == 0 || words[i-1] == "" || words[i-1][0] != '-') {
			return nil, nil // it runs something else
		}
	}
	return nil, nil
}

// IsAgent reports whether a process with these arguments is a host: by its program, or by
// the script that an interpreter runs.
func IsAgent(args []string) bool {
	if len(args) == 0 {
		return false
	}
	program := path.Base(strings.ReplaceAll(args[0], `\`, "/"))
	if s, _ := StartOf(program, args[1:]); s != nil {
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
	return StartNamed(strings.TrimSuffix(script, path.Ext(script))) != nil
}

// packaged finds a host by the name of its package, with a version or without, or by a
// path into it.
func packaged(word string) *Start {
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

// Variable reports whether a variable moves a host's settings, or skips hooks.
func Variable(name string) bool {
	return slices.ContainsFunc(hosts.Starts[:], func(s hosts.Start) bool { return listed(s.Env, name) })
}

// Steer returns how a variable bends hosts or checkrein; "" = it does not.
func Steer(name, value string) string {
	if Variable(name) {
		return "an agent looks for its settings elsewhere, or skips hooks"
	}
	return facts.SteerOf(name, value)
}

// Asks reports whether the words of a start show help or a version, or give a command
// that starts no agent.
func (s *Start) Asks(words []string) bool {
	for _, w := range words {
		switch {
		case w == "--version", w == "-v" && !listed(s.Starting, w), w == "--help", w == "-h", w == "-V":
			return true
		case !strings.HasPrefix(w, "-"):
			return listed(s.Quiet, w)
		}
	}
	return false
}

// Off returns by which of its words a start skips hooks, or goes by other settings;
// "" = by none. Read returns the text of a file: known says that it is all that there
// will be, and it reports false for what cannot be read.
func (s *Start) Off(words []string, read func(file string) (text []byte, known bool)) string {
	for i, w := range words {
		if w == "--" {
			break
		}
		if strings.HasPrefix(w, "-") {
			name, value, glued := strings.Cut(w, "=")
			if !glued && i+1 < len(words) {
				value = words[i+1]
			}
			if why := s.option(name, value, read); why != "" {
				return why
			}
		}
	}
	if sub := s.without(words); sub != "" {
		return sub + " does not call hooks, or turns them off"
	}
	return s.configures(words)
}

func (s *Start) option(name, value string, read func(string) ([]byte, bool)) string {
	switch {
	case listed(s.Bare, name), value != "" && listed(s.Bare, name+"="+value):
		return name + " skips hooks"
	case listed(s.Moves, name):
		return name + " uses settings other than the user's own"
	case name == s.Sources && name != "":
		if !slices.Contains(strings.Split(strings.ReplaceAll(value, " ", ""), ","), "user") {
			return name + " ignores the user's own settings and the hooks in them"
		}
	case name == s.Text && name != "":
		return s.given(name, value, read)
	case listed(s.Sets, name):
		key, _, _ := strings.Cut(value, "=")
		if f := s.file(hosts.TOML); f != nil && (strings.HasPrefix(strings.TrimSpace(key), "hooks") || len(f.Off([]byte(value+"\n"))) > 0) {
			return name + " " + value + " turns hooks off, or changes which ones run"
		}
	}
	return ""
}

// given judges settings that a start is given, or a file of them.
func (s *Start) given(name, value string, read func(string) ([]byte, bool)) string {
	f := s.file(hosts.JSON)
	if f == nil {
		return ""
	}
	text, known := []byte(value), true
	if !strings.HasPrefix(strings.TrimSpace(value), "{") {
		if text, known = read(value); text == nil && known {
			return "" // the host will not find it either
		}
	}
	if !known || strings.ContainsRune(string(text), facts.Hole) {
		return name + " names settings that checkrein cannot read before they are used"
	}
	if off := f.Off(text); len(off) > 0 {
		return name + " sets " + off[0] + ", which skips hooks or changes them"
	}
	if events := f.Foreign(text); len(events) > 0 {
		return name + " adds other hooks for " + events[0]
	}
	return ""
}

// file is the row of the host's settings in a form.
func (s *Start) file(form hosts.Form) *File {
	for i := range hosts.Files {
		if f := (*File)(&hosts.Files[i]); f.Host == s.Host && f.Form == form && len(f.Switches) > 0 {
			return f
		}
	}
	return nil
}

// configures describes the setting that the words of a start change so that hooks are off;
// "" = none.
func (s *Start) configures(words []string) string {
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
	case len(plain) > 1 && listed(s.Config, plain[0]+"/"+plain[1]):
		n = 2
	case len(plain) > 0 && listed(s.Config, plain[0]):
		n = 1
	default:
		return ""
	}
	sub, rest := strings.Join(plain[:n], " "), plain[n:]
	removes = removes || listed("unset remove rm", plain[n-1])
	switch {
	case n == 1 && !removes && len(rest) < 2:
		return "" // it shows the setting
	case len(rest) == 0, len(rest) == 1 && !removes: // an option or its input names them
		return sub + " changes settings that the command does not name"
	}
	key, value := keyOf(rest[0]), strings.Join(rest[1:], " ")
	switch {
	case strings.ContainsRune(key, facts.Hole):
		return sub + " changes a setting that is known only at run time"
	case s.Wires != "" && leadsTo(key, s.Wires):
		return sub + " changes " + key + ", which has checkrein's hooks"
	}
	for i := range hosts.Files {
		if f := (*File)(&hosts.Files[i]); f.Host == s.Host {
			if why := f.sets(key, value, removes); why != "" {
				return sub + " " + why
			}
		}
	}
	return ""
}

// keyOf returns a key with dots for brackets: plugins["enabled"].
func keyOf(text string) string {
	return strings.NewReplacer("[", ".", "]", "", `"`, "", "'", "").Replace(text)
}

// leadsTo reports whether a key is another, or one of the two lies in the other.
func leadsTo(key, other string) bool {
	a, b := strings.Split(key, "."), strings.Split(other, ".")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] && b[i] != "*" {
			return false
		}
	}
	return true
}

// without finds a subcommand that asks no hooks.
func (s *Start) without(words []string) string {
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
	if second != "" && listed(s.Without, first+"/"+second) {
		return first + " " + second
	}
	return ""
}

// steered reports whether a member of an object of variables bends hosts or checkrein.
func steered(path string, v rawjson.Value) bool {
	text := v.String()
	return text != "" && text != "null" && Steer(path[strings.LastIndexByte(path, '.')+1:], text) != ""
}

func listed(list, word string) bool {
	for one := range strings.FieldsSeq(list) {
		if one == word {
			return true
		}
	}
	return false
}
