package environ

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// WithHome returns environ with HOME set. If a host starts checkrein without it, the user's gates must
// apply all the same, so HOME is taken from the system's record of the account.
func WithHome(environ []string) []string {
	if home, _ := Lookup(environ, "HOME"); home != "" {
		return environ
	}
	if home := AccountHome(); home != "" {
		return Overlay(environ, []Var{{Name: "HOME", Value: home}})
	}
	return environ
}

// AccountHome returns the home directory in the system's record of this process's user, or "" if there
// is none.
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

// An Account is a user in the system's record of accounts.
type Account struct{ Login, FullName, Home string }

// maxPasswd is the maximum number of bytes of /etc/passwd that are read.
const maxPasswd = 1 << 20

// OwnAccount returns the account of this process's user, or the zero Account if there is no record. It
// avoids os/user, which would link the C library.
func OwnAccount() Account {
	return findAccount(string(readPasswd()), strconv.Itoa(os.Getuid()))
}

// findAccount returns the account with the user id uid in passwd, the content of /etc/passwd, or the
// zero Account. The full name is the comment field up to its first comma.
func findAccount(passwd, uid string) Account {
	for line := range strings.Lines(passwd) {
		_, rest, _ := strings.Cut(line, ":")
		if _, rest, _ = strings.Cut(rest, ":"); !strings.HasPrefix(rest, uid) { // a cheap test that rules out most lines
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
