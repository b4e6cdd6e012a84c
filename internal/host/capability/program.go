package capability

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A Program is a host's executable file.
type Program struct {
	Path   string    `json:"path"` // as found in the PATH, possibly a symlink that updates change
	Size   int64     `json:"size"`
	MTime  time.Time `json:"mtime"`
	SHA256 string    `json:"sha256,omitempty"` // set in proofs only; SameBuild does not compare it
	// Version is the version according to the package or the path of the program; "" = unknown. It
	// detects an update that leaves a small launcher of a large program unchanged.
	Version string `json:"version,omitempty"`
}

// SameBuild reports whether p and o are the same build. Paths do not matter, because a file may have
// several names.
func (p *Program) SameBuild(o *Program) bool {
	return p.Size > 0 && p.Size == o.Size && p.MTime.Equal(o.MTime) && p.Version == o.Version
}

// InspectProgram describes the program at path without running it.
func InspectProgram(path string) (Program, error) {
	p := Program{Path: path}
	info, err := os.Stat(path)
	if err != nil {
		return p, err
	}
	if !info.Mode().IsRegular() {
		return p, fmt.Errorf("%s is %s, not a program", path, state.DescribeKind(info.Mode()))
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return p, err
	}
	p.Size, p.MTime, p.Version = info.Size(), info.ModTime().UTC(), versionAt(real)
	return p, nil
}

// HashProgram is InspectProgram with the digest of the program file.
func HashProgram(path string) (Program, error) {
	p, err := InspectProgram(path)
	if err != nil {
		return p, err
	}
	f, err := state.OpenRegular(path)
	if err != nil {
		return p, err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return p, err
	}
	p.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return p, nil
}

const (
	maxPackage = 256 << 10 // bytes of a package.json
	maxParents = 5         // how many parent directories are searched for the program's package.json
)

// versionAt returns the version in the package.json of the program at path, or else the one in the
// path, or "".
func versionAt(path string) string {
	dir := filepath.Dir(path)
	for range maxParents {
		if text, err := state.ReadRegular(filepath.Join(dir, "package.json"), maxPackage); err == nil && rawjson.Check(text) == nil {
			if v := rawjson.GetText(text, "version"); v != "" && rawjson.GetText(text, "name") != "" {
				return printableVersion(v)
			}
		}
		up := filepath.Dir(dir)
		if up == dir {
			break
		}
		dir = up
	}
	for rest := filepath.ToSlash(path); rest != ""; {
		at := strings.LastIndexByte(rest, '/')
		if part := rest[at+1:]; isVersion(part) {
			return part
		}
		rest = rest[:max(at, 0)]
	}
	return ""
}

// isVersion reports whether s consists of three numbers with dots, optionally followed by a hyphen and
// a suffix.
func isVersion(s string) bool {
	core, _, _ := strings.Cut(s, "-")
	parts := strings.Split(core, ".")
	for _, p := range parts {
		if p == "" || strings.Trim(p, "0123456789") != "" {
			return false
		}
	}
	return len(parts) == 3 && len(s) <= maxVersion
}

const maxVersion = 64

// printableVersion returns v, or "" if it is too long or not printable ASCII.
func printableVersion(v string) string {
	for i := range len(v) {
		if c := v[i]; c <= ' ' || c > '~' {
			return ""
		}
	}
	if len(v) > maxVersion {
		return ""
	}
	return v
}
