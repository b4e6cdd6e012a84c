package placeholder_test

import (
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/secret/placeholder"
	"pgregory.net/rapid"
)

// TestMarkersAreNoSecrets checks that redacted text is not redacted again, whatever its markers are.
func TestMarkersAreNoSecrets(t *testing.T) {
	t.Parallel()
	places := []string{"PASSWORD=%s\n", "password: %s", `{"password":"%s"}`, "api_key = '%s'", "Authorization: Bearer %s", "https://me:%s@host.example/x", "mysql -u root -p%s",
		"export AWS_SECRET_ACCESS_KEY=%s", "token %s", "curl -u me:%s https://h.example", "     3→SECRET_KEY=%s", "+DB_PASSWORD=%s", "%s%s", "Cookie: session=%s"}
	rapid.Check(t, func(t *rapid.T) {
		k := (*placeholder.Key)(rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "key"))
		value := rapid.StringMatching(`[A-Za-z0-9]{20,40}`).Draw(t, "value")
		var b strings.Builder
		for range rapid.IntRange(1, 6).Draw(t, "lines") {
			b.WriteString(strings.ReplaceAll(rapid.SampledFrom(places).Draw(t, "place"), "%s", value) + "\n")
		}
		c := secret.Cleaner{Want: secret.Secrets, Mark: func(text string, f secret.Finding) string { return k.Marker(text[f.Start:f.End]) }}
		once, _ := c.RedactText(b.String())
		twice, n := c.RedactText(once)
		if twice != once || n != 0 {
			t.Fatalf("%q\nonce  %q\ntwice %q", b.String(), once, twice)
		}
		marked := strings.ReplaceAll(b.String(), value, k.Marker(value))
		if again, n := c.RedactText(marked); n != 0 {
			t.Fatalf("%q\nagain %q", marked, again)
		}
	})
}
