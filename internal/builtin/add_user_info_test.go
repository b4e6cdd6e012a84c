package builtin

import (
	"os"
	"strings"
	"testing"
)

func TestAddUserInfo(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.env.Environ = append(m.env.Environ, "USER=joe")
	got := m.tell("", "add_user_info")
	if !strings.HasPrefix(got, "Current user:\nUser: ") {
		t.Errorf("got %q", got)
	}
	if host, err := os.Hostname(); err == nil && !strings.HasSuffix(got, "\nHostname: "+host) {
		t.Errorf("got %q, host is %q", got, host)
	}
}

func TestUserText(t *testing.T) {
	t.Parallel()
	tests := []struct{ login, full, host, want string }{
		{"", "", "", ""},
		{"joe", "", "", "Current user:\nUser: joe"},
		{"joe", "Joe Doe\n", "box", "Current user:\nUser: joe\nFull name: Joe Doe\nHostname: box"},
		{"", "", "box", "Current user:\nHostname: box"},
	}
	for _, tt := range tests {
		check(t, userText(tt.login, tt.full, tt.host), tt.want)
	}
}

func TestPasswdEntry(t *testing.T) {
	t.Parallel()
	const passwd = "# comment\n#old:x:7:7:Old:/:/bin/sh\nroot:x:0:0:root:/root:/bin/bash\n" +
		"broken:x:7\njoe:x:7:7:Joe Doe,Room 1,555:/home/joe:/bin/sh\nann:x:8:8::/home/ann:/bin/sh"
	tests := []struct{ uid, login, full string }{
		{"0", "root", "root"}, {"7", "joe", "Joe Doe"}, {"8", "ann", ""}, {"9", "", ""}, {"-1", "", ""},
	}
	for _, tt := range tests {
		if login, full := passwdEntry(passwd, tt.uid); login != tt.login || full != tt.full {
			t.Errorf("%s: got %q, %q, want %q, %q", tt.uid, login, full, tt.login, tt.full)
		}
	}
}
