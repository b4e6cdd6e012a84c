package study

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/hook/match"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/sys/nolink"
)

// OwnPrograms are the programs that hosts call, and the one that gets the keys of models,
// when we are one of them.
func OwnPrograms(program string) []string {
	ext := filepath.Ext(program)
	if base := strings.TrimSuffix(filepath.Base(program), ext); base != "checkrein" && base != "checkreind" {
		return nil
	}
	dir := filepath.Dir(RealPath(program, true))
	return []string{filepath.Join(dir, "checkrein"+ext), filepath.Join(dir, "checkreind"+ext), filepath.Join(dir, "checkrein-models"+ext)}
}

func OfProcess(path, dir string) string {
	rest, ok := strings.CutPrefix(path, "/proc/")
	if !ok {
		return path
	}
	_, rest, _ = strings.Cut(rest, "/")
	if i := strings.Index(rest, "cwd/"); i == 0 || i > 0 && strings.HasPrefix(rest, "task/") {
		return dir + "/" + rest[i+len("cwd/"):]
	}
	if i := strings.Index(rest, "root/"); i == 0 || i > 0 && strings.HasPrefix(rest, "task/") {
		return "/" + rest[i+len("root/"):]
	}
	return path
}

// Leads is where a full path leads in the end, for a call that runs in dir.
func Leads(path, dir string) string { return RealPath(OfProcess(filepath.FromSlash(path), dir), true) }

func InDir(path, dir string) bool {
	rest, ok := strings.CutPrefix(path, dir)
	return ok && (rest == "" || os.IsPathSeparator(rest[0]) || dir != "" && os.IsPathSeparator(dir[len(dir)-1]))
}

// maxLinks is how many links are followed, as systems do.
const maxLinks = 40

// RealPath goes along the links in an absolute path, also to what is not there
// yet. Follow says whether a link at its end counts.
func RealPath(path string, follow bool) string {
	if !filepath.IsAbs(path) {
		return path
	}
	// What a path has twice, or a dot for, leads nowhere else; a dot at its end follows
	// the link before it.
	if clean := filepath.Clean(path); !GoesUp(path) && (follow && nolink.Path(clean) || !follow && !strings.HasSuffix(path, ".") && nolink.Way(clean)) {
		return clean
	}
	root := filepath.VolumeName(path) + string(filepath.Separator)
	return realBelow(root, path[len(root):], follow)
}

// GoesUp reports whether a path has a part that leads to the directory above.
func GoesUp(path string) bool {
	for at := 0; ; {
		i := strings.Index(path[at:], "..")
		if i < 0 {
			return false
		}
		at += i
		if (at == 0 || os.IsPathSeparator(path[at-1])) && (at+2 == len(path) || os.IsPathSeparator(path[at+2])) {
			return true
		}
		at++
	}
}

// realBelow is RealPath for what lies below a directory that is known to be without
// links.
func realBelow(done, path string, follow bool) string {
	rest := strings.FieldsFunc(path, func(r rune) bool { return r < 128 && os.IsPathSeparator(uint8(r)) })
	for links := 0; len(rest) > 0; {
		part := rest[0]
		rest = rest[1:]
		switch part {
		case ".":
			continue
		case "..":
			done = filepath.Dir(done)
			continue
		}
		next := filepath.Join(done, part)
		to, err := "", os.ErrNotExist
		if len(rest) > 0 || follow {
			to, err = os.Readlink(next)
		}
		if err != nil {
			done = next
			continue
		}
		if links++; links > maxLinks {
			return filepath.Join(next, filepath.Join(rest...))
		}
		if filepath.IsAbs(to) {
			done = filepath.VolumeName(to) + string(filepath.Separator)
			to = to[len(filepath.VolumeName(to)):]
		}
		rest = append(strings.FieldsFunc(to, func(r rune) bool { return r < 128 && os.IsPathSeparator(uint8(r)) }), rest...)
	}
	return done
}

// maxScript is how long a script may be that is read: longer ones are programs
// that somebody made.
const maxScript = 64 << 10

// ReadScript returns the text of a script that a command may run.
func ReadScript(path string) (string, bool) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxScript {
		return "", false
	}
	text, err := os.ReadFile(path)
	if err != nil || len(text) > maxScript || slices.Contains(text, 0) {
		return "", false
	}
	return string(text), true
}

// MaxSettings bounds what is read of a host's file.
const MaxSettings = 4 << 20

// ReadBounded returns what a file holds; nil = there is none. It reports false for one that
// cannot be read or is too big: it may hold anything.
func ReadBounded(path string) ([]byte, bool) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, !errors.Is(err, fs.ErrPermission)
	case info.IsDir(), info.Mode()&fs.ModeCharDevice != 0:
		return nil, true
	case !info.Mode().IsRegular(), info.Size() > MaxSettings:
		return nil, false
	}
	text, err := os.ReadFile(path)
	if err != nil || len(text) > MaxSettings {
		return nil, errors.Is(err, fs.ErrNotExist)
	}
	if text == nil {
		text = []byte{}
	}
	return text, true
}

// Within reports whether a path fits a pattern; relative ones are the project's.
func Within(pattern, path string, p *shell.Place) bool {
	return match.MatchPathGlob(FromRoot(pattern, p), FromRoot(path, p))
}

func FromRoot(path string, p *shell.Place) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok && p.Home != "" {
		return filepath.Join(p.Home, rest)
	}
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	base := p.Root
	if base == "" {
		base = p.Dir
	}
	return filepath.Join(base, path)
}

func FromDir(path string, p *shell.Place) string {
	if path == "~" || strings.HasPrefix(path, "~/") {
		path = p.Home + path[1:]
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(p.Dir, path)
	}
	return RealPath(path, false)
}

// ThroughLinks is [shell.Place.Real].
func ThroughLinks(path string) string { return RealPath(path, false) }
