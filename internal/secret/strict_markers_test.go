package secret

import "testing"

// TestStrictKeepsMarkers checks that records keep markers with an id, which show whether the secret
// reached the model all the same.
func TestStrictKeepsMarkers(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"token=[REDACTED:4596ae31]", `password: "[REDACTED:4596ae31]"`, "mysql -p[REDACTED:4596ae31]",
		"https://u:[REDACTED:4596ae31]@h/", "API_KEY=[REDACTED:4596ae31] SECRET='[REDACTED:00112233]'", "a [REDACTED:4596ae31] b", "export DB_PASSWORD=[REDACTED:4596ae31]", "Authorization: Bearer [REDACTED:4596ae31]",
	} {
		if got := (Redactor{}).MaskText(s); got != s {
			t.Errorf("%s became %s", s, got)
		}
	}
	if got := string((Redactor{}).MaskJSON([]byte(`{"password":"[REDACTED:4596ae31]","token":"x [REDACTED:4596ae31] y"}`))); got != `{"password":"[REDACTED:4596ae31]","token":"[REDACTED:4596ae31]"}` {
		t.Errorf("JSON became %s", got)
	}
}
