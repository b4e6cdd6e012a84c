package localhttp

import (
	"strings"
	"testing"
)

func TestOnlyLoopbackAddresses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"127.0.0.1:0": "127.0.0.1:0", "localhost:80": "127.0.0.1:80", "[::1]:8000": "[::1]:8000", "127.8.9.1:1": "127.8.9.1:1",
		"0.0.0.0:1": "", ":1": "", "[::]:1": "", "10.0.0.1:1": "", "example.com:1": "", "[fe80::1%lo]:1": "", "127.0.0.1": "", "127.0.0.1:65536": "", "127.0.0.1:-1": "", "127.1:80": "", "0x7f.1:80": "", "": "",
	} {
		a, err := ParseAddress(text)
		if got := a.at.String(); want == "" && err == nil || want != "" && got != want {
			t.Errorf("%q: %s, %v", text, got, err)
		}
	}
	if _, err := (Address{}).Listen(); err == nil {
		t.Error("no address is one")
	}
}

func TestHostHeaderNamesThisMachine(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]bool{
		"localhost": true, "LocalHost:80": true, "127.0.0.1:9": true, "[::1]:80": true, "[::1]": true, "127.0.0.2": true,
		"": false, "localhost.": false, "localhost.example": false, "x.localhost": false, "127.0.0.1.example": false, "192.168.0.1": false, "0.0.0.0": false, "[::]": false, "localhost:80:90": false, "[::ffff:10.0.0.1]": false,
	} {
		if got := isLoopbackHost(host); got != want {
			t.Errorf("%q: %v", host, got)
		}
	}
}

func TestTokenMatchesOnlyItself(t *testing.T) {
	t.Parallel()
	token, err := NewToken()
	if err != nil || len(token.String()) != 64 {
		t.Fatal(token, err)
	}
	for header, want := range map[string]bool{
		"Bearer " + token.String(): true, "bearer  " + token.String(): true,
		"": false, "Bearer": false, "Bearer ": false, token.String(): false, "Basic " + token.String(): false, "Bearer " + token.String()[1:]: false, "Bearer " + strings.ToUpper(token.String()) + "x": false,
	} {
		if got := token.matches(header); got != want {
			t.Errorf("%q: %v", header, got)
		}
	}
	if (Token{}).matches("Bearer ") || (Token{}).matches("") {
		t.Error("no token opens something")
	}
}
