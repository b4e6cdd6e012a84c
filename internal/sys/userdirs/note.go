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

// noted is the directory of the note: always the same place below the home, wherever
// the person's state lies.
func noted(home string) state.Dir {
	return state.At(filepath.Join(home, ".local", "state", "checkrein"))
}

// Noted is where the person's directories lie, by the note that `install` left below
// the home of the user id.
func Noted(home string) (config, dir string, ok bool) {
	if home == "" {
		return "", "", false
	}
	at := noted(home)
	text, err := at.Read(noteName, maxNote)
	if err != nil {
		// Versions without a note left a record of each host in the usual place.
		if names, _ := at.Names("install"); len(names) > 0 {
			return filepath.Join(home, ".config", "checkrein"), at.Path(), true
		}
		return "", "", false
	}
	config, dir = rawjson.GetText(text, "config"), rawjson.GetText(text, "state")
	return config, dir, filepath.IsAbs(config) && filepath.IsAbs(dir)
}

// Note notes an installation, if home, where the person works, is that of the user
// id; a throw-away home leaves no trace elsewhere.
func Note(home, config, dir string) error {
	if !isAccount(home) {
		return nil
	}
	text := rawjson.Object{'{'}
	text.Text("config", config)
	text.Text("state", dir)
	text.Close()
	return noted(home).Write(noteName, append(text, '\n'))
}

// Forget removes the note.
func Forget(home string) error {
	if !isAccount(home) {
		return nil
	}
	return noted(home).Remove(noteName)
}

// Beside is where notes lie that programs without us read, if home is that of the user
// id: variables do not move it, as they do the person's state.
func Beside(home string) (state.Dir, bool) {
	return noted(home), isAccount(home)
}

// Shell is what sets $account to the home of the user id in a POSIX shell, or leaves it
// empty. A shell asks the system's record for ~name, whatever HOME says.
func Shell() string {
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

func isAccount(home string) bool {
	own := Account()
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
