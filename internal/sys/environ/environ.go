package environ

import (
	"os"
	"runtime"
	"slices"
	"strings"
)

// foldNames is set if names of variables are case-insensitive.
const foldNames = runtime.GOOS == "windows"

// Lookup returns the value of a variable and whether it is set.
func Lookup(environ []string, name string) (string, bool) {
	if environ == nil {
		return os.LookupEnv(name)
	}
	for _, entry := range slices.Backward(environ) {
		// The byte after the name is tested first, which rules most entries out.
		if !foldNames && (len(entry) <= len(name) || entry[len(name)] != '=') {
			continue
		}
		if n, v, ok := splitEntry(entry); ok && sameName(n, name) {
			return v, true
		}
	}
	return "", false
}

// Overlay returns environ with the variables set, as a new slice without duplicate names. Values are
// taken as they are.
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
	// The last of a name counts, so the lists are read from their ends.
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

// splitEntry splits an entry of an environment into name and value. Windows has entries such as
// =C:=C:\src, whose names begin with the equals sign.
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

func sameName(a, b string) bool {
	if foldNames {
		return strings.EqualFold(a, b)
	}
	return a == b
}
