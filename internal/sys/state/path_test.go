package state

import (
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestDefaultPath(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("XDG rules do not apply")
	}
	tests := []struct {
		name string
		env  map[string]string
		want string // "" for an error
	}{
		{"xdg wins", map[string]string{"XDG_STATE_HOME": "/s", "HOME": "/h"}, "/s/checkrein"},
		{"xdg alone", map[string]string{"XDG_STATE_HOME": "/s"}, "/s/checkrein"},
		{"home", map[string]string{"HOME": "/h"}, "/h/.local/state/checkrein"},
		{"relative xdg is ignored", map[string]string{"XDG_STATE_HOME": "s", "HOME": "/h"}, "/h/.local/state/checkrein"},
		{"relative home", map[string]string{"HOME": "h"}, ""},
		{"nothing", nil, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := DefaultPath(func(key string) string { return test.env[key] })
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if test.want == "" && (err == nil || !strings.Contains(err.Error(), "set HOME")) {
				t.Errorf("error %v names no remedy", err)
			}
			if test.want != "" && err != nil {
				t.Error(err)
			}
		})
	}
}

func TestDefaultPathWindows(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "windows" {
		t.Skip("only on Windows")
	}
	base := t.TempDir()
	got, err := DefaultPath(func(key string) string { return map[string]string{"LocalAppData": base}[key] })
	if want := filepath.Join(base, "checkrein"); got != want || err != nil {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
	if _, err := DefaultPath(func(string) string { return "" }); err == nil {
		t.Error("no error without LocalAppData")
	}
}
