package guard

import (
	"os"
	"strings"
	"testing"
)

func TestAddUserInfo(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.env.Environ = append(m.env.Environ, "USER=joe")
	got := m.contextOf("", "add_user_info")
	if !strings.HasPrefix(got, "Current user:\nUser: ") {
		t.Errorf("got %q", got)
	}
	if host, err := os.Hostname(); err == nil && !strings.HasSuffix(got, "\nHostname: "+host) {
		t.Errorf("got %q, host is %q", got, host)
	}
}
