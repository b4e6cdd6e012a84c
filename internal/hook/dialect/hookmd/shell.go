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

// maxScript bounds a script that is copied.
const maxScript = 1 << 20

// script returns the file of scripts/ that does what the hook does, without a
// name when there is none to write. False means that the hook runs nothing.
func (w *writer) script(h *checkrein.Hook) (hookfile.Document, bool) {
	if folder := folderOf(h); folder != "" {
		return w.copied(h, folder), true
	}
	command := commandOf(h)
	if command == "" {
		w.lose(h, "hook", "the hook has no command", "")
		return hookfile.Document{}, false
	}
	place, err := environ.Read(h.With)
	if err != nil {
		w.lose(h, "hook", err.Error(), "")
		return hookfile.Document{}, false
	}
	if place.Dir != "" {
		w.lose(h, "working_dir", "scripts run in the directory of the session", "cd in the command")
	}
	if len(place.Env) > 0 {
		w.lose(h, "env", "the format sets no variables", "set them in the command")
	}
	return hookfile.Document{Name: "run.sh", Data: []byte("#!/bin/sh\n" + command)}, true
}

// copied returns the script of a folder.
func (w *writer) copied(h *checkrein.Hook, folder string) hookfile.Document {
	argv, err := Script(folder)
	if err != nil {
		w.lose(h, "script", err.Error(), "")
		return hookfile.Document{}
	}
	path := argv[len(argv)-1]
	data, err := state.ReadRegular(path, maxScript)
	if err != nil {
		w.lose(h, "script", err.Error(), "copy the script yourself")
		return hookfile.Document{}
	}
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) > 1 {
		w.lose(h, "script", "only "+filepath.Base(path)+" was copied from "+filepath.Dir(path), "copy the other files it needs")
	}
	return hookfile.Document{Name: filepath.Base(path), Data: data}
}

// commandOf returns what a hook runs, as lines of a shell script, "" when it
// runs nothing.
func commandOf(h *checkrein.Hook) string {
	val, _ := rawjson.Get(h.With, "command")
	if s, ok := rawjson.Text(val); ok && strings.TrimSpace(s) != "" {
		return strings.TrimRight(s, "\n") + "\n"
	}
	var words []string
	argv, _ := rawjson.Get(h.With, "argv")
	rawjson.Elements(argv, func(_ int, e []byte) bool {
		s, _ := rawjson.Text(e)
		words = append(words, single(s))
		return true
	})
	if len(words) == 0 || words[0] == "''" {
		return ""
	}
	return "exec " + strings.Join(words, " ") + "\n"
}

// single writes a text as a shell word that means itself.
func single(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
