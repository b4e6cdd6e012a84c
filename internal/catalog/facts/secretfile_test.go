package facts

import (
	"os"
	"strings"
	"testing"
)

// listed reads a list that the tests of this package share with those that try the
// same names with every program.
func listed(t *testing.T, name string) []string {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

func TestSecretFile(t *testing.T) {
	t.Parallel()
	for _, p := range listed(t, "secret_files.txt") {
		if !SecretFile(p) {
			t.Errorf("%q is a secret file", p)
		}
	}
	for _, p := range append(listed(t, "ordinary_files.txt"), "", strings.Repeat("a", 5000)+"/.env") {
		if SecretFile(p) {
			t.Errorf("%q is no secret file", p)
		}
	}
}
