package environ

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// WithHome returns the environment with a HOME. A host may start us without
// one, and the person's gates must count all the same, so the system's record of
// the account is asked then.
func WithHome(environ []string) []string {
	if home, _ := Lookup(environ, "HOME"); home != "" {
		return environ
	}
	if home := AccountHome(); home != "" {
		return Overlay(environ, []Var{{Name: "HOME", Value: home}})
	}
	return environ
}

// AccountHome is the home directory on record for the user of this process, ""
// when there is none.
func AccountHome() string {
	asked.Do(func() {
		if home := OwnAccount().Home; filepath.IsAbs(home) {
			onRecord = home
		}
	})
	return onRecord
}

var (
	asked    sync.Once
	onRecord string
)

// An Account is what the system has on record for a user.
type Account struct{ Login, FullName, Home string }

// maxPasswd bounds the part of /etc/passwd that is read.
const maxPasswd = 1 << 20

// OwnAccount is the account of this process's user; empty where nothing is on
// record. It does without os/user, which would bind the program to the C
// library.
func OwnAccount() Account {
	return accountIn(string(passwd()), strconv.Itoa(os.Getuid()))
}

// accountIn finds the account of a user ID. The full name is the comment field
// up to its first comma.
func accountIn(passwd, uid string) Account {
	for line := range strings.Lines(passwd) {
		_, rest, _ := strings.Cut(line, ":")
		if _, rest, _ = strings.Cut(rest, ":"); !strings.HasPrefix(rest, uid) { // another's, as most are
			continue
		}
		fields := strings.Split(strings.TrimRight(line, "\r\n"), ":")
		if len(fields) < 5 || fields[2] != uid || strings.HasPrefix(line, "#") {
			continue
		}
		a := Account{Login: fields[0]}
		a.FullName, _, _ = strings.Cut(fields[4], ",")
		if len(fields) > 5 {
			a.Home = fields[5]
		}
		return a
	}
	return Account{}
}
