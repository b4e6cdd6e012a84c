package exfil

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// trimPath returns text without a file:// or fileb:// prefix and without quotes.
func trimPath(text string) string {
	text = strings.TrimPrefix(text, "fileb://")
	text = strings.TrimPrefix(text, "file://")
	return strings.Trim(text, `"'`)
}

// isStdin reports whether path stands for standard input.
func isStdin(path string) bool {
	switch path {
	case "-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0":
		return true
	}
	return false
}

// isInSecretDir reports whether path is relative and the directory in which c runs makes it a secret,
// as with id_rsa in ~/.ssh.
func (t *tracer) isInSecretDir(c *shell.Call, path string) bool {
	if path[0] == '/' || path[0] == '~' || strings.HasSuffix(path, ".pub") {
		return false
	}
	dir := c.Dir
	if dir == "" && t.place != nil {
		dir = t.place.Dir
	}
	if dir == "" || len(dir) > facts.MaxPath || strings.HasPrefix(path, "..") {
		return false
	}
	dir = strings.ToLower(dir)
	return facts.IsInSecretDir(strings.TrimRight(dir, "/")) || (dir == "/etc" || dir == "/etc/") && facts.IsSecretFile("/etc/"+strings.TrimPrefix(path, "./")) ||
		c.Dir != "" && (path == "." || path == "./" || path == "*") && t.isWideDir(c.Dir)
}

// isWideDir reports whether path is so wide that it is bound to contain secrets: a home directory, the
// root, all of /etc.
func (t *tracer) isWideDir(path string) bool {
	if i := len(path) - 2; i > 0 && (path[i:] == "/*" || path[i:] == "/.") {
		path = path[:i+1]
	}
	if len(path) > 1 {
		path = strings.TrimRight(path, "/")
	}
	switch path {
	case "~", "/", "", "/root", "/home", "/Users", "/etc", "/var", "/run", "$HOME", "/proc", "/*":
		return true
	}
	if t.place != nil && t.place.Home != "" && path == t.place.Home {
		return t.place.Root != path
	}
	for _, top := range [...]string{"/home/", "/Users/"} {
		if rest, ok := strings.CutPrefix(path, top); ok && strings.IndexByte(rest, '/') < 0 {
			return true
		}
	}
	return false
}

// isPublicFile reports whether path is a file that projects publish, such as a license or a public
// key.
func isPublicFile(path string) bool {
	base := strings.ToLower(path[strings.LastIndexByte(path, '/')+1:])
	switch base {
	case "version", "version.txt", ".version", ".nvmrc", ".node-version", ".python-version", ".ruby-version", ".tool-versions", ".go-version", "go.mod",
		"license", "license.txt", "license.md":
		return true
	}
	return strings.HasSuffix(base, ".pub")
}

// isOutsideProject reports whether path is neither in the project nor in a directory for temporary
// files. A relative path is taken to be in the directory of c; it reports false if that is unknown.
func (t *tracer) isOutsideProject(c *shell.Call, path string) bool {
	root, dir := "", c.Dir
	if t.place != nil {
		if root = t.place.Root; root == "" {
			root = t.place.Dir
		}
	}
	switch {
	case path[0] == '~':
		return true
	case path[0] != '/':
		if dir == "" || dir[0] != '/' {
			return false
		}
		path = dir
	}
	tops := [...]string{root, "/dev/fd", facts.TempDirOf(path)}
	dirs := tops[:]
	if t.place != nil && t.place.Home != "" && strings.HasPrefix(path, t.place.Home+"/") {
		dirs = tops[:1] // a home directory in a directory for temporary files is still outside the project
	}
	for _, top := range dirs {
		if rest, ok := strings.CutPrefix(path, top); ok && top != "" && (rest == "" || rest[0] == '/') && !strings.Contains(rest, "/..") {
			return false
		}
	}
	return true
}

// isPersonal reports whether path, which c reads, is in a directory of the user's own writings.
func (t *tracer) isPersonal(c *shell.Call, path string) bool {
	return facts.IsPersonal(t.fullPath(c, path), t.home())
}

// home returns the user's home directory, or "" if it is unknown.
func (t *tracer) home() string {
	if t.place == nil {
		return ""
	}
	return t.place.Home
}

// isWholeProject reports whether path is the current directory, its .git directory or the root of the
// project.
func (t *tracer) isWholeProject(path string) bool {
	switch path {
	case ".", "./", "*", "./*", ".git", "./.git":
		return true
	}
	return t.place != nil && t.place.Root != "" && strings.TrimSuffix(path, "/") == t.place.Root
}

// isDataExport reports whether path is named like a dump, a database or a list of people or orders.
func isDataExport(path string) bool {
	base := strings.ToLower(path[strings.LastIndexByte(path, '/')+1:])
	stem, ending := base, ""
	if i := strings.IndexByte(base, '.'); i > 0 {
		stem, ending = base[:i], base[i:]
	}
	for _, end := range [...]string{".sql", ".dump", ".sqlite", ".sqlite3", ".db", ".rdb", ".mdb", ".bson", ".pst", ".mbox", ".pcap", ".bundle"} {
		if strings.HasSuffix(facts.TrimPackSuffixes(base), end) {
			return true
		}
	}
	switch ending[strings.LastIndexByte(ending, '.')+1:] {
	case "csv", "tsv", "xlsx", "xls", "zip", "gz", "tgz", "tar", "7z", "bak", "parquet", "bz2", "xz", "zst", "rar":
	default:
		return false
	}
	for _, w := range [...]string{"backup", "dump", "customer", "user", "client", "employee", "payroll", "salarie", "patient", "member", "account", "order", "invoice", "database", "export"} {
		if facts.HasStem(stem, w) {
			return true
		}
	}
	return false
}

// isShareableFile reports whether path looks like a build artefact, an image or the body of a request,
// which are made to be sent.
func isShareableFile(path string) bool {
	base := path[strings.LastIndexByte(path, '/')+1:]
	stem := base
	if i := strings.IndexByte(stem, '.'); i > 0 {
		stem = stem[:i]
	}
	switch strings.ToLower(stem) {
	case "payload", "body", "request", "req", "query", "mutation", "message", "event", "fixture", "mock", "coverage", "lcov", "junit":
		return true
	}
	switch strings.ToLower(base[strings.LastIndexByte(base, '.')+1:]) {
	case "png", "jpg", "jpeg", "gif", "svg", "webp", "ico", "mp4", "webm", "whl", "crate", "gem", "apk", "ipa", "deb":
		return true
	}
	for rest := strings.TrimPrefix(path, "./"); rest != ""; {
		part, tail, _ := strings.Cut(rest, "/")
		switch part {
		case "dist", "build", "out", "public", "target", "_site", ".next", "coverage", "release", "releases", "site", "htmlcov", "storybook-static", "artifacts", "fixtures", "testdata":
			return true
		}
		if tail == rest {
			break
		}
		rest = tail
	}
	return false
}
