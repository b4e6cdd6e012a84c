package facts

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/hosts"
)

// A keep is a place where people keep private things. Paths are in lower case; one that ends with / is
// a directory with all its content, and * stands for a part of a name.
type keep struct{ path, what string }

const (
	aKey      = "a private key"
	aCred     = "stored credentials"
	aStore    = "a password store"
	aBrowser  = "a browser's profile"
	anAccount = "the system's password file"
)

// openKeeps are files in the same directories that are not secret.
var openKeeps = [...]string{
	".ssh/config*", ".ssh/known_hosts*", ".ssh/authorized_keys*", ".ssh/allowed_signers*", ".ssh/rc", ".ssh/conf.d/*", ".ssh/config.d/*", ".gnupg/*.conf", ".gnupg/pubring*", ".gnupg/trustdb.gpg", ".aws/config*", ".aws/amazonq/*",
	".oci/config",
}

// PrivateContent describes the private content of a path: a private key, stored credentials, a
// password store, a browser's profile. The path is absolute and in lower case; rest is the part after
// the home directory that it lies in.
func PrivateContent(abs, rest string, inHome bool) (what string, ok bool) {
	if inHome {
		for _, open := range openKeeps {
			if matchGlob(open, rest) {
				return "", false
			}
		}
		if what := findKeep(homeKeeps[:], rest); what != "" {
			return what, true
		}
		for _, s := range hosts.Secrets {
			if s.At == hosts.InHome && matchesKeep(s.Path, rest) {
				return aCred, true
			}
		}
	} else if what := findKeep(rootKeeps[:], strings.TrimPrefix(abs, "/")); what != "" {
		return what, true
	}
	return keyFileContent(abs, inHome)
}

// keyFileContent describes files that are keys and stores by their name, anywhere outside the project.
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

// findKeep describes the keep at a path, which may be a pattern, or returns "".
func findKeep(list []keep, rest string) string {
	for i := range list {
		if matchesKeep(list[i].path, rest) {
			return list[i].what
		}
	}
	return ""
}

// matchesKeep reports whether a path, which may be a pattern, is that of a keep.
func matchesKeep(keep, rest string) bool {
	dir, whole := strings.CutSuffix(keep, "/")
	switch {
	case whole && (rest == dir || strings.HasPrefix(rest, dir+"/")), !whole && rest == dir:
		return true
	case strings.IndexByte(dir, '*') >= 0:
		return matchGlob(dir, rest) || whole && matchGlob(dir+"/*", rest)
	}
	return strings.ContainsAny(rest, "*?[") && isSpecific(rest) && matchGlob(rest, dir)
}
