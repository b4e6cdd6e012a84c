package facts

import (
	"strings"
	"testing"
)

func TestIsSecretName(t *testing.T) {
	t.Parallel()
	for _, name := range readList(t, "secret_names.txt") {
		if !IsSecretName(name) {
			t.Errorf("%s holds no secret", name)
		}
	}
	for _, name := range append(readList(t, "ordinary_names.txt"), "", strings.Repeat("A", 200)+"_TOKEN") {
		if IsSecretName(name) {
			t.Errorf("%s holds a secret", name)
		}
	}
}
