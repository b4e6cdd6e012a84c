package secret

import (
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/text/rawjson"
)

func TestStrictJSON(t *testing.T) {
	token := "gh" + "p_" + sampleBase62(36)
	escaped := `\u0067\u0068` + token[2:]
	tests := []struct{ name, in, want string }{
		{"literals", ` [ true , false , null , -1.5e+3 , {} , [] , "" ] `, `[true,false,null,-1.5e+3,{},[],""]`},
		{"spelling is kept", `{"a\u0062":"\u00e9\/\n<"}`, `{"a\u0062":"\u00e9\/\n<"}`},
		{"string", `"` + token + `"`, `"[REDACTED]"`},
		{"escaped", `{"a":"x \"` + escaped + `\" y"}`, `{"a":"x \"[REDACTED]\" y"}`},
		{"key", `{"` + token + `":1,"` + escaped + `":2}`, `{"[REDACTED]":1,"[REDACTED]":2}`},
		{"named", `{"password":"xyz","user":"y"}`, `{"password":"[REDACTED]","user":"y"}`},
		{"named with escapes", `{"pass\u0077ord":"xyz"}`, `{"pass\u0077ord":"[REDACTED]"}`},
		{"number", `{"pin_token":12.5e3,"a":-1}`, `{"pin_token":"[REDACTED]","a":-1}`},
		{"literal", `{"password":null,"secret":true,"token":false}`, `{"password":null,"secret":true,"token":false}`},
		{"empty", `{"password":""}`, `{"password":""}`},
		{"number below", `{"credentials":{"pin":1,"password":2468}}`, `{"credentials":{"pin":1,"password":"[REDACTED]"}}`},
		{"counts stay", `{"max_tokens":5,"token_count":6,"tokens_used":7,"tokens":8,"author":"x","pass":9}`, `{"max_tokens":5,"token_count":6,"tokens_used":7,"tokens":8,"author":"x","pass":9}`},
		{"soft", `{"tokens":["abc"],"pass":"bcd"}`, `{"tokens":["[REDACTED]"],"pass":"[REDACTED]"}`},
		{"name and value", `[{"name":"DB_PASSWORD","value":"xyz"},{"name":"A","value":"y"}]`, `[{"name":"DB_PASSWORD","value":"[REDACTED]"},{"name":"A","value":"y"}]`},
		{"arguments", `["login","--password","xyz","--user","y","--token","--other"]`, `["login","--password","[REDACTED]","--user","y","--token","--other"]`},
		{"folder", `{"pwd":"/work/project","cwd":"/work"}`, `{"pwd":"/work/project","cwd":"/work"}`},
		{"no folder", `{"pwd":"xyz"}`, `{"pwd":"[REDACTED]"}`},
		{"nested", `{"a":"{\"password\": \"xyz\", \"b\": 1}"}`, `{"a":"{\"password\": \"[REDACTED]\", \"b\": 1}"}`},
		{"nested, escaped", `{"a":"[\"\\u0067\\u0068` + token[2:] + `\"]"}`, `{"a":"[\"[REDACTED]\"]"}`},
		{"nested, clean", `{"a":"{\"b\": 1}"}`, `{"a":"{\"b\": 1}"}`},
		{"command", `{"command":"curl -H \"Authorization: Bearer ` + token + `\" https://x"}`, `{"command":"curl -H \"Authorization: [REDACTED]\" https://x"}`},
		{"half a pair", `{"a":"\ud800 ` + token + `"}`, `{"a":"\ud800 [REDACTED]"}`},
		{"no json", `{"a":` + token, `"{\"a\":[REDACTED]"`},
		{"no utf-8", "\xff" + ` password=xyz`, `"` + "\ufffd" + ` password=[REDACTED]"`},
		{"nothing", ``, `""`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := []byte(tt.in)
			got := Redactor{}.MaskJSON(in)
			if string(got) != tt.want {
				t.Errorf("JSON(%s)\n got %s\nwant %s", tt.in, got, tt.want)
			}
			if string(in) != tt.in {
				t.Error("the argument changed")
			}
			if again := (Redactor{}).MaskJSON(got); string(again) != string(got) {
				t.Errorf("again: %s", again)
			}
		})
	}
}

func TestStrictJSONCompacts(t *testing.T) {
	doc := toolCallPayload(t, 20<<10)
	if got, want := string(Redactor{}.MaskJSON(doc)), string(rawjson.Compact(nil, doc)); got != want {
		t.Errorf("got %d bytes, want the %d of the compact value", len(got), len(want))
	}
}

func TestStrictJSONDeep(t *testing.T) {
	deep := strings.Repeat(`{"a":[`, rawjson.MaxDepth/2) + `"password=xyz"` + strings.Repeat("]}", rawjson.MaxDepth/2)
	if got := string(Redactor{}.MaskJSON([]byte(deep))); !strings.Contains(got, `"password=[REDACTED]"`) || rawjson.Check([]byte(got)) != nil {
		t.Errorf("got %.80s", got)
	}
	nested := `"password=xyz"`
	for range 10 {
		nested = string(rawjson.Quote("[" + nested + "]"))
	}
	got := Redactor{}.MaskJSON([]byte(nested))
	if strings.Contains(string(got), "=xyz") || rawjson.Check(got) != nil {
		t.Errorf("got %.200s", got)
	}
}
