package config

import (
	"os"
	"path/filepath"
	"runtime"

	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/sys/userdirs"
)

// managedSecret is the zero secret. Results for managed files are stored in the administrator's
// directory, not in the user's cache, because those files restrict the user. Whoever may write to that
// directory may change the files themselves, so a checksum without a secret is enough. On Windows
// every user may add files to such a directory, so results for managed files are not cached there.
var managedSecret state.Secret

// getManaged returns the cached result for the managed file src, if a run as administrator has stored
// one.
func (l *loader) getManaged(d *hookfile.Dialect, src hookfile.Source) (parseResult, bool) {
	if runtime.GOOS == "windows" || l.opts.Managed == "" {
		return parseResult{}, false
	}
	name := l.userCache().fileName(d, src)
	path := filepath.Join(l.opts.Managed, name)
	data, err := state.ReadRegular(path, maxCache)
	if err != nil || userdirs.CheckFile(path) != nil {
		return parseResult{}, false
	}
	r, err := decodeCacheFile(&managedSecret, name, data)
	return r, err == nil
}

// writeManagedCache stores the result for the managed file src, if this user may write to its
// directory.
func (l *loader) writeManagedCache(d *hookfile.Dialect, src hookfile.Source, r *parseResult) {
	if runtime.GOOS == "windows" || l.opts.Managed == "" {
		return
	}
	c := l.userCache()
	name := c.fileName(d, src)
	path := filepath.Join(l.opts.Managed, name)
	if os.MkdirAll(filepath.Dir(path), 0o755) != nil {
		return
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return
	}
	defer os.Remove(f.Name())
	_, err = f.Write(encodeCacheFile(&managedSecret, name, c.origin(d, src), r))
	if f.Chmod(0o644) == nil && f.Close() == nil && err == nil {
		_ = os.Rename(f.Name(), path)
	}
}

// userCache returns the cache for files of the user and of projects.
func (l *loader) userCache() Cache {
	if l.cache == nil {
		l.cache = new(Cache)
		if l.opts.Cache != nil {
			*l.cache = l.opts.Cache()
		}
	}
	return *l.cache
}
