package app

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/checkrein/checkrein"
)

const (
	// spillFolder holds outputs that were too large to show, in a folder for each session.
	spillFolder = "results"
	// spillTTL is how long outputs are kept if their session never ends.
	spillTTL = 48 * time.Hour
)

// noSession is the folder for outputs that do not belong to a session.
const noSession = "unknown"

// spill saves text, an output in the session of ev, in a private file, and returns its path.
func (k *Kit) spill(ev *checkrein.Event, text string) (string, error) {
	k.removeOldSpills()
	for _, dir := range [...]string{k.state.Path(spillFolder), k.state.Path(spillFolder, k.spillFolderName(ev))} {
		if info, err := os.Lstat(dir); err == nil && !info.IsDir() {
			return "", fmt.Errorf("saving a large output: %s is not a folder: move it out of the way", dir)
		}
	}
	// Only checkrein writes into the folder, so the name need not be hard to guess.
	id := strconv.FormatInt(k.now().UnixNano(), 36) + "-" + strconv.Itoa(os.Getpid()) + "-" + strconv.FormatUint(k.spilled.Add(1), 36)
	name := spillFolder + "/" + k.spillFolderName(ev) + "/" + id + ".txt"
	if err := k.state.Write(name, []byte(text)); err != nil {
		return "", fmt.Errorf("saving a large output: %w", err)
	}
	return k.state.Path(filepath.FromSlash(name)), nil
}

// removeSpills removes the saved outputs of the session of ev. Outputs that do not belong to a session
// expire, since they may come from several.
func (k *Kit) removeSpills(ev *checkrein.Event) error {
	if ev.Session.ID == "" || k.standing.foreign || !isFolder(k.state.Path(spillFolder)) {
		return nil
	}
	return os.RemoveAll(k.state.Path(spillFolder, k.spillFolderName(ev)))
}

// spillFolderName returns the name of the folder for the session of ev.
func (k *Kit) spillFolderName(ev *checkrein.Event) string {
	if ev.Session.ID == "" || k.standing.foreign {
		return noSession
	}
	return shortDigest(sessionKey(ev.Host, ev.Session.ID))
}

// removeOldSpills removes the outputs of sessions that never ended. It removes only what has the name
// of a spill, and follows no symlinks, so that a planted symlink cannot make it remove other files.
func (k *Kit) removeOldSpills() {
	folder := k.state.Path(spillFolder)
	if !isFolder(folder) {
		return
	}
	for _, name := range k.oldEntries(folder) {
		if isSpillName(name) {
			os.RemoveAll(filepath.Join(folder, name))
		}
	}
	folder = filepath.Join(folder, noSession)
	for _, name := range k.oldEntries(folder) {
		if filepath.Ext(name) == ".txt" {
			os.Remove(filepath.Join(folder, name))
		}
	}
}

// oldEntries returns the names in folder that are older than spillTTL.
func (k *Kit) oldEntries(folder string) []string {
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

// isFolder reports whether path is a directory rather than a symlink to one.
func isFolder(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

// isSpillName reports whether name has the form of the name of a session's folder.
func isSpillName(name string) bool {
	for _, c := range []byte(name) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return len(name) == 16
}
