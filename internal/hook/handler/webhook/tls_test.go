package webhook

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/checkrein/checkrein"
)

// An authority issues certificates for servers.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	tmpl := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test authority"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return &authority{cert, key}
}

func (a *authority) pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	return pool
}

// serve runs a server with a certificate for name that expires at until.
func (a *authority) serve(t *testing.T, name string, until time.Time, max uint16, fn http.HandlerFunc) (port string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	tmpl := &x509.Certificate{SerialNumber: big.NewInt(2), DNSNames: []string{name}, NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: until,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, a.cert, key.Public(), a.key)
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewUnstartedServer(fn)
	srv.Config.ErrorLog = log.New(io.Discard, "", 0)
	srv.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}, MinVersion: tls.VersionTLS10, MaxVersion: max}
	srv.StartTLS()
	t.Cleanup(srv.Close)
	_, port, _ = net.SplitHostPort(srv.Listener.Addr().String())
	return port
}

func TestTLS(t *testing.T) {
	t.Parallel()
	ours, theirs := newAuthority(t), newAuthority(t)
	later, earlier := time.Now().Add(time.Hour), time.Now().Add(-time.Hour)
	for _, tt := range []struct {
		name, cert string
		by         *authority
		until      time.Time
		version    uint16
		roots      *x509.CertPool
		err        string
	}{
		{"good", "hook.example", ours, later, tls.VersionTLS13, ours.pool(), ""},
		{"good, the version before", "hook.example", ours, later, tls.VersionTLS12, ours.pool(), ""},
		{"another name", "other.example", ours, later, tls.VersionTLS13, ours.pool(), "x509: certificate is valid for other.example, not hook.example"},
		{"unknown authority", "hook.example", theirs, later, tls.VersionTLS13, ours.pool(), "x509: certificate signed by unknown authority"},
		{"the system's authorities", "hook.example", ours, later, tls.VersionTLS13, nil, "x509: "},
		{"expired", "hook.example", ours, earlier, tls.VersionTLS13, ours.pool(), "x509: certificate has expired"},
		{"an old version", "hook.example", ours, later, tls.VersionTLS11, ours.pool(), "tls: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got requestLog
			port := tt.by.serve(t, tt.cert, tt.until, tt.version, got.watch(respondWith(200, `{"decision":"block","reason":"no"}`)))
			h := makeHandler(t, Options{Roots: tt.roots, Resolver: names{"hook.example": {"127.0.0.1"}}},
				checkrein.Hook{With: localSettings("https://hook.example:" + port + "/")})
			ans, err := h.Handle(t.Context(), shellEvent())
			if tt.err == "" {
				if err != nil || ans.Decision != checkrein.Deny || got.all()[0].host != "hook.example:"+port {
					t.Errorf("got %v, %v", ans.Decision, err)
				}
				return
			}
			wantError(t, err, tt.err)
			if n := len(got.all()); n != 0 || !ans.IsZero() {
				t.Errorf("got %+v, and the server saw %d requests", ans, n)
			}
		})
	}
	t.Run("a server without", func(t *testing.T) {
		t.Parallel()
		srv := serve(t, respondWith(200, ""))
		h := makeHandler(t, Options{}, checkrein.Hook{With: localSettings("https" + srv.URL[len("http"):])})
		_, err := h.Handle(t.Context(), shellEvent())
		wantError(t, err, "does not look like a TLS handshake")
	})
	t.Run("a redirect that gives it up", func(t *testing.T) {
		t.Parallel()
		var got requestLog
		plain := serve(t, got.watch(respondWith(200, "")))
		port := ours.serve(t, "hook.example", later, tls.VersionTLS13, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, plain.URL, http.StatusTemporaryRedirect)
		})
		h := makeHandler(t, Options{Roots: ours.pool(), Resolver: names{"hook.example": {"127.0.0.1"}}},
			checkrein.Hook{With: localSettings("https://hook.example:" + port + "/")})
		_, err := h.Handle(t.Context(), shellEvent())
		wantError(t, err, "which is not encrypted: use a URL that does not leave https")
		if len(got.all()) != 0 {
			t.Error("the event was sent all the same")
		}
	})
}
