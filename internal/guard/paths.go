package guard

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

// ownPrograms are the programs that hosts call, and the one that gets the keys of models,
// when we are one of them.
func ownPrograms(program string) []string {
	ext := filepath.Ext(program)
	if base := strings.TrimSuffix(filepath.Base(program), ext); base != "checkrein" && base != "checkreind" {
		return nil
	}
	dir := filepath.Dir(realPath(program, true))
	return []string{filepath.Join(dir, "checkrein"+ext), filepath.Join(dir, "checkreind"+ext), filepath.Join(dir, "checkrein-models"+ext)}
}

func ofProcess(path, dir string) string {
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
func Leads(path, dir string) string { return realPath(ofProcess(filepath.FromSlash(path), dir), true) }

func inDir(path, dir string) bool {
	rest, ok := strings.CutPrefix(path, dir)
	return ok && (rest == "" || os.IsPathSeparator(rest[0]) || dir != "" && os.IsPathSeparator(dir[len(dir)-1]))
}

// maxLinks is how many links are followed, as systems do.
const maxLinks = 40

// realPath goes along the links in an absolute path, also to what is not there
// yet. Follow says whether a link at its end counts.
func realPath(path string, follow bool) string {
	if !filepath.IsAbs(path) {
		return path
	}
	// What a path has twice, or a dot for, leads nowhere else; a dot at its end follows
	// the link before it.
	if clean := filepath.Clean(path); !goesUp(path) && (follow && nolink.Path(clean) || !follow && !strings.HasSuffix(path, ".") && nolink.Way(clean)) {
		return clean
	}
	root := filepath.VolumeName(path) + string(filepath.Separator)
	return realBelow(root, path[len(root):], follow)
}

// goesUp reports whether a path has a part that leads to the directory above.
func goesUp(path string) bool {
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

// realBelow is realPath for what lies below a directory that is known to be without
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

// readScript returns the text of a script that a command may run.
func readScript(path string) (string, bool) {
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

// maxSettings bounds what is read of a host's file.
const maxSettings = 4 << 20

// readFile is what a file holds; nil = there is none. It reports false for one that
// cannot be read or is too big: it may hold anything.
func readFile(path string) ([]byte, bool) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, !errors.Is(err, fs.ErrPermission)
	case info.IsDir(), info.Mode()&fs.ModeCharDevice != 0:
		return nil, true
	case !info.Mode().IsRegular(), info.Size() > maxSettings:
		return nil, false
	}
	text, err := os.ReadFile(path)
	if err != nil || len(text) > maxSettings {
		return nil, errors.Is(err, fs.ErrNotExist)
	}
	if text == nil {
		text = []byte{}
	}
	return text, true
}

// within reports whether a path fits a pattern; relative ones are the project's.
func within(pattern, path string, p *shell.Place) bool {
	return match.PathGlob(absolute(pattern, p), absolute(path, p))
}

func absolute(path string, p *shell.Place) string {
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

func absoluteIn(path string, p *shell.Place) string {
	if path == "~" || strings.HasPrefix(path, "~/") {
		path = p.Home + path[1:]
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(p.Dir, path)
	}
	return realPath(path, false)
}

// throughLinks is [shell.Place.Real].
func throughLinks(path string) string { return realPath(path, false) }
