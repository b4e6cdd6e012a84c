package webhook

import (
	"net/http"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/sys/build"
	"github.com/google/go-cmp/cmp"
)

func TestHeaders(t *testing.T) {
	t.Parallel()
	environ := []string{"TOKEN=t0p", "OTHER=0th3r", "EMPTY=", "NESTED=${env.TOKEN}", "LATIN=\xe9", "CRLF=a\r\nX-Evil: 1", "NUL=\x00"}
	for _, tt := range []struct {
		name, headers, allowed string
		want                   map[string]string
		log, err               string
	}{
		{name: "plain", headers: `{"X-A":"b","x-lower":"c"}`, want: map[string]string{"X-A": "b", "X-Lower": "c"}},
		{name: "none", headers: `{}`},
		{name: "null", headers: `null`, allowed: `null`},
		{name: "listed", headers: `{"Authorization":"Bearer ${env.TOKEN}"}`, allowed: `["TOKEN"]`, want: map[string]string{"Authorization": "Bearer t0p"}},
		{name: "several in one", headers: `{"A":"${env.TOKEN}-${env.OTHER}${env.TOKEN}"}`, allowed: `["OTHER","TOKEN"]`, want: map[string]string{"A": "t0p-0th3rt0p"}},
		{name: "not listed", headers: `{"Authorization":"Bearer ${env.TOKEN}"}`, want: map[string]string{"Authorization": "Bearer"},
			log: "${env.TOKEN} is left empty: list TOKEN in allowed_env to send it"},
		{name: "not listed, told once", headers: `{"A":"${env.TOKEN}${env.TOKEN}","B":"x${env.TOKEN}"}`, allowed: `["OTHER"]`, want: map[string]string{"A": "", "B": "x"},
			log: "${env.TOKEN} is left empty: list TOKEN in allowed_env to send it"},
		{name: "case counts", headers: `{"A":"${env.TOKEN}"}`, allowed: `["token"]`, want: map[string]string{"A": ""}, log: "${env.TOKEN} is left empty: list TOKEN in allowed_env to send it"},
		{name: "not set", headers: `{"A":"x${env.NO}"}`, allowed: `["NO"]`, want: map[string]string{"A": "x"}, log: "${env.NO} is empty: NO is not set"},
		{name: "set to nothing", headers: `{"A":"x${env.EMPTY}"}`, allowed: `["EMPTY"]`, want: map[string]string{"A": "x"}},
		{name: "values are no templates", headers: `{"A":"${env.NESTED}"}`, allowed: `["NESTED","TOKEN"]`, want: map[string]string{"A": "${env.TOKEN}"}},
		{name: "other spellings stay", headers: `{"A":"$TOKEN ${TOKEN} ${env.} ${env.A B} ${env.TOKEN"}`, allowed: `["TOKEN"]`,
			want: map[string]string{"A": "$TOKEN ${TOKEN} ${env.} ${env.A B} ${env.TOKEN"}},
		{name: "one inside another", headers: `{"A":"${env.${env.TOKEN}}"}`, allowed: `["TOKEN"]`, want: map[string]string{"A": "${env.t0p}"}},
		{name: "a tab", headers: `{"A":"a\tb"}`, want: map[string]string{"A": "a\tb"}},
		{name: "ours may be replaced", headers: `{"user-agent":"me","CONTENT-TYPE":"application/json; charset=utf-8"}`,
			want: map[string]string{"User-Agent": "me", "Content-Type": "application/json; charset=utf-8"}},
		{name: "bytes beyond ASCII", headers: `{"A":"${env.LATIN}"}`, allowed: `["LATIN"]`, want: map[string]string{"A": "\xe9"}},

		{name: "a line break in a variable", headers: `{"A":"${env.CRLF}"}`, allowed: `["CRLF"]`, err: "header A: a variable in it contains a line break"},
		{name: "a zero byte in a variable", headers: `{"A":"${env.NUL}"}`, allowed: `["NUL"]`, err: "header A: a variable"},
		{name: "a line break", headers: `{"A":"x\r\nHost: evil"}`, err: "header A: the value contains a line break"},
		{name: "a line feed", headers: `{"A":"x\ny"}`, err: "header A: the value"},
		{name: "a zero byte", headers: `{"A":"\u0000"}`, err: "header A: the value"},
		{name: "a line break in a name", headers: `{"A\r\nB":"x"}`, err: "not a valid header name"},
		{name: "a colon in a name", headers: `{"A:":"x"}`, err: "not a valid header name"},
		{name: "a blank in a name", headers: `{"A B":"x"}`, err: "not a valid header name"},
		{name: "no name", headers: `{"":"x"}`, err: "not a valid header name"},
		{name: "letters beyond ASCII in a name", headers: `{"Ä":"x"}`, err: "not a valid header name"},
		{name: "host", headers: `{"host":"evil.example"}`, err: "header Host: it is set automatically"},
		{name: "length", headers: `{"Content-Length":"0"}`, err: "header Content-Length"},
		{name: "encoding", headers: `{"TRANSFER-ENCODING":"chunked"}`, err: "header Transfer-Encoding"},
		{name: "connection", headers: `{"connection":"keep-alive"}`, err: "header Connection"},
		{name: "upgrade", headers: `{"Upgrade":"websocket"}`, err: "header Upgrade"},
		{name: "twice", headers: `{"A":"x","a":"y"}`, err: "header A is set twice: remove one"},
		{name: "a number", headers: `{"A":1}`, err: "put it in quotes"},
		{name: "a list", headers: `["A: b"]`, err: "headers must be a mapping of names to strings"},
		{name: "a list of more than names", headers: `{}`, allowed: `[1]`, err: "allowed_env contains 1"},
		{name: "a list of more than variables", headers: `{}`, allowed: `["A B"]`, err: "not a variable name"},
		{name: "no list", headers: `{}`, allowed: `"TOKEN"`, err: "allowed_env must be a list of names"},
		{name: "every mistake is told", headers: `{"Host":"x","A":1}`, allowed: `{}`, err: "quotes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got requestLog
			srv := serve(t, got.watch(respondWith(200, "{}")))
			if tt.allowed == "" {
				tt.allowed = "[]"
			}
			h, err := tryHandler(Options{Environ: environ}, checkrein.Hook{With: localSettings(srv.URL, `"headers":`+tt.headers, `"allowed_env":`+tt.allowed)})
			var ans checkrein.Answer
			if err == nil {
				ans, err = h.Handle(t.Context(), shellEvent())
			}
			if tt.err != "" {
				wantError(t, err, tt.err)
				if len(got.all()) != 0 || strings.Contains(err.Error(), "X-Evil") {
					t.Errorf("%d requests, %v", len(got.all()), err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if ans.Log != tt.log {
				t.Errorf("log %q, want %q", ans.Log, tt.log)
			}
			want := http.Header{"Content-Type": {"application/json"}, "User-Agent": {"checkrein/" + build.Version}, "Connection": {"close"}}
			for k, v := range tt.want {
				want.Set(k, v)
			}
			have := got.all()[0].header
			have.Del("Content-Length")
			if diff := cmp.Diff(want, have); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestHeadersOfTheProcess checks that a nil environment means that of the process.
func TestHeadersOfTheProcess(t *testing.T) {
	t.Setenv("CHECKREIN_TEST_TOKEN", "x")
	headers, err := readHeaders([]byte(`{"A":"${env.CHECKREIN_TEST_TOKEN}"}`), func(string) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	got, _, err := fillHeaders(headers, nil)
	if err != nil || got.Get("A") != "x" {
		t.Errorf("got %v, %v", got, err)
	}
}
