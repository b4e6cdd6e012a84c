package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestCertificateDates checks that a certificate which clients refuse because of its dates is logged when
// it is read, once.
func TestCertificateDates(t *testing.T) {
	t.Parallel()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	for name, tt := range map[string]struct {
		from, until time.Time
		logged      int
	}{
		"valid":     {now.Add(-time.Hour), now.Add(time.Hour), 0},
		"expired":   {now.Add(-2 * time.Hour), now.Add(-time.Hour), 1},
		"not begun": {now.Add(time.Hour), now.Add(2 * time.Hour), 1},
	} {
		der, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: tt.from, NotAfter: tt.until}, &x509.Certificate{}, public, private)
		if err != nil {
			t.Fatal(err)
		}
		var log bytes.Buffer
		dir := t.TempDir()
		c := certificate{cert: filepath.Join(dir, "hub.crt"), key: filepath.Join(dir, "hub.key"), log: slog.New(slog.NewTextHandler(&log, nil))}
		for path, block := range map[string]*pem.Block{c.cert: {Type: "CERTIFICATE", Bytes: der}, c.key: {Type: "PRIVATE KEY", Bytes: secret}} {
			if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 {
			if _, err := c.get(nil); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if got := strings.Count(log.String(), "will refuse the certificate"); got != tt.logged {
			t.Errorf("%s: logged %d times, not %d: %s", name, got, tt.logged, &log)
		}
	}
}
