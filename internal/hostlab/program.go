package hostlab

import (
	"context"
	"path"
	"path/filepath"
)

// Program installs a package that is no host, as hosts are, and returns what starts
// its entry, a script of Node.js below the package's folder.
func (l *Lab) Program(ctx context.Context, pkg, version, entry string) ([]string, error) {
	s := spec{name: path.Base(pkg), pkg: pkg, version: version, entry: path.Join(pkg, entry), node: true, silent: true}
	in, err := l.install(ctx, s)
	if err != nil {
		return nil, &InstallError{What: pkg + "@" + version, Err: err}
	}
	return []string{l.node, filepath.Join(l.dir(s), filepath.FromSlash(in.Entry))}, nil
}
