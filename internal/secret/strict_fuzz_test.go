package secret

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/checkrein/checkrein/internal/text/rawjson"
)

func FuzzStrictText(f *testing.F) {
	for _, place := range append(SamplePlaces, SampleNamedPlaces...) {
		f.Add(strings.ReplaceAll(place, "%s", "hunter2"))
		f.Add(strings.ReplaceAll(place, "%s", "gh"+"p_"+sampleBase62(36)))
	}
	for _, secret := range SampleTokens() {
		f.Add(secret)
	}
	secret := "gl" + "pat-" + sampleBase62(20)
	f.Fuzz(func(t *testing.T, s string) {
		got := Redactor{}.MaskText(s)
		if again := (Redactor{}).MaskText(got); again != got {
			t.Fatalf("Text(%q) = %q, and again %q", s, got, again)
		}
		if utf8.ValidString(s) && !utf8.ValidString(got) {
			t.Fatalf("Text(%q) = %q", s, got)
		}
		if strings.Contains(s, secret) {
			return
		}
		if planted := s + " " + secret + " " + s; strings.Contains(Redactor{}.MaskText(planted), secret) {
			t.Fatalf("the secret in %q survives", planted)
		}
	})
}

func FuzzStrictJSON(f *testing.F) {
	for _, s := range []string{
		`{"password":"x","a":[1,{"token":2}]}`, `{"a":"{\"auth\":{\"b\":\"c\"}}"}`, `["--password","x"]`, `[{"name":"SECRET","value":"x"}]`,
		`{"a":`, "\xff", `"\ud800"`, `{"pass\u0077ord":1e5}`, ` [ true , null ] `, `{"":{"":""}}`, "",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		got := Redactor{}.MaskJSON(b)
		if err := rawjson.Check(got); err != nil {
			t.Fatalf("JSON(%q) = %q: %v", b, got, err)
		}
		if compact := rawjson.Compact(nil, got); string(compact) != string(got) {
			t.Fatalf("JSON(%q) = %q is not compact", b, got)
		}
		if again := (Redactor{}).MaskJSON(got); string(again) != string(got) {
			t.Fatalf("JSON(%q) = %q, and again %q", b, got, again)
		}
	})
}
