package config

import (
	"os"
	"path/filepath"
	"runtime"

	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/sys/userdirs"
)

// Readings of the administrator's files lie in the administrator's directory, not in the
// person's cache: those files restrict the person. Who may write there may change the
// files themselves, so a checksum without a secret is enough. On Windows everyone may
// add files to such a directory, so there is no cache.
var managedSum state.Secret

// getManaged returns the reading of a managed file, if an administrator's run kept it.
func (l *loader) getManaged(d *hookfile.Dialect, src hookfile.Source) (reading, bool) {
	if runtime.GOOS == "windows" || l.opts.Managed == "" {
		return reading{}, false
	}
	name := l.personCache().name(d, src)
	path := filepath.Join(l.opts.Managed, name)
	data, err := state.ReadRegular(path, maxCache)
	if err != nil || userdirs.CheckFile(path) != nil {
		return reading{}, false
	}
	r, err := decodeFile(&managedSum, name, data)
	return r, err == nil
}

// putManaged keeps the reading of a managed file, if this user may write beside it.
func (l *loader) putManaged(d *hookfile.Dialect, src hookfile.Source, r *reading) {
	if runtime.GOOS == "windows" || l.opts.Managed == "" {
		return
	}
	c := l.personCache()
	name := c.name(d, src)
	path := filepath.Join(l.opts.Managed, name)
	if os.MkdirAll(filepath.Dir(path), 0o755) != nil {
		return
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return
	}
	defer os.Remove(f.Name())
	_, err = f.Write(encodeFile(&managedSum, name, c.origin(d, src), r))
	if f.Chmod(0o644) == nil && f.Close() == nil && err == nil {
		_ = os.Rename(f.Name(), path)
	}
}

// personCache returns the cache of the person's and the projects' files.
func (l *loader) personCache() Cache {
	if l.cache == nil {
		l.cache = new(Cache)
		if l.opts.Cache != nil {
			*l.cache = l.opts.Cache()
		}
	}
	return *l.cache
}
