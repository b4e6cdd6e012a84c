package environ

import (
	"os"
	"slices"
	"strings"
)

// redirectVars lists the variables that redirect connections, or change which certificates are
// trusted.
var redirectVars = [...]string{
	"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy",
	"SSL_CERT_FILE", "SSL_CERT_DIR",
}

// resolverVars lists the variables that change how Go programs or the system's C library connect.
var resolverVars = [...]string{"GODEBUG", "HOSTALIASES", "LOCALDOMAIN", "RES_OPTIONS", "SSLKEYLOGFILE"}

// RedirectVars returns the names of the variables that redirect connections, or change which
// certificates are trusted.
func RedirectVars() []string { return redirectVars[:] }

// RedirectsConnections reports whether the variable name redirects connections or changes how they are
// made.
func RedirectsConnections(name string) bool {
	is := func(n string) bool { return sameName(n, name) }
	return slices.ContainsFunc(redirectVars[:], is) || slices.ContainsFunc(resolverVars[:], is)
}

// AllowLocalVar is the name of the variable that lets starchild's http hooks call this machine, as
// starchild documents it.
const AllowLocalVar = "STARCHILD_SHELL_HOOKS_HTTP_ALLOW_LOCAL"

// WithoutAllowLocal returns environ without [AllowLocalVar]. It is for calls by a host, which passes
// on variables that a project sets. Commands that the user runs keep the variable.
func WithoutAllowLocal(environ []string) []string {
	return withoutVars(environ, func(name string) bool { return sameName(name, AllowLocalVar) })
}

// WithoutConnectionRedirects returns environ without variables that redirect connections. It is for
// requests on behalf of a guard, because a host passes on variables that a project sets.
func WithoutConnectionRedirects(environ []string) []string {
	return withoutVars(environ, RedirectsConnections)
}

// withoutVars returns environ without the variables for whose names drop returns true.
func withoutVars(environ []string, drop func(name string) bool) []string {
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
