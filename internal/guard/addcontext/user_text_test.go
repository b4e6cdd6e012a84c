package addcontext

import (
	"github.com/checkrein/checkrein/internal/guard/guardtest"
	"testing"
)

func TestUserText(t *testing.T) {
	t.Parallel()
	tests := []struct{ login, full, host, want string }{
		{"", "", "", ""},
		{"joe", "", "", "Current user:\nUser: joe"},
		{"joe", "Joe Doe\n", "box", "Current user:\nUser: joe\nFull name: Joe Doe\nHostname: box"},
		{"", "", "box", "Current user:\nHostname: box"},
	}
	for _, tt := range tests {
		guardtest.CheckEqual(t, userText(tt.login, tt.full, tt.host), tt.want)
	}
}
