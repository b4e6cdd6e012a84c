package study

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/shell"
)

// A Touch describes what a call does to an object, as digests. It serves to recognise other calls that
// do the same to that object, to a directory that contains it, or to something in it, without storing
// names.
type Touch struct {
	Class string   `json:"class"`           // loses, sends, reads, or a category
	At    []string `json:"at"`              // digests of the objects
	Under []string `json:"under,omitempty"` // digests of the directories that contain them
	Whole bool     `json:"whole,omitempty"` // harmless by itself: counts only if it removes a denied object as a whole
}

// Repeats reports whether t does the same as denied to the same object, to a directory that contains
// it, or to something in it.
func (t *Touch) Repeats(denied *Touch) bool {
	if t.Class != denied.Class {
		return false
	}
	meet := func(a, b []string) bool {
		return slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
	}
	return meet(t.At, denied.At) || meet(t.At, denied.Under) || !t.Whole && meet(t.Under, denied.At)
}

// maxTouched limits the number of touches, and of paths in each, of one call.
const maxTouched = 64

// Touches returns what the call of ev does, and to which objects. It omits harmless effects unless
// they remove, move or overwrite something.
func Touches(ev *checkrein.Event, at CallEnv) []Touch {
	if ev.Tool == nil {
		return nil
	}
	all, _ := JudgeAll(ev, at, nil)
	var out []Touch
	for i := range all {
		for k := range all[i].Report.Effects {
			if t, ok := newTouch(&all[i].Report.Effects[k], &all[i].Place); ok && len(out) < maxTouched {
				out = append(out, t)
			}
		}
	}
	return out
}

// newTouch returns the Touch of the effect e, or false if e does not count.
func newTouch(e *shell.Effect, p *shell.Place) (Touch, bool) {
	paths := e.Paths
	if len(paths) == 0 && e.Row().Pack == shell.PackGit && e.Kind == "delete" {
		paths = gitCleanDirs(e.Words)
	}
	var t Touch
	switch {
	case e.Label == shell.Safe && e.Kind != "delete" && e.Kind != "move" && e.Kind != "overwrite":
		return t, false
	case e.Label == shell.Exfiltration:
		t.Class = "sends"
	case e.Kind == "read":
		t.Class = "reads"
	case e.Row().Pack == shell.PackPermissions:
		t.Class = "rights"
	case len(paths) > 0:
		t.Class = "loses"
	default:
		t.Class = e.Row().Name
	}
	t.Whole = e.Label == shell.Safe
	for _, path := range paths[:min(len(paths), maxTouched)] {
		t.addPath(path, e, p)
	}
	for _, host := range e.Hosts {
		t.At = append(t.At, touchDigest("host", strings.TrimSuffix(strings.ToLower(host), ".")))
	}
	if e.Subject != "" {
		t.At = append(t.At, touchDigest("on", e.Subject))
	}
	if len(e.Paths)+len(e.Hosts) == 0 {
		t.At = append(t.At, touchDigest("words", dropFlags(e.Words)))
	}
	return t, true
}

// dropFlags returns the words of a call without options, and with slashes replaced by spaces, so that
// pod/x equals pod x.
func dropFlags(words string) string {
	var out []string
	for _, w := range strings.Fields(strings.ReplaceAll(words, "/", " ")) {
		if !strings.HasPrefix(w, "-") {
			out = append(out, w)
		}
	}
	return strings.Join(out, " ")
}

// addPath adds a path of the effect e, with the target of a symlink and the matches of a pattern.
func (t *Touch) addPath(path string, e *shell.Effect, p *shell.Place) {
	if strings.ContainsRune(path, shell.Placeholder) {
		return // the path is unknown
	}
	for strings.HasSuffix(path, "/*") || strings.HasSuffix(path, "/.") || strings.HasSuffix(path, "/**") {
		path = path[:strings.LastIndexByte(path, '/')] // the path stands for everything in the directory
	}
	switch path {
	case "":
		path = "/"
	case "*":
		path = "."
	}
	list := []string{path}
	if strings.ContainsAny(path, "*?[") {
		found, _ := filepath.Glob(AbsFromDir(path, p))
		list = append(list, found[:min(len(found), maxTouched)]...)
	}
	for _, one := range list {
		full := AbsFromDir(one, p)
		t.addAbs(full)
		if program, _, _ := strings.Cut(e.Words, " "); program != "rm" && program != "unlink" { // rm and unlink remove the symlink itself
			if to := RealPath(full, true); to != full {
				t.addAbs(to)
			}
		}
	}
}

// addAbs adds the absolute path full and the directories that contain it.
func (t *Touch) addAbs(full string) {
	if s := touchDigest("path", full); !slices.Contains(t.At, s) {
		t.At = append(t.At, s)
	}
	for dir := filepath.Dir(full); ; dir = filepath.Dir(dir) {
		if s := touchDigest("path", dir); !slices.Contains(t.Under, s) && dir != full {
			t.Under = append(t.Under, s)
		}
		if dir == filepath.Dir(dir) {
			return
		}
	}
}

// gitCleanDirs returns the directories that a git clean command names or, if it names none, the one in
// which it runs. It returns nil for other commands.
func gitCleanDirs(words string) []string {
	fields := strings.Fields(words)
	at := slices.Index(fields, "clean")
	if at < 0 {
		return nil
	}
	base := "."
	for i := 1; i+1 < at; i++ {
		if fields[i] == "-C" {
			base = filepath.Join(base, fields[i+1])
		}
	}
	var out []string
	for i := at + 1; i < len(fields); i++ {
		switch w := fields[i]; {
		case w == "-e" || w == "--exclude":
			i++
		case !strings.HasPrefix(w, "-"):
			if !filepath.IsAbs(w) {
				w = filepath.Join(base, w)
			}
			out = append(out, w)
		}
	}
	if out == nil {
		return []string{base}
	}
	return out
}

// touchDigest returns a digest of text as an object of the kind what.
func touchDigest(what, text string) string {
	sum := sha256.Sum256([]byte(what + "\x00" + text))
	return hex.EncodeToString(sum[:6])
}
