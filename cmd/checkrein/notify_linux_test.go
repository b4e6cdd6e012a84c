package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// certificate writes a certificate for 127.0.0.1 with its key, and returns a client that trusts it.
func (d *desk) certificate() (cert, key string, client *http.Client) {
	d.t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		d.t.Fatal(err)
	}
	tmpl := x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, &tmpl, &tmpl, private.Public(), private)
	if err != nil {
		d.t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		d.t.Fatal(err)
	}
	cert, key = filepath.Join(d.home, "desk.pem"), filepath.Join(d.home, "desk.key")
	chain := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	d.write(cert, string(chain))
	d.write(key, string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw})))
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(chain)
	return cert, key, &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}}
}

// TestApprovalMessages has a service and the desktop get a message about a call that waits. It has nothing of
// the call, and a link whose secret stays in the fragment.
func TestApprovalMessages(t *testing.T) {
	t.Parallel()
	got := make(chan string, 9)
	service := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- r.URL.String() + " " + string(body)
	}))
	defer service.Close()
	d := newDesk(t, "version: 1\napprovals: {notify: [ops, desktop]}\nchannels: {ops: 'generic+"+service.URL+"/alert'}\n", "version: 1\n")
	shown := filepath.Join(d.home, "shown")
	d.write(filepath.Join(d.home, "bin", "notify-send"), "#!/bin/sh\nprintf '%s\\n' \"$*\" >>"+shown+"\n")
	if err := os.Chmod(filepath.Join(d.home, "bin", "notify-send"), 0o700); err != nil {
		t.Fatal(err)
	}
	d.env = append(d.env, "PATH="+filepath.Join(d.home, "bin")+":"+programs+":/usr/bin:/bin")
	cert, key, client := d.certificate()
	lan := freeAddress(t)
	d.serve("--lan", lan, "--tls-cert", cert, "--tls-key", key, "--url", "https://phone.example:8443/")
	_, _, handle := d.askHook(overwrite, "s1", "c1")
	text := <-got
	m := regexp.MustCompile(`https://phone\.example:8443(/approve/)#(\S+?)["\s]*$`).FindStringSubmatch(text)
	if m == nil || !strings.HasPrefix(m[2], handle+".") || strings.Contains(text, "docker") || strings.Contains(text, "data") || strings.Contains(text, d.project) {
		t.Fatalf("the service got %s", text)
	}
	for text := []byte(nil); ; {
		if text, _ = os.ReadFile(shown); !bytes.HasSuffix(text, []byte("\n")) {
			continue
		}
		if strings.Contains(string(text), handle) || strings.Contains(string(text), "docker") || strings.Contains(string(text), "#") || !strings.Contains(string(text), "checkrein open") {
			t.Errorf("the desktop shows %s", text)
		}
		break
	}
	testPhonePages(t, client, lan, m[2])
	if _, text := d.run("approvals", "--json"); !strings.Contains(text, handle) {
		t.Error("a request without a proof has answered the call")
	}
}

// freeAddress returns a loopback address on which nothing listens.
func freeAddress(t *testing.T) string {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().String()
}

// testPhonePages checks what others on the network get at the address for phones: nothing but a page
// without contents, unless they have a link. GET answers nothing, as the previews of messengers send it.
func testPhonePages(t *testing.T, client *http.Client, addr, link string) {
	t.Helper()
	request := func(method, path, body string) (int, string) {
		t.Helper()
		r, err := http.NewRequest(method, "https://"+addr+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Origin", "https://"+addr)
		r.Header.Set("Content-Type", "application/json")
		resp, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, _ := io.ReadAll(resp.Body)
		return resp.StatusCode, string(text)
	}
	forged := strings.NewReplacer("A", "B", "a", "b", "0", "1").Replace(link[5:])
	for _, tt := range []struct {
		method, path, body string
		want               int
		text               string
	}{
		{"POST", "/approve/show", `{"link":"` + link + `"}`, 200, "docker volume rm data"},
		{"POST", "/approve/show", `{"link":"` + link[:5] + forged + `"}`, 403, "wrong or has expired"},
		{"POST", "/approve/show", `{"link":"` + link[:len(link)-2] + `"}`, 403, "wrong or has expired"},
		{"POST", "/approve/show", `{}`, 403, "wrong or has expired"},
		{"POST", "/approve/show", `{"link":"` + strings.Repeat("x", 70_000) + `"}`, 413, "cannot be read"},
		{"POST", "/approve/answer", `{"link":"` + link + `","answer":{"decision":"allow"}}`, 400, "another call"},
		{"GET", "/approve/", "", 200, "An approval"},
		{"GET", "/approve/answer", "", 404, ""},
		{"GET", "/approve/show?link=" + link, "", 404, ""},
		{"GET", "/", "", 404, ""},
		{"GET", "/v1/approvals", "", 404, ""},
		{"POST", "/v1/events", "{}", 404, ""},
		{"GET", "/approve/../r/2", "", 404, ""},
	} {
		status, text := request(tt.method, tt.path, tt.body)
		if status != tt.want || !strings.Contains(text, tt.text) || tt.method == "GET" && strings.Contains(text, "docker") {
			t.Errorf("%s %.40s %.60s: %d %.300s", tt.method, tt.path, tt.body, status, text)
		}
	}
	resp, err := http.Get("http://" + addr + "/approve/")
	if err == nil {
		defer resp.Body.Close()
		if text, _ := io.ReadAll(resp.Body); resp.StatusCode == 200 {
			t.Errorf("without TLS: %s", text)
		}
	}
}
