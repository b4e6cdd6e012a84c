package builtin

import (
	"strings"
	"testing"
)

func TestMuteOptions(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		list []string
		want string
		ok   bool
	}{
		{"nothing", nil, "", true},
		{"nothing of interest", []string{"local", "core.bare", "global", "user.name"}, "", true},
		{"hooks of anyone", []string{"local", "hook.a.command", "local", "hook.a.event", "global", "hook.b.c.event"},
			"-c hook.a.enabled=false -c hook.b.c.enabled=false", true},
		{"a hook that no option can name", []string{"local", "hook.a=b.command"}, "-c hook.a=b.enabled=false", false},
		{"trusted filter", []string{"system", "filter.lfs.clean", "command", "filter.a=b.clean"}, "", true},
		{"filter of a scope yet unknown", []string{"novel", "filter.x.clean"},
			"-c filter.x.clean= -c filter.x.process= -c filter.x.required=false", true},
		{"no name", []string{"local", "filter.clean"}, "", true},
	}
	for _, tt := range tests {
		list := strings.Join(tt.list, "\x00")
		got, ok := muteOptions(list)
		if strings.Join(got, " ") != tt.want || ok != tt.ok {
			t.Errorf("%s: got %q, %v, want %q, %v", tt.name, got, ok, tt.want, tt.ok)
		}
	}
}
