package addcontext

import (
	"context"
	"os"
	"runtime"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/builtin"
	"github.com/checkrein/checkrein/internal/sys/environ"
)

// NewAddUserInfo returns the builtin that gives the model the user's names and the host name.
func NewAddUserInfo(args []string) (builtin.Func, error) { return addUserInfo, builtin.NoArgs(args) }

func addUserInfo(ctx context.Context, call builtin.Call) (checkrein.Verdict, error) {
	login, full := findUser(ctx, &call)
	host, _ := os.Hostname()
	return builtin.AddContext(userText(login, full, host)), nil
}

// userText lists those of the values that are not blank, or returns "" if all are.
func userText(login, full, host string) string {
	text := ""
	add := func(label, value string) {
		if value = strings.TrimSpace(value); value != "" {
			text += "\n" + label + builtin.QuoteUnprintable(value)
		}
	}
	add("User: ", login)
	add("Full name: ", full)
	add("Hostname: ", host)
	if text == "" {
		return ""
	}
	return "Current user:" + text
}

// findUser returns the user's login name and full name.
func findUser(ctx context.Context, c *builtin.Call) (login, full string) {
	account := environ.OwnAccount()
	login, full = account.Login, account.FullName
	for _, name := range [...]string{"USER", "LOGNAME", "USERNAME"} {
		if login == "" {
			login, _ = environ.Lookup(c.Environ, name)
		}
	}
	// macOS keeps full names in its directory service, not in the password file.
	if full == "" && runtime.GOOS == "darwin" && c.Machine.Run != nil {
		if out, err := c.Machine.Run(ctx, "", c.Environ, "/usr/bin/id", "-F"); err == nil {
			full = builtin.ValidUTF8(out)
		}
	}
	return login, full
}
