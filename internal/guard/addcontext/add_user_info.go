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

func NewAddUserInfo(args []string) (builtin.Func, error) { return addUserInfo, builtin.NoArgs(args) }

func addUserInfo(ctx context.Context, call builtin.Call) (checkrein.Verdict, error) {
	login, full := user(ctx, &call)
	host, _ := os.Hostname()
	return builtin.AddContext(userText(login, full, host)), nil
}

// userText lists what is known; "" when nothing is.
func userText(login, full, host string) string {
	text := ""
	add := func(label, value string) {
		if value = strings.TrimSpace(value); value != "" {
			text += "\n" + label + builtin.QuoteIfOdd(value)
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

// user finds the login and the full name.
func user(ctx context.Context, c *builtin.Call) (login, full string) {
	account := environ.OwnAccount()
	login, full = account.Login, account.FullName
	for _, name := range [...]string{"USER", "LOGNAME", "USERNAME"} {
		if login == "" {
			login, _ = environ.Lookup(c.Environ, name)
		}
	}
	// macOS keeps people in its directory service and not in the file.
	if full == "" && runtime.GOOS == "darwin" && c.Machine.Run != nil {
		if out, err := c.Machine.Run(ctx, "", c.Environ, "/usr/bin/id", "-F"); err == nil {
			full = builtin.ValidUTF8(out)
		}
	}
	return login, full
}
