package app

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/checkrein/checkrein"
)

// spillFolder holds what was too large to show, a folder for each session.
const (
	spillFolder = "results"
	spillTTL    = 48 * time.Hour // of sessions that never ended
)

// noSession is the folder of what came without a session.
const noSession = "unknown"

// spill keeps a text of a session in a private file and returns its path.
func (k *Kit) spill(ev *checkrein.Event, text string) (string, error) {
	k.dropSpills()
	for _, dir := range [...]string{k.state.Path(spillFolder), k.state.Path(spillFolder, k.spillName(ev))} {
		if info, err := os.Lstat(dir); err == nil && !info.IsDir() {
			return "", fmt.Errorf("saving a large output: %s is not a folder: move it out of the way", dir)
		}
	}
	// Nobody else writes into the folder, so a name need not be hard to guess.
	id := strconv.FormatInt(k.now().UnixNano(), 36) + "-" + strconv.Itoa(os.Getpid()) + "-" + strconv.FormatUint(k.spilled.Add(1), 36)
	name := spillFolder + "/" + k.spillName(ev) + "/" + id + ".txt"
	if err := k.state.Write(name, []byte(text)); err != nil {
		return "", fmt.Errorf("saving a large output: %w", err)
	}
	return k.state.Path(filepath.FromSlash(name)), nil
}

// unspill removes what was kept of a session. What has no session is left to
// time: it may be another's.
func (k *Kit) unspill(ev *checkrein.Event) error {
	if ev.Session.ID == "" || k.standing.foreign || !isFolder(k.state.Path(spillFolder)) {
		return nil
	}
	return os.RemoveAll(k.state.Path(spillFolder, k.spillName(ev)))
}

func (k *Kit) spillName(ev *checkrein.Event) string {
	if ev.Session.ID == "" || k.standing.foreign {
		return noSession
	}
	return digest(sessionKey(ev.Host, ev.Session.ID))
}

// dropSpills removes what sessions left behind that never ended. It touches
// nothing that is not named as spill names things, nor follows links: whoever
// can put one there must not get to say what is removed.
func (k *Kit) dropSpills() {
	folder := k.state.Path(spillFolder)
	if !isFolder(folder) {
		return
	}
	for _, name := range k.aged(folder) {
		if isSpillName(name) {
			os.RemoveAll(filepath.Join(folder, name))
		}
	}
	folder = filepath.Join(folder, noSession)
	for _, name := range k.aged(folder) {
		if filepath.Ext(name) == ".txt" {
			os.Remove(filepath.Join(folder, name))
		}
	}
}

// aged lists what in a folder of ours is older than a session lasts.
func (k *Kit) aged(folder string) []string {
	if !isFolder(folder) {
		return nil
	}
	entries, _ := os.ReadDir(folder)
	var names []string
	for _, e := range entries {
		if info, err := e.Info(); err == nil && k.now().Sub(info.ModTime()) > spillTTL {
			names = append(names, e.Name())
		}
	}
	return names
}

// isFolder reports whether path is a directory and no link to one.
func isFolder(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

// isSpillName reports whether a folder is named like that of a session.
func isSpillName(name string) bool {
	for _, c := range []byte(name) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return len(name) == 16
}
