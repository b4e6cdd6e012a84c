package environ

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// WithHome returns the environment with a HOME. If a host starts checkrein without one, the person's
// gates must count all the same, so it is taken from the system's record of the account.
func WithHome(environ []string) []string {
	if home, _ := Lookup(environ, "HOME"); home != "" {
		return environ
	}
	if home := AccountHome(); home != "" {
		return Overlay(environ, []Var{{Name: "HOME", Value: home}})
	}
	return environ
}

// AccountHome returns the recorded home directory of this process's user; "" if there is none.
func AccountHome() string {
	homeOnce.Do(func() {
		if home := OwnAccount().Home; filepath.IsAbs(home) {
			recordedHome = home
		}
	})
	return recordedHome
}

var (
	homeOnce     sync.Once
	recordedHome string
)

// An Account is the system's record of a user.
type Account struct{ Login, FullName, Home string }

// maxPasswd limits how much of /etc/passwd is read.
const maxPasswd = 1 << 20

// OwnAccount returns the account of this process's user; empty if there is no record. It avoids
// os/user, which would link the C library.
func OwnAccount() Account {
	return findAccount(string(readPasswd()), strconv.Itoa(os.Getuid()))
}

// findAccount returns the account of a user id in the text of /etc/passwd. The full name is the
// comment field up to its first comma.
func findAccount(passwd, uid string) Account {
	for line := range strings.Lines(passwd) {
		_, rest, _ := strings.Cut(line, ":")
		if _, rest, _ = strings.Cut(rest, ":"); !strings.HasPrefix(rest, uid) { // rules most lines out cheaply
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
