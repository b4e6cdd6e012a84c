package facts

import (
	"os"
	"strings"
	"testing"
)

// readList reads a list of names that other tests use too, with every program.
func readList(t *testing.T, name string) []string {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

func TestIsSecretFile(t *testing.T) {
	t.Parallel()
	for _, p := range readList(t, "secret_files.txt") {
		if !IsSecretFile(p) {
			t.Errorf("%q is a secret file", p)
		}
	}
	for _, p := range append(readList(t, "ordinary_files.txt"), "", strings.Repeat("a", 5000)+"/.env") {
		if IsSecretFile(p) {
			t.Errorf("%q is no secret file", p)
		}
	}
}
