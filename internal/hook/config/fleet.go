package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Names in the administrator's directory of a machine that belongs to a fleet, or in the user's if it joined
// without root. The service that fetches
// bundles unpacks each into a directory of its own below FleetBundles, and points the symlinks to them.
const (
	FleetDir     = "fleet"       // holds all of them
	FleetBundles = "bundles"     // of unpacked bundles, by the digest of their archives
	FleetActive  = "active"      // a symlink to the bundle that is enforced
	FleetTrial   = "trial"       // a symlink to one that is in shadow mode, or missing
	FleetFreeze  = "freeze.yaml" // denies tools for a time, or missing
	BundleHooks  = "hooks"       // in a bundle: the directory of its HOOK.md folders
	BundleNote   = "bundle.json" // in a bundle: its name and version
)

// addFleetFiles appends the files that a fleet's administrator distributes to dir: the managed directory,
// or the user's if the machine joined without root. Then they are advisory: they count like the user's own
// files, and no bundle is on trial, because an own file in shadow mode needs the user's consent.
//
// The symlinks are resolved here, so that all files are of the same bundle even if another one becomes
// active meanwhile. On a machine without a fleet, it makes one system call.
func addFleetFiles(out []candidate, dir string, scope checkrein.Scope) []candidate {
	dir = filepath.Join(dir, FleetDir)
	if state.IsAbsent(dir) {
		return out
	}
	out = addBundle(out, dir, FleetActive, scope)
	if from := len(out); scope == checkrein.ScopeManaged {
		out = addBundle(out, dir, FleetTrial, scope)
		for i := range out[from:] {
			out[from+i].trial = true
		}
	}
	return addFile(out, filepath.Join(dir, FleetFreeze), scope)
}

// addBundle appends the files of the bundle to which the symlink name in dir points, if there is one.
func addBundle(out []candidate, dir, name string, scope checkrein.Scope) []candidate {
	target, err := os.Readlink(filepath.Join(dir, name))
	bundle := filepath.Join(dir, target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return out
	case err == nil && target != filepath.Join(FleetBundles, filepath.Base(target)):
		err = fmt.Errorf("it points to %s, which is not a bundle", target)
	case err == nil && state.IsAbsent(bundle):
		err = fmt.Errorf("it points to %s, which is missing", target)
	}
	if err != nil {
		return append(out, candidate{path: filepath.Join(dir, name), scope: scope, err: err})
	}
	return addBundleFiles(out, bundle, scope)
}

// addBundleFiles appends the files of the bundle that was unpacked to dir.
func addBundleFiles(out []candidate, dir string, scope checkrein.Scope) []candidate {
	out = addConfigDir(out, dir, scope)
	return append(out, hookFolders(filepath.Join(dir, BundleHooks), scope)...)
}

// BundleFiles returns the files that are loaded from the bundle that was unpacked to dir.
func BundleFiles(dir string) ([]string, error) {
	var files []string
	var errs []error
	for _, c := range addBundleFiles(nil, dir, checkrein.ScopeManaged) {
		files = append(files, c.path)
		errs = append(errs, c.err)
	}
	return files, errors.Join(errs...)
}

// FleetAdministrator returns who can correct a file of a fleet, such as "your organization's
// administrator, fleet bundle base 7,", for a sentence that goes on, or "" if file is of no fleet.
func FleetAdministrator(file string) string {
	const sep, who = string(filepath.Separator), "your organization's administrator"
	before, rest, ok := strings.Cut(file, sep+FleetDir+sep)
	if !ok {
		return ""
	}
	id, isBundle := strings.CutPrefix(rest, FleetBundles+sep)
	if !isBundle {
		return who
	}
	id, _, _ = strings.Cut(id, sep)
	note, err := state.ReadRegular(filepath.Join(before, FleetDir, FleetBundles, id, BundleNote), maxBundleNote)
	quoted, _ := rawjson.Get(note, "name")
	name, ok := rawjson.Text(quoted)
	version, _ := rawjson.Get(note, "version")
	if err != nil || !ok {
		return who + ", fleet bundle " + id + ","
	}
	return who + ", fleet bundle " + name + " " + string(version) + ","
}

// maxBundleNote limits the size of BundleNote.
const maxBundleNote = 4 << 10
