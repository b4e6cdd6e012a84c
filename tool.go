package checkrein

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// ArgKey returns the key under which the call's input holds the argument that
// name means, whichever host's word name is. It is name itself when the input
// has that key, or has none that means the same. A null is not there.
func (t *Tool) ArgKey(name string) string {
	if t.has(name) {
		return name
	}
	if own := tools.CanonicalName(name); own != name && t.has(own) {
		return own
	}
	key := name
	rawjson.EachRaw(t.Input, func(k, v []byte) bool {
		if rawjson.Kind(v) == 'n' || !tools.IsSynonym(k, name) {
			return true
		}
		key = string(k)
		return false
	})
	return key
}

func (t *Tool) has(key string) bool {
	v, ok := rawjson.Get(t.Input, key)
	return ok && rawjson.Kind(v) != 'n'
}

// Arg returns the argument that name means, in whichever host's words.
func (t *Tool) Arg(name string) ([]byte, bool) {
	return rawjson.Get(t.Input, t.ArgKey(name))
}

// Command returns the command line that a call runs, "" when it runs none. A call
// that has several, under the words of several hosts, gets them all, a line
// each; who judges them one by one asks for Commands.
func (t *Tool) Command() string { return strings.Join(t.Commands(), "\n") }

// Commands returns the command lines among a call's arguments, whatever the tool
// is called: one, unless it has different ones under the words of several hosts.
// Which of them runs is then for the host to know; to judge only one would let the
// others pass. A list of words, as some hosts send a command, is quoted.
func (t *Tool) Commands() []string {
	return t.texts(tools.Command | tools.Argv)
}

// texts returns the different texts of a call's arguments in some roles.
func (t *Tool) texts(roles tools.Role) []string {
	return tools.Texts(t.Name, t.Canonical, t.Input, roles, nil)
}

// Paths returns the files that the call's arguments name, as written.
func (t *Tool) Paths() []string { return t.texts(tools.Paths) }

// WrittenTexts returns the texts that a call puts into files; nil for calls that write none. What a
// shell command writes is not known.
func (t *Tool) WrittenTexts() []string { return t.texts(tools.Content) }
