package desktest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"regexp"
	"strings"
	"testing"
	"time"
)

// writeCertificate writes a certificate for 127.0.0.1 and its key into the home.
func (w *world) writeCertificate() {
	w.t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		w.t.Fatal(err)
	}
	tmpl := x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	cert, err := x509.CreateCertificate(rand.Reader, &tmpl, &tmpl, private.Public(), private)
	if err != nil {
		w.t.Fatal(err)
	}
	key, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		w.t.Fatal(err)
	}
	w.write("../desk.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert})))
	w.write("../desk.key", string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})))
}

// TestPhone enrols the browser of a phone, which reaches only the pages of approvals, and answers there.
func TestPhone(t *testing.T) {
	w := newWorld(t)
	browser := startChromium(t)
	w.configure(prodRule)
	w.writeCertificate()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	lan := ln.Addr().String()
	ln.Close()
	w.serve("--lan", lan, "--tls-cert", "../desk.pem", "--tls-key", "../desk.key")
	b := browser.newTab()
	b.resize(390, 844, true)
	b.do("Security.setIgnoreCertificateErrors", map[string]any{"ignore": true}, nil) // the phone trusts it
	p := w.atTerminal("approvals", "phone", "add", "pixel", "--url", "https://"+lan)
	b.open(regexp.MustCompile(`https://\S+/approve/#enrol=[0-9a-f]+`).FindString(p.readUntil("Waiting")))
	b.checkPage("the page of an enrolment", axe(t))
	b.keepPicture("enrol phone")
	b.click("#enrol")
	b.until(`document.querySelector("#fingerprint").textContent.length > 10`)
	if shown := p.readUntil("[y/N] "); !strings.Contains(shown, b.text(`document.querySelector("#fingerprint").textContent`)) {
		t.Errorf("the terminal shows another key: %s", shown)
	}
	p.answer("y")
	p.end()

	link := w.linkTo(w.blocked("deploy prod", "Ship it"))
	b.open("https://" + lan + link)
	b.until(`document.querySelector("#proofs").innerText.includes("The key of this browser, pixel")`)
	if text := b.text(`document.body.innerText + location.href`); !strings.Contains(text, "deploy prod") || strings.Contains(text, "#") {
		t.Errorf("the page: %s", text)
	}
	for _, dark := range []bool{false, true} {
		b.preferDark(dark)
		b.checkPage("the page of a link", axe(t))
		b.keepPicture(fmt.Sprint("link, dark: ", dark))
	}
	b.click("button[value=once]")
	b.until(`document.querySelector("#status").textContent.startsWith("Allowed.")`)
	if answer := w.agent(call{Command: "deploy prod"})[0]; strings.Contains(answer, `"deny"`) {
		t.Errorf("the retry: %s", answer)
	}
	b.open("https://" + lan + link)
	b.until(`document.querySelector("#status").textContent.includes("(phone pixel)") && document.querySelector("#form").hidden`)
}
