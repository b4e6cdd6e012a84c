package secret

import (
	"strconv"
	"strings"
	"testing"
)

// TestCleanTexts checks that what was found to be clean does not make anything else count as clean: not
// the same value under another name, and no text with a secret, however often it is masked.
func TestCleanTexts(t *testing.T) {
	t.Parallel()
	const token = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
	var r Redactor
	for range 3 {
		if got := r.MaskName("name-of-a-session"); got != "name-of-a-session" {
			t.Errorf("a name became %s", got)
		}
		if got := r.MaskName("x-" + token); strings.Contains(got, token) {
			t.Errorf("a name keeps its token: %s", got)
		}
		if got := string(r.MaskJSON([]byte(`{"title":"hunter2Kp","n":12}`))); got != `{"title":"hunter2Kp","n":12}` {
			t.Errorf("an ordinary document became %s", got)
		}
		for _, doc := range []string{`{"password":"hunter2Kp"}`, `{"title":"hunter2Kp ` + token + `"}`, `{"name":"password","value":"hunter2Kp"}`} {
			if got := string(r.MaskJSON([]byte(doc))); !strings.Contains(got, Marker) {
				t.Errorf("a secret in %s remains", doc)
			}
		}
	}
	var c cleanTexts
	for i := range 3 * maxCleanTexts {
		c.add("n", strconv.Itoa(i))
	}
	c.add("n", strings.Repeat("a", maxCleanText))
	if len(c.newer)+len(c.older) > 2*maxCleanTexts || c.has("n", "0") || !c.has("n", strconv.Itoa(3*maxCleanTexts-1)) || c.has("", "0") || c.has("n", strings.Repeat("a", maxCleanText)) {
		t.Errorf("%d and %d texts are kept", len(c.newer), len(c.older))
	}
}
