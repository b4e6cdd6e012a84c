package addcontext

import (
	"github.com/checkrein/checkrein/internal/guard/guardtest"
	"testing"
)

func TestSystemNames(t *testing.T) {
	t.Parallel()
	for goos, want := range map[string]string{"darwin": "MacOS", "windows": "Windows", "linux": "Linux", "freebsd": "freebsd"} {
		guardtest.CheckEqual(t, systemName(goos), want)
	}
	for goarch, want := range map[string]string{"amd64": "x64", "arm64": "arm64"} {
		guardtest.CheckEqual(t, archName(goarch), want)
	}
}
