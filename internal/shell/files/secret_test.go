package files

import (
	"testing"

	"github.com/checkrein/checkrein/internal/catalog/facts"
)

// TestProtectedKeysAreSecret checks that paths which are protected because they contain keys or
// credentials are secret files too, so that they may not be sent.
func TestProtectedKeysAreSecret(t *testing.T) {
	t.Parallel()
	n := 0
	for _, g := range homeProtected {
		if g.kind != kindKeys && g.kind != kindCloud {
			continue
		}
		if n++; !facts.IsSecretFile("~/"+g.path) && !facts.IsSecretFile("~/"+g.path+"/x") {
			t.Errorf("~/%s is protected as %s, but is not a secret file", g.path, g.kind)
		}
	}
	if n == 0 {
		t.Error("no path is protected because of its secrets")
	}
}
