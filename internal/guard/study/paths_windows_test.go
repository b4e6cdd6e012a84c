package study

import "testing"

// TestRealPathOfVolume checks paths that are nothing but the name of a volume.
func TestRealPathOfVolume(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{`//c`: `\\c\`, `\\host`: `\\host\`, `\\host\share`: `\\host\share\`, `C:\`: `C:\`, `c:`: `c:`} {
		for _, follow := range []bool{false, true} {
			if got := RealPath(path, follow); got != want {
				t.Errorf("RealPath(%q, %v) = %q, want %q", path, follow, got, want)
			}
		}
	}
}
