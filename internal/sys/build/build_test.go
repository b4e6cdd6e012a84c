package build

import "testing"

func TestModuleVersion(t *testing.T) {
	t.Parallel()
	for noted, want := range map[string]string{
		"": "dev", "(devel)": "dev", "v0.6.1-0.20261119200000-cd9ca7b9aaaa+dirty": "dev",
		"v0.6.0": "0.6.0", "v0.6.1-0.20261119200000-cd9ca7b9aaaa": "0.6.1-0.20261119200000-cd9ca7b9aaaa",
	} {
		if got := moduleVersion(noted); got != want {
			t.Errorf("%q: got %q, want %q", noted, got, want)
		}
	}
}
