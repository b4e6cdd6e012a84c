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

// OwnPrograms returns the paths of checkrein's programs next to program, including the one that holds
// the keys of models. It returns nil if program is not itself checkrein or checkreind.
func OwnPrograms(program string) []string {
	ext := filepath.Ext(program)
	if base := strings.TrimSuffix(filepath.Base(program), ext); base != "checkrein" && base != "checkreind" {
		return nil
	}
	dir := filepath.Dir(RealPath(program, true))
	return []string{filepath.Join(dir, "checkrein"+ext), filepath.Join(dir, "checkreind"+ext), filepath.Join(dir, "checkrein-shell"+ext), filepath.Join(dir, "checkrein-models"+ext)}
}

// ResolveProc resolves a path through /proc/PID/cwd or /proc/PID/root, for a call that runs in dir. It
// returns other paths unchanged.
func ResolveProc(path, dir string) string {
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

// ResolvePath returns the absolute path with all symlinks resolved, for a call that runs in dir.
func ResolvePath(path, dir string) string {
	return RealPath(ResolveProc(filepath.FromSlash(path), dir), true)
}

// InDir reports whether path is dir or below it.
func InDir(path, dir string) bool {
	rest, ok := strings.CutPrefix(path, dir)
	return ok && (rest == "" || os.IsPathSeparator(rest[0]) || dir != "" && os.IsPathSeparator(dir[len(dir)-1]))
}

// maxLinks is the maximum number of symlinks that are followed in a path, as on common systems.
const maxLinks = 40

// RealPath resolves the symlinks in an absolute path, which need not exist. If follow is set, it also
// resolves a symlink at the end. It returns a relative path unchanged.
func RealPath(path string, follow bool) string {
	if !filepath.IsAbs(path) {
		return path
	}
	// Repeated separators and dots have no effect, except that a dot at the end follows the symlink
	// before it.
	if clean := filepath.Clean(path); !HasDotDot(path) && (follow && nolink.HasNoLink(clean) || !follow && !strings.HasSuffix(path, ".") && nolink.ParentHasNoLink(clean)) {
		return clean
	}
	volume := filepath.VolumeName(path) // it may be all of path, as of \\host and of the //c in "cmd //c"
	return resolveBelow(volume+string(filepath.Separator), path[len(volume):], follow)
}

// HasDotDot reports whether path has the element "..".
func HasDotDot(path string) bool {
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

// resolveBelow is RealPath for path below the directory done, which has no symlinks.
func resolveBelow(done, path string, follow bool) string {
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

// maxScript is the maximum size of scripts that are read. Longer files are usually generated.
const maxScript = 64 << 10

// ReadScript returns the text of the script path. It returns false if the file cannot be read, is not
// a text file, or is larger than maxScript.
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

// MaxSettings is the maximum size of settings files that are read.
const MaxSettings = 4 << 20

// ReadBounded returns the contents of the file path, or nil if it does not exist or is not a regular
// file. It returns false if the contents are unknown because the file cannot be read or is larger than
// MaxSettings.
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

// MatchesGlob reports whether path matches pattern. Both may be relative to the project's root.
func MatchesGlob(pattern, path string, p *shell.Place) bool {
	return match.MatchPathGlob(AbsFromRoot(pattern, p), AbsFromRoot(path, p))
}

// AbsFromRoot returns path as a clean absolute path. A relative path is relative to the project's root
// or, without one, to the working directory.
func AbsFromRoot(path string, p *shell.Place) string {
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

// AbsFromDir returns path as an absolute path, with symlinks resolved except at its end. A relative
// path is relative to the working directory.
func AbsFromDir(path string, p *shell.Place) string {
	if path == "~" || strings.HasPrefix(path, "~/") {
		path = p.Home + path[1:]
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(p.Dir, path)
	}
	return RealPath(path, false)
}

// ResolveParents resolves the symlinks in a path except at its end; see [shell.Place.Real].
func ResolveParents(path string) string { return RealPath(path, false) }
