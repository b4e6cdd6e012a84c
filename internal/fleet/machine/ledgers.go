package machine

import (
	"bufio"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/sys/userdirs"
)

// An Account is an account of this machine that people use.
type Account struct {
	Name string
	Home string
	UID  int
	GID  int
}

// Accounts returns the accounts of this machine that have used checkrein.
func Accounts() ([]Account, error) {
	list, err := accounts("/etc/passwd")
	return slices.DeleteFunc(list, func(a Account) bool { return a.stateDir() == "" }), err
}

// accounts returns the accounts in passwd, a file in the format of /etc/passwd, with a home directory.
func accounts(passwd string) ([]Account, error) {
	f, err := os.Open(passwd)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []Account
	seen := map[string]bool{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		part := strings.Split(lines.Text(), ":")
		if len(part) < 7 || seen[part[5]] || !filepath.IsAbs(part[5]) || part[5] == "/" {
			continue
		}
		uid, err := strconv.Atoi(part[2])
		gid, err2 := strconv.Atoi(part[3])
		if err != nil || err2 != nil {
			continue
		}
		seen[part[5]] = true
		out = append(out, Account{part[0], part[5], uid, gid})
	}
	return out, nil
}

// stateDir returns the state directory of the account, or "" if it has none.
func (a *Account) stateDir() string {
	if _, dir, ok := userdirs.ReadNote(a.Home); ok {
		return dir
	}
	dir := filepath.Join(a.Home, ".local", "state", "checkrein")
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return ""
	}
	return dir
}

// ledgersOf returns the ledgers of accounts.
func ledgersOf(list []Account) []Ledger {
	var out []Ledger
	seen := map[string]bool{}
	for i := range list {
		dir := list[i].stateDir()
		if dir == "" {
			continue
		}
		dir = filepath.Join(dir, "ledger")
		if _, err := os.Stat(filepath.Join(dir, ledger.KeyFile)); err != nil || seen[dir] {
			continue
		}
		seen[dir] = true
		out = append(out, Ledger{Dir: dir, User: list[i].Name})
	}
	return out
}
