package workplace

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// WithHome returns the environment with a HOME. A host may start us without
// one, and the person's gates must count all the same, so the system's record of
// the account is asked then.
func WithHome(environ []string) []string {
	if home, _ := Lookup(environ, "HOME"); home != "" {
		return environ
	}
	if home := accountHome(); home != "" {
		return Overlay(environ, []Var{{Name: "HOME", Value: home}})
	}
	return environ
}

// accountHome is the home directory on record for the user of this process, ""
// when there is none.
func accountHome() string {
	f, err := os.Open("/etc/passwd")
	if err != nil {
		return ""
	}
	defer f.Close()
	uid := strconv.Itoa(os.Getuid())
	lines := bufio.NewScanner(io.LimitReader(f, 1<<20))
	for lines.Scan() {
		fields := strings.Split(lines.Text(), ":")
		if len(fields) >= 6 && fields[2] == uid && filepath.IsAbs(fields[5]) {
			return fields[5]
		}
	}
	return ""
}
