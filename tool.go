package checkrein

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// ArgKey returns the key under which the call's input has the argument that any host calls name. It
// returns name itself if the input has that key, or has no synonym of it. A null counts as missing.
func (t *Tool) ArgKey(name string) string {
	if t.hasArg(name) {
		return name
	}
	if own := tools.CanonicalName(name); own != name && t.hasArg(own) {
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

// hasArg reports whether the input has key with a value other than null.
func (t *Tool) hasArg(key string) bool {
	v, ok := rawjson.Get(t.Input, key)
	return ok && rawjson.Kind(v) != 'n'
}

// Arg returns the argument that any host calls name, and whether there is one.
func (t *Tool) Arg(name string) ([]byte, bool) {
	return rawjson.Get(t.Input, t.ArgKey(name))
}

// Command returns the command line that a call runs, or "" if it runs none. If a call has several,
// under the names of several hosts, they are on separate lines; use Commands to judge them one by one.
func (t *Tool) Command() string { return strings.Join(t.Commands(), "\n") }

// Commands returns the command lines among a call's arguments, whatever the name of the tool. There is
// one, unless the call has different ones under the names of several hosts. The host decides which of
// them runs, so callers must judge all of them. A command that is sent as a list of words is quoted.
func (t *Tool) Commands() []string {
	return t.texts(tools.Command | tools.Argv)
}

// texts returns the distinct texts of the arguments that have one of the roles.
func (t *Tool) texts(roles tools.Role) []string {
	return tools.Texts(t.Name, t.Canonical, t.Input, roles, nil)
}

// Paths returns the paths of files in the call's arguments, as written.
func (t *Tool) Paths() []string { return t.texts(tools.Paths) }

// WrittenTexts returns the texts that a call writes to files, or nil if it writes none. It does not
// include what a shell command writes.
func (t *Tool) WrittenTexts() []string { return t.texts(tools.Content) }
