package files

import (
	"testing"

	"github.com/checkrein/checkrein/internal/catalog/facts"
)

// What is protected because it holds keys or credentials may not be sent away either.
func TestGuardsAreSecret(t *testing.T) {
	t.Parallel()
	n := 0
	for _, g := range homeProtected {
		if g.kind != kindKeys && g.kind != kindCloud {
			continue
		}
		if n++; !facts.IsSecretFile("~/"+g.path) && !facts.IsSecretFile("~/"+g.path+"/x") {
			t.Errorf("~/%s is protected as %s, and no secret", g.path, g.kind)
		}
	}
	if n == 0 {
		t.Error("nothing is protected because of its secrets")
	}
}
