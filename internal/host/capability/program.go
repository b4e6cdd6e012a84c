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
	Path   string    `json:"path"` // as found in PATH: an update may change where the symlink leads
	Size   int64     `json:"size"`
	MTime  time.Time `json:"mtime"`
	SHA256 string    `json:"sha256,omitempty"` // set in proofs; not compared in real work
	// Version is what the files around it name, "" = none: an update may leave a small launcher of a
	// large program unchanged.
	Version string `json:"version,omitempty"`
}

// SameBuild reports whether two programs are the same build. Paths do not matter: a file may have
// several names.
func (p *Program) SameBuild(o *Program) bool {
	return p.Size > 0 && p.Size == o.Size && p.MTime.Equal(o.MTime) && p.Version == o.Version
}

// InspectProgram returns the program at a path without running it.
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

// HashProgram is InspectProgram with the digest of the file's content.
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
	maxPackage = 256 << 10 // of a package.json
	upwards    = 5         // how many parent directories may have the program's package.json
)

// versionAt returns the version that the package of a program names, or else its path.
func versionAt(path string) string {
	dir := filepath.Dir(path)
	for range upwards {
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

// isVersion reports whether a name is three numbers with dots, perhaps with a suffix.
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

// printableVersion returns a version, or "" if it is too long or not printable ASCII.
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
