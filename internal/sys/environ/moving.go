package environ

import (
	"os"
	"slices"
	"strings"
)

// redirectVars are the variables that redirect connections, or change which certificates are trusted.
var redirectVars = [...]string{
	"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy",
	"SSL_CERT_FILE", "SSL_CERT_DIR",
}

// resolverVars are the variables that change how Go programs or the system's library connect.
var resolverVars = [...]string{"GODEBUG", "HOSTALIASES", "LOCALDOMAIN", "RES_OPTIONS", "SSLKEYLOGFILE"}

// RedirectVars returns the variables that redirect a program's connections.
func RedirectVars() []string { return redirectVars[:] }

// RedirectsConnections reports whether a variable redirects connections or changes how they are made.
func RedirectsConnections(name string) bool {
	is := func(n string) bool { return sameName(n, name) }
	return slices.ContainsFunc(redirectVars[:], is) || slices.ContainsFunc(resolverVars[:], is)
}

// AllowLocalVar is the variable that lets starchild's http hooks call this machine, as starchild
// documents it.
const AllowLocalVar = "STARCHILD_SHELL_HOOKS_HTTP_ALLOW_LOCAL"

// WithoutAllowLocal returns environ without [AllowLocalVar], for calls by a host, which passes on what
// a project sets. A person's own commands use it.
func WithoutAllowLocal(environ []string) []string {
	return without(environ, func(name string) bool { return sameName(name, AllowLocalVar) })
}

// WithoutRedirects returns environ without variables that redirect connections, for requests on behalf
// of a guard: a host passes on what a project sets.
func WithoutRedirects(environ []string) []string { return without(environ, RedirectsConnections) }

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
