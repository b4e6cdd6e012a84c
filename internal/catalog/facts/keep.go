package facts

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/hosts"
)

// A keep is where people keep what opens other doors. Paths are in lower case;
// one that ends with / is a directory with all that it holds, and * stands for a
// part of a name.
type keep struct{ path, what string }

const (
	aKey      = "a private key"
	aCred     = "stored credentials"
	aStore    = "a password store"
	aBrowser  = "a browser's profile"
	anAccount = "the system's password file"
)

// openKeeps are those in the same directories that hold no secret.
var openKeeps = [...]string{
	".ssh/config*", ".ssh/known_hosts*", ".ssh/authorized_keys*", ".ssh/allowed_signers*", ".ssh/rc", ".ssh/conf.d/*", ".ssh/config.d/*", ".gnupg/*.conf", ".gnupg/pubring*", ".gnupg/trustdb.gpg", ".aws/config*", ".aws/amazonq/*",
	".oci/config",
}

// Kept returns what a path holds that opens other doors: a private key, stored
// credentials, a password store, a browser's profile. The path is absolute and in
// lower case; rest is what follows the home directory that it lies in.
func Kept(abs, rest string, inHome bool) (what string, ok bool) {
	if inHome {
		for _, open := range openKeeps {
			if fits(open, rest) {
				return "", false
			}
		}
		if what := kept(homeKeeps[:], rest); what != "" {
			return what, true
		}
		for _, s := range hosts.Secrets {
			if s.At == hosts.InHome && isKept(s.Path, rest) {
				return aCred, true
			}
		}
	} else if what := kept(rootKeeps[:], strings.TrimPrefix(abs, "/")); what != "" {
		return what, true
	}
	return keyFile(abs, inHome)
}

// keyFile is about files that are keys and stores by their name, wherever they lie
// outside the project.
func keyFile(abs string, inHome bool) (string, bool) {
	base := abs[strings.LastIndexByte(abs, '/')+1:]
	if base == "" || abs[0] != '/' && abs[0] != '~' || !inHome && strings.HasPrefix(abs, "/tmp/") || sample(base) || strings.Contains(abs, "/certs/") || strings.Contains(abs, "/ca-certificates") || strings.Contains(abs, "/site-packages/") || strings.Contains(abs, "/node_modules/") || strings.Contains(abs, "/testdata/") {
		return "", false
	}
	switch {
	case strings.HasSuffix(base, ".kdbx") || strings.HasSuffix(base, ".psafe3") || strings.HasSuffix(base, ".opvault"):
		return aStore, true
	case strings.HasPrefix(base, "id_") && (strings.HasPrefix(base, "id_rsa") || strings.HasPrefix(base, "id_ed25519") || strings.HasPrefix(base, "id_ecdsa") || strings.HasPrefix(base, "id_dsa")):
		return aKey, !source(base)
	case strings.HasSuffix(base, ".pem") || strings.HasSuffix(base, ".ppk") || strings.HasSuffix(base, ".p12") || strings.HasSuffix(base, ".pfx"):
		return aKey, !certificate(base) && base != "cert.pem"
	}
	return "", false
}

// kept finds what is kept at a path, which may be a pattern.
func kept(list []keep, rest string) string {
	for i := range list {
		if isKept(list[i].path, rest) {
			return list[i].what
		}
	}
	return ""
}

// isKept reports whether a path, which may be a pattern, is that of a keep.
func isKept(keep, rest string) bool {
	dir, whole := strings.CutSuffix(keep, "/")
	switch {
	case whole && (rest == dir || strings.HasPrefix(rest, dir+"/")), !whole && rest == dir:
		return true
	case strings.IndexByte(dir, '*') >= 0:
		return fits(dir, rest) || whole && fits(dir+"/*", rest)
	}
	return strings.ContainsAny(rest, "*?[") && telling(rest) && fits(rest, dir)
}
