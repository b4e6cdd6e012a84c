package secret

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/secret/rules"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

func TestRedactJSON(t *testing.T) {
	r := newRandom(7)
	tok := "ghp_" + randomLetters(r, base62, 36)
	pw := "Tr0ub4dor&3" + randomLetters(r, base62, 4)
	escaped := ""
	for i := range len(tok) {
		escaped += fmt.Sprintf(`\u%04x`, tok[i])
	}
	list := verifiableKeys(r)
	numbers := ""
	for _, k := range list {
		if k.name == "Solana numbers" {
			numbers = k.secret
		}
	}
	tests := []struct{ name, in, want string }{
		{"a value", `{"a": "x ` + tok + ` y"}`, `{"a": "x [REDACTED] y"}`},
		{"nested", `{"a":[{"b":"` + tok + `"},1,null]}`, `{"a":[{"b":"[REDACTED]"},1,null]}`},
		{"a key", `{"` + tok + `": 1}`, `{"[REDACTED]": 1}`},
		{"by its key", `{"user":"me","password":"` + pw + `"}`, `{"user":"me","password":"[REDACTED]"}`},
		{"a weak password", `{"password":"hunter2"}`, `{"password":"[REDACTED]"}`},
		{"an API key", `{"api_key" : "` + tok[4:] + `"}`, `{"api_key" : "[REDACTED]"}`},
		{"a value below", `{"adminPassword": {"type": "string", "value": "` + pw + `"}}`, `{"adminPassword": {"type": "string", "value": "[REDACTED]"}}`},
		{"name and value", `{"name":"DB_PASSWORD","value":"` + pw + `"}`, `{"name":"DB_PASSWORD","value":"[REDACTED]"}`},
		{"an argument", `["mysql","--password","` + pw + `"]`, `["mysql","--password","[REDACTED]"]`},
		{"a header", `{"headers":{"Authorization":"Bearer ` + tok[4:] + `"}}`, `{"headers":{"Authorization":"Bearer [REDACTED]"}}`},
		{"escaped", `{"a":"é\u00e9 ` + escaped + ` \u00e9"}`, `{"a":"é\u00e9 [REDACTED] \u00e9"}`},
		{"behind escapes", `{"a":"\ud83d\ude00\n\"` + tok + `\" \/x"}`, `{"a":"\ud83d\ude00\n\"[REDACTED]\" \/x"}`},
		{"JSON in it", `{"a":"{\"password\": \"` + pw + `\", \"b\":\"\\u00e9\"}"}`, `{"a":"{\"password\": \"[REDACTED]\", \"b\":\"\\u00e9\"}"}`},
		{"a string of JSON in it", `{"a":"\"ENV API_KEY=` + tok[4:] + `\\nEXPOSE 80\""}`, `{"a":"\"ENV API_KEY=[REDACTED]\\nEXPOSE 80\""}`},
		{"a key that another overrules", `{"a":"` + tok + `","a":1}`, `{"a":"[REDACTED]","a":1}`},
		{"numbers", `{"key":[` + numbers + `], "b":[1,2]}`, `{"key":["[REDACTED]"], "b":[1,2]}`},
		{"a number", `{"card": ` + "41111111" + `11111111}`, `{"card": "[REDACTED]"}`},
		{"spaces kept", "{ \"a\" :\n\t[ 1 , \"" + tok + "\" ] }\n", "{ \"a\" :\n\t[ 1 , \"[REDACTED]\" ] }\n"},
		{"a string", `"` + tok + `"`, `"[REDACTED]"`},
		{"no JSON", `{"a": ` + tok, `{"a": [REDACTED]`},
		{"nothing", `{"password": {"type":"string"}, "token": null, "max_tokens": 1024}`, `{"password": {"type":"string"}, "token": null, "max_tokens": 1024}`},
		{"labels", `{"password": "Password", "secret": "Enter the secret"}`, `{"password": "Password", "secret": "Enter the secret"}`},
	}
	for _, test := range tests {
		got, n := RedactJSON([]byte(test.in), rules.All, nil)
		if string(got) != test.want || (n > 0) != (test.in != test.want) {
			t.Errorf("%s: %s became %s, want %s", test.name, test.in, got, test.want)
		}
		if again, n := RedactJSON(got, rules.All, nil); n != 0 || string(again) != string(got) {
			t.Errorf("%s: a second time %s became %s", test.name, got, again)
		}
	}
}

func TestRedactJSONFindsAll(t *testing.T) {
	for _, test := range sampleFindings() {
		text := test.before + test.secret + test.after
		in, err := json.Marshal(map[string]any{"out": []any{text}})
		if err != nil {
			t.Fatal(err)
		}
		out, n := RedactJSON(in, rules.All, nil)
		if got, _ := rawjson.Text(out[len(`{"out":[`) : len(out)-2]); n == 0 || leakedPiece(got, test.secret) != "" {
			t.Errorf("%s: %s became %s", test.name, in, out)
		}
		twice, err := json.Marshal(map[string]string{"in": string(in)})
		if err != nil {
			t.Fatal(err)
		}
		if out, n := RedactJSON(twice, rules.All, nil); n == 0 || rawjson.Check(out) != nil || leakedPiece(strings.ReplaceAll(string(out), `\`, ""), strings.ReplaceAll(test.secret, `\`, "")) != "" {
			t.Errorf("%s: %s became %s", test.name, twice, out)
		}
	}
}

func FuzzRedactJSON(f *testing.F) {
	for _, test := range sampleFindings() {
		in, err := json.Marshal(map[string]any{"password": []any{test.before + test.secret + test.after}, test.secret: 1})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(in)
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		out, n := RedactJSON(in, rules.All, nil)
		if n == 0 && string(out) != string(in) {
			t.Fatalf("%q became %q", in, out)
		}
		if rawjson.Check(in) == nil && rawjson.Check(out) != nil {
			t.Fatalf("%q became %q, which is no JSON", in, out)
		}
		if again, n := RedactJSON(out, rules.All, nil); n > 0 {
			t.Fatalf("%q became %q and then %q", in, out, again)
		}
	})
}
