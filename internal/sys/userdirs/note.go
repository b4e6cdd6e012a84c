package userdirs

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

const (
	noteName = "installed.json"
	maxNote  = 64 << 10
)

// noteDir returns the directory of the note, which is always the same place in the home directory,
// wherever the user's state is.
func noteDir(home string) state.Dir {
	return state.NewDir(filepath.Join(home, ".local", "state", "checkrein"))
}

// ReadNote returns the user's configuration and state directories from the note that `install` left in
// home, the account's home directory. It reports false if there is none.
func ReadNote(home string) (config, dir string, ok bool) {
	if home == "" {
		return "", "", false
	}
	at := noteDir(home)
	text, err := at.Read(noteName, maxNote)
	if err != nil {
		// Versions that wrote no note left a record of each host in the default place.
		if names, _ := at.Names("install"); len(names) > 0 {
			return filepath.Join(home, ".config", "checkrein"), at.Path(), true
		}
		return "", "", false
	}
	config, dir = rawjson.GetText(text, "config"), rawjson.GetText(text, "state")
	return config, dir, filepath.IsAbs(config) && filepath.IsAbs(dir)
}

// WriteNote records the configuration directory config and the state directory dir of an installation
// if home is the account's home directory. It does nothing otherwise, so that a temporary home
// directory leaves no trace elsewhere.
func WriteNote(home, config, dir string) error {
	if !isAccountHome(home) {
		return nil
	}
	text := rawjson.Object{'{'}
	text.Text("config", config)
	text.Text("state", dir)
	text.Close()
	return noteDir(home).Write(noteName, append(text, '\n'))
}

// RemoveNote removes the note if home is the account's home directory.
func RemoveNote(home string) error {
	if !isAccountHome(home) {
		return nil
	}
	return noteDir(home).Remove(noteName)
}

// NoteDir returns the directory for notes that programs other than checkrein read, and reports whether
// home is the account's home directory. Unlike the state directory, variables do not change it.
func NoteDir(home string) (state.Dir, bool) {
	return noteDir(home), isAccountHome(home)
}

// AccountScript returns POSIX shell code that sets $account to the account's home directory, or to "".
// A shell looks up ~name in the system's record, whatever HOME is.
func AccountScript() string {
	if account != "" {
		return "account='" + strings.ReplaceAll(account, "'", `'\''`) + "'\n"
	}
	return `account=
for id in /usr/bin/id /bin/id id; do
	name=$("$id" -un 2>/dev/null) && break
done
case $name in
"" | [!A-Za-z0-9_]* | *[!A-Za-z0-9._-]*) ;;
*) eval "account=~$name" ;;
esac
`
}

// isAccountHome reports whether home is the account's home directory.
func isAccountHome(home string) bool {
	own := AccountHome()
	if own == "" || home == "" {
		return false
	}
	a, err := os.Stat(home)
	if err != nil {
		return false
	}
	b, err := os.Stat(own)
	return err == nil && os.SameFile(a, b)
}
