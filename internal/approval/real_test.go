package approval

import (
	"path/filepath"
	"testing"
)

func TestIsBelow(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		dir, path string
		want      bool
	}{
		{"/a", "/a/b", true},
		{"/a/", "/a/b", true},
		{"/a/", "/ab", false},
		{"/a", "/a", false},
		{"/", "/a", true},
		{"/a/../b", "/b/c", true},
	} {
		if got := IsBelow(filepath.FromSlash(test.dir), filepath.FromSlash(test.path)); got != test.want {
			t.Errorf("%s in %s: got %v", test.path, test.dir, got)
		}
	}
}
