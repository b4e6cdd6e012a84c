package builtin

import (
	"context"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/workplace"
)

// maxPasswd bounds the part of /etc/passwd that is read.
const maxPasswd = 1 << 20

func newAddUserInfo(args []string) (Func, error) { return addUserInfo, noArgs(args) }

func addUserInfo(ctx context.Context, call Call) (checkrein.Verdict, error) {
	login, full := call.user(ctx)
	host, _ := os.Hostname()
	return say(userText(login, full, host)), nil
}

// userText lists what is known; "" when nothing is.
func userText(login, full, host string) string {
	text := ""
	add := func(label, value string) {
		if value = strings.TrimSpace(value); value != "" {
			text += "\n" + label + plain(value)
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

// user finds the login and the full name. It does without os/user, which
// would bind the program to the C library.
func (c *Call) user(ctx context.Context) (login, full string) {
	if f, err := os.Open("/etc/passwd"); err == nil {
		passwd, _ := io.ReadAll(io.LimitReader(f, maxPasswd))
		f.Close()
		login, full = passwdEntry(string(passwd), strconv.Itoa(os.Getuid()))
	}
	for _, name := range [...]string{"USER", "LOGNAME", "USERNAME"} {
		if login == "" {
			login, _ = workplace.Lookup(c.Environ, name)
		}
	}
	// macOS keeps people in its directory service and not in the file.
	if full == "" && runtime.GOOS == "darwin" && c.Env.Run != nil {
		if out, err := c.Env.Run(ctx, "", c.Environ, "/usr/bin/id", "-F"); err == nil {
			full = valid(out)
		}
	}
	return login, full
}

// passwdEntry finds the login of a user ID and the full name, which is the
// comment field up to its first comma.
func passwdEntry(passwd, uid string) (login, full string) {
	for line := range strings.Lines(passwd) {
		fields := strings.Split(line, ":")
		if len(fields) >= 5 && fields[2] == uid && !strings.HasPrefix(line, "#") {
			full, _, _ = strings.Cut(fields[4], ",")
			return fields[0], full
		}
	}
	return "", ""
}
