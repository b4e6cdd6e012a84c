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

// A Touch is what a call does to something, in digests: another way to do the same to
// it, or to what holds it or lies in it, is known again, and nothing is written down.
type Touch struct {
	Class string   `json:"class"`           // what is done: loses, sends, reads, or a category
	At    []string `json:"at"`              // what it is done to
	Under []string `json:"under,omitempty"` // the directories that hold it
	Whole bool     `json:"whole,omitempty"` // harmless by itself: it counts where it takes away all of the other
}

// Again reports whether a call does what was denied: to the same, to a directory that
// holds it, or to something in it.
func (t *Touch) Again(denied *Touch) bool {
	if t.Class != denied.Class {
		return false
	}
	meet := func(a, b []string) bool {
		return slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
	}
	return meet(t.At, denied.At) || meet(t.At, denied.Under) || !t.Whole && meet(t.Under, denied.At)
}

// maxTouched bounds what is looked at of one call.
const maxTouched = 64

// Touches are what a call does, and to what. Reads that nothing forbids are left out,
// and so are everyday steps, unless they take something away.
func Touches(ev *checkrein.Event, at Ground) []Touch {
	if ev.Tool == nil {
		return nil
	}
	all, _ := JudgeAll(ev, at, nil)
	var out []Touch
	for i := range all {
		for k := range all[i].Report.Effects {
			if t, ok := touchOf(&all[i].Report.Effects[k], &all[i].Place); ok && len(out) < maxTouched {
				out = append(out, t)
			}
		}
	}
	return out
}

func touchOf(e *shell.Effect, p *shell.Place) (Touch, bool) {
	paths := e.Paths
	if len(paths) == 0 && e.Row().Pack == shell.PackGit && e.Kind == "delete" {
		paths = cleaned(e.Words)
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
		t.path(path, e, p)
	}
	for _, host := range e.Hosts {
		t.At = append(t.At, touched("host", strings.TrimSuffix(strings.ToLower(host), ".")))
	}
	if e.On != "" {
		t.At = append(t.At, touched("on", e.On))
	}
	if len(e.Paths)+len(e.Hosts) == 0 {
		t.At = append(t.At, touched("words", plainWords(e.Words)))
	}
	return t, true
}

// plainWords are the words of a call without its flags, which say how: pod/x is pod x.
func plainWords(words string) string {
	var out []string
	for _, w := range strings.Fields(strings.ReplaceAll(words, "/", " ")) {
		if !strings.HasPrefix(w, "-") {
			out = append(out, w)
		}
	}
	return strings.Join(out, " ")
}

// path takes in a path as it is on disk: where it leads, and what a pattern finds.
func (t *Touch) path(path string, e *shell.Effect, p *shell.Place) {
	if strings.ContainsRune(path, shell.Hole) {
		return // only that path could say what it means
	}
	for strings.HasSuffix(path, "/*") || strings.HasSuffix(path, "/.") || strings.HasSuffix(path, "/**") {
		path = path[:strings.LastIndexByte(path, '/')] // all that is in it
	}
	switch path {
	case "":
		path = "/"
	case "*":
		path = "."
	}
	list := []string{path}
	if strings.ContainsAny(path, "*?[") {
		found, _ := filepath.Glob(FromDir(path, p))
		list = append(list, found[:min(len(found), maxTouched)]...)
	}
	for _, one := range list {
		full := FromDir(one, p)
		t.place(full)
		if program, _, _ := strings.Cut(e.Words, " "); program != "rm" && program != "unlink" { // which take away the link
			if to := RealPath(full, true); to != full {
				t.place(to)
			}
		}
	}
}

func (t *Touch) place(full string) {
	if s := touched("path", full); !slices.Contains(t.At, s) {
		t.At = append(t.At, s)
	}
	for dir := filepath.Dir(full); ; dir = filepath.Dir(dir) {
		if s := touched("path", dir); !slices.Contains(t.Under, s) && dir != full {
			t.Under = append(t.Under, s)
		}
		if dir == filepath.Dir(dir) {
			return
		}
	}
}

// cleaned are the directories that git clean is told to clean: without any the one in
// which it runs.
func cleaned(words string) []string {
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

func touched(what, text string) string {
	sum := sha256.Sum256([]byte(what + "\x00" + text))
	return hex.EncodeToString(sum[:6])
}
