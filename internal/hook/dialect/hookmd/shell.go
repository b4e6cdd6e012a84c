package hookmd

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// maxScript is the maximum size of a script that is copied.
const maxScript = 1 << 20

// newScript returns a script for scripts/ that does what h does. The script has no name if there is
// nothing to write. It returns false if h has no valid command.
func (w *writer) newScript(h *checkrein.Hook) (hookfile.Document, bool) {
	if folder := hookFolder(h); folder != "" {
		return w.copyScript(h, folder), true
	}
	command := shellCommand(h)
	if command == "" {
		w.addLoss(h, "hook", "the hook has no command", "")
		return hookfile.Document{}, false
	}
	place, err := environ.ReadPlace(h.With)
	if err != nil {
		w.addLoss(h, "hook", err.Error(), "")
		return hookfile.Document{}, false
	}
	if place.Dir != "" {
		w.addLoss(h, "working_dir", "scripts run in the directory of the session", "cd in the command")
	}
	if len(place.Env) > 0 {
		w.addLoss(h, "env", "the format sets no variables", "set them in the command")
	}
	return hookfile.Document{Name: "run.sh", Data: []byte("#!/bin/sh\n" + command)}, true
}

// copyScript returns a copy of the script in folder. If that fails, it records a loss and returns a
// document without a name.
func (w *writer) copyScript(h *checkrein.Hook, folder string) hookfile.Document {
	argv, err := Script(folder)
	if err != nil {
		w.addLoss(h, "script", err.Error(), "")
		return hookfile.Document{}
	}
	path := argv[len(argv)-1]
	data, err := state.ReadRegular(path, maxScript)
	if err != nil {
		w.addLoss(h, "script", err.Error(), "copy the script yourself")
		return hookfile.Document{}
	}
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) > 1 {
		w.addLoss(h, "script", "only "+filepath.Base(path)+" was copied from "+filepath.Dir(path), "copy the other files it needs")
	}
	return hookfile.Document{Name: filepath.Base(path), Data: data}
}

// shellCommand returns the command of h as lines of a shell script, or "" if it has none.
func shellCommand(h *checkrein.Hook) string {
	val, _ := rawjson.Get(h.With, "command")
	if s, ok := rawjson.Text(val); ok && strings.TrimSpace(s) != "" {
		return strings.TrimRight(s, "\n") + "\n"
	}
	var words []string
	argv, _ := rawjson.Get(h.With, "argv")
	rawjson.Elements(argv, func(_ int, e []byte) bool {
		s, _ := rawjson.Text(e)
		words = append(words, quoteWord(s))
		return true
	})
	if len(words) == 0 || words[0] == "''" {
		return ""
	}
	return "exec " + strings.Join(words, " ") + "\n"
}

// quoteWord returns s as a quoted shell word.
func quoteWord(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
