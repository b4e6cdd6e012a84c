package environ

import (
	"os"
	"slices"
	"strings"
)

// moving are the variables that lead connections elsewhere, or have somebody else vouch
// for the other end.
var moving = [...]string{
	"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy",
	"SSL_CERT_FILE", "SSL_CERT_DIR",
}

// resolving are those that change how a program of Go, or the system's library, does so.
var resolving = [...]string{"GODEBUG", "HOSTALIASES", "LOCALDOMAIN", "RES_OPTIONS", "SSLKEYLOGFILE"}

// Moving lists the variables that lead a program's connections elsewhere.
func Moving() []string { return moving[:] }

// Moves reports whether a variable leads connections elsewhere.
func Moves(name string) bool {
	is := func(n string) bool { return sameName(n, name) }
	return slices.ContainsFunc(moving[:], is) || slices.ContainsFunc(resolving[:], is)
}

// OpensLocal is the variable that lets starchild's http hooks call this machine, as
// starchild documents it.
const OpensLocal = "STARCHILD_SHELL_HOOKS_HTTP_ALLOW_LOCAL"

// Unopened is an environment without it, for calls of a host: a host hands on what a
// project sets. A person's own commands heed it.
func Unopened(environ []string) []string {
	return without(environ, func(name string) bool { return sameName(name, OpensLocal) })
}

// Unmoved is an environment without them, for what asks on behalf of a guard: a host
// hands on what a project sets.
func Unmoved(environ []string) []string { return without(environ, Moves) }

func without(environ []string, drop func(name string) bool) []string {
	if environ == nil {
		environ = os.Environ()
	}
	out := make([]string, 0, len(environ))
	for _, entry := range environ {
		if name, _, _ := strings.Cut(entry, "="); !drop(name) {
			out = append(out, entry)
		}
	}
	return out
}
