package facts

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/hosts"
)

// A privatePath is a path where private data is stored. path is in lower case; if it ends with a
// slash, it is a directory with all its contents, and * stands for part of a name.
type privatePath struct{ path, what string }

const (
	aKey      = "a private key"
	aCred     = "stored credentials"
	aStore    = "a password store"
	aBrowser  = "a browser's profile"
	anAccount = "the system's password file"
)

// publicPaths lists files in the same directories that are not secret.
var publicPaths = [...]string{
	".ssh/config*", ".ssh/known_hosts*", ".ssh/authorized_keys*", ".ssh/allowed_signers*", ".ssh/rc", ".ssh/conf.d/*", ".ssh/config.d/*", ".gnupg/*.conf", ".gnupg/pubring*", ".gnupg/trustdb.gpg", ".aws/config*", ".aws/amazonq/*",
	".oci/config",
}

// personalDirs lists the directories of a home directory that hold a person's own writings.
var personalDirs = [...]string{
	"documents", "desktop", "dokumente", "schreibtisch", "mail", "maildir", "onedrive", "dropbox",
}

// IsPersonal reports whether path is in a directory of a home directory that holds a person's own
// writings, such as ~/Documents. home is the user's home directory, or "".
func IsPersonal(path, home string) bool {
	path = strings.ToLower(path)
	rest, ok := strings.CutPrefix(path, "~/")
	if !ok && home != "" {
		rest, ok = strings.CutPrefix(path, strings.ToLower(home)+"/")
	}
	for _, top := range [...]string{"/home/", "/users/"} {
		if after, found := strings.CutPrefix(path, top); found && !ok {
			_, rest, ok = strings.Cut(after, "/")
		}
	}
	first, _, _ := strings.Cut(rest, "/")
	return ok && slices.Contains(personalDirs[:], first)
}

// PrivateContent describes the private data at a path: a private key, stored credentials, a password
// store or a browser's profile. It reports false if there is none. abs is the absolute path in lower
// case. If inHome is set, rest is the part of it after the home directory.
func PrivateContent(abs, rest string, inHome bool) (what string, ok bool) {
	if inHome {
		for _, open := range publicPaths {
			if matchGlob(open, rest) {
				return "", false
			}
		}
		if what := findPrivatePath(homePrivatePaths[:], rest); what != "" {
			return what, true
		}
		for _, s := range hosts.Secrets {
			if s.At == hosts.InHome && matchesPrivatePath(s.Path, rest) {
				return aCred, true
			}
		}
	} else if what := findPrivatePath(rootPrivatePaths[:], strings.TrimPrefix(abs, "/")); what != "" {
		return what, true
	}
	return keyFileContent(abs, inHome)
}

// keyFileContent describes a file outside the project that is a key or a password store, judging by
// its name. It reports false for other files.
func keyFileContent(abs string, inHome bool) (string, bool) {
	base := abs[strings.LastIndexByte(abs, '/')+1:]
	if base == "" || abs[0] != '/' && abs[0] != '~' || !inHome && strings.HasPrefix(abs, "/tmp/") || isSampleName(base) || strings.Contains(abs, "/certs/") || strings.Contains(abs, "/ca-certificates") || strings.Contains(abs, "/site-packages/") || strings.Contains(abs, "/node_modules/") || strings.Contains(abs, "/testdata/") {
		return "", false
	}
	switch {
	case strings.HasSuffix(base, ".kdbx") || strings.HasSuffix(base, ".psafe3") || strings.HasSuffix(base, ".opvault"):
		return aStore, true
	case strings.HasPrefix(base, "id_") && (strings.HasPrefix(base, "id_rsa") || strings.HasPrefix(base, "id_ed25519") || strings.HasPrefix(base, "id_ecdsa") || strings.HasPrefix(base, "id_dsa")):
		return aKey, !isSourceName(base)
	case strings.HasSuffix(base, ".pem") || strings.HasSuffix(base, ".ppk") || strings.HasSuffix(base, ".p12") || strings.HasSuffix(base, ".pfx"):
		return aKey, !isPublicCert(base) && base != "cert.pem"
	}
	return "", false
}

// findPrivatePath returns the description of the entry of list that matches rest, which may be a
// pattern, or "".
func findPrivatePath(list []privatePath, rest string) string {
	for i := range list {
		if matchesPrivatePath(list[i].path, rest) {
			return list[i].what
		}
	}
	return ""
}

// matchesPrivatePath reports whether rest, which may be a pattern, matches the private path keep.
func matchesPrivatePath(keep, rest string) bool {
	dir, whole := strings.CutSuffix(keep, "/")
	switch {
	case whole && (rest == dir || strings.HasPrefix(rest, dir+"/")), !whole && rest == dir:
		return true
	case strings.IndexByte(dir, '*') >= 0:
		return matchGlob(dir, rest) || whole && matchGlob(dir+"/*", rest)
	}
	return strings.ContainsAny(rest, "*?[") && isSpecific(rest) && matchGlob(rest, dir)
}
