package scan

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/checkrein/checkrein/internal/secret"
)

// Totals are what a scan looked at.
type Totals struct {
	Files   int   `json:"files"`
	Bytes   int64 `json:"bytes"`
	Binary  int   `json:"binary"`  // files that hold no text
	Skipped int   `json:"skipped"` // links, devices and the like
}

// Paths scans files, and directories with all that is in them but git's own
// folder; relative ones lie in dir. Findings name paths as they were given. Links
// are not followed. What cannot be read is an error, after the rest was scanned:
// a scan that missed something must not look clean.
func Paths(ctx context.Context, dir string, paths []string, want secret.Kind, report func(Finding)) (Totals, error) {
	var t Totals
	var errs []error
	for _, given := range paths {
		root := given
		if !filepath.IsAbs(root) {
			root = filepath.Join(dir, root)
		}
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case err != nil:
				errs = append(errs, err)
				return nil
			case d.IsDir() && d.Name() == ".git" && path != root:
				return fs.SkipDir
			case d.IsDir():
				return nil
			case !d.Type().IsRegular():
				t.Skipped++
				return nil
			}
			shown := filepath.ToSlash(filepath.Join(given, strings.TrimPrefix(path, root)))
			if err := t.file(path, shown, want, report); err != nil {
				errs = append(errs, err)
			}
			return nil
		})
		if err != nil {
			return t, err
		}
	}
	return t, errors.Join(errs...)
}

func (t *Totals) file(path, shown string, want secret.Kind, report func(Finding)) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	n, err := Reader(f, want, func(found Finding) {
		found.Path = shown
		report(found)
	})
	t.Bytes += n
	switch {
	case errors.Is(err, ErrBinary):
		t.Binary++
		return nil
	case err != nil:
		return fmt.Errorf("reading %s: %w", path, err)
	}
	t.Files++
	return nil
}
