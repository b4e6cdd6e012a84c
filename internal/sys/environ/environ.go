package environ

import (
	"os"
	"runtime"
	"slices"
	"strings"
)

// foldNames is set if names of environment variables are case-insensitive.
const foldNames = runtime.GOOS == "windows"

// Lookup returns the value of the variable name in environ, and reports whether it is set. A nil
// environ is that of the process.
func Lookup(environ []string, name string) (string, bool) {
	if environ == nil {
		return os.LookupEnv(name)
	}
	for _, entry := range slices.Backward(environ) {
		// Test the byte after the name first, which rules out most entries.
		if !foldNames && (len(entry) <= len(name) || entry[len(name)] != '=') {
			continue
		}
		if n, v, ok := splitEntry(entry); ok && sameName(n, name) {
			return v, true
		}
	}
	return "", false
}

// Overlay returns environ with vars set, as a new slice without duplicate names. Variables in values
// are not expanded.
func Overlay(environ []string, vars []Var) []string {
	if environ == nil {
		environ = os.Environ()
	}
	seen := make(map[string]bool, len(environ)+len(vars))
	out := make([]string, 0, len(environ)+len(vars))
	add := func(name, entry string) {
		if foldNames {
			name = strings.ToUpper(name)
		}
		if !seen[name] {
			seen[name] = true
			out = append(out, entry)
		}
	}
	// The last entry with a name counts, so the lists are read backward.
	for _, v := range slices.Backward(vars) {
		add(v.Name, v.Name+"="+v.Value)
	}
	for _, entry := range slices.Backward(environ) {
		if name, _, ok := splitEntry(entry); ok {
			add(name, entry)
		}
	}
	slices.Reverse(out)
	return out
}

// splitEntry splits entry into name and value. It reports false if entry is not NAME=VALUE. Windows
// has entries such as =C:=C:\src, whose names begin with an equals sign.
func splitEntry(entry string) (name, value string, ok bool) {
	if entry == "" {
		return "", "", false
	}
	i := strings.IndexByte(entry[1:], '=') + 1
	if i == 0 {
		return "", "", false
	}
	return entry[:i], entry[i+1:], true
}

// sameName reports whether a and b name the same environment variable.
func sameName(a, b string) bool {
	if foldNames {
		return strings.EqualFold(a, b)
	}
	return a == b
}
