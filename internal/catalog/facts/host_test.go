package facts

import (
	"strings"
	"testing"
)

func TestHostOf(t *testing.T) {
	t.Parallel()
	for _, r := range []struct {
		text, name string
		zone       Zone
	}{
		{"https://Example.com/x", "example.com", Away}, {"example.com:8080/x", "example.com", Away}, {"http://u:p@example.com:1/", "example.com", Away},
		{"http://localhost:3000", "localhost", Here}, {"http://LOCALHOST", "localhost", Here}, {"http://a.localhost", "a.localhost", Here}, {"127.0.0.1", "127.0.0.1", Here},
		{"http://localhost.", "localhost", Here}, {"http://localhost:/", "localhost", Here}, {"http://localhost:\uFFFC/x", "localhost", Here}, {"http://\uFFFC:\uFFFC@localhost/x", "localhost", Here},
		{"localhost", "localhost", Here}, {"user@localhost", "localhost", Here}, {"ws://localhost:1/", "localhost", Here}, {"jdbc:postgresql://localhost:5432/db", "localhost", Here},
		{"http://host.docker.internal:11434/", "host.docker.internal", Here}, {"http://127.0.0.1:8000?email=a@b.example", "127.0.0.1", Here}, {"http://localhost/a@b.example", "localhost", Here},
		{"postgres://u:p@ss@localhost/db", "localhost", Here}, {"mongodb://localhost:1,127.0.0.1:2/db", "localhost", Here}, {"  http://localhost/ ", "localhost", Here},

		// IP addresses in the forms that systems accept.
		{"127.1", "127.1", Here}, {"127.255.0.9:80", "127.255.0.9", Here}, {"2130706433", "2130706433", Here}, {"http://0x7f000001/", "0x7f000001", Here}, {"http://0x7f.1/", "0x7f.1", Here},
		{"http://[::1]:80/", "::1", Here}, {"http://[0:0:0:0:0:0:0:1]/", "0:0:0:0:0:0:0:1", Here}, {"http://[::ffff:127.0.0.1]/", "::ffff:127.0.0.1", Here}, {"::1", "::1", Here}, {"[::]:80", "::", Here},
		{"0.0.0.0:80", "0.0.0.0", Here}, {"0", "0", Here},
		{"10.0.0.1", "10.0.0.1", Private}, {"172.16.0.1", "172.16.0.1", Private}, {"172.32.0.1", "172.32.0.1", Away}, {"192.168.0.1", "192.168.0.1", Private}, {"100.64.0.1", "100.64.0.1", Private},
		{"169.254.169.254", "169.254.169.254", Private}, {"http://[fd00::1]/", "fd00::1", Private}, {"http://[fe80::1%25eth0]/", "fe80::1%25eth0", Private}, {"http://[::ffff:10.0.0.1]/", "::ffff:10.0.0.1", Private},
		{"http://[2001:db8::1]/", "2001:db8::1", Away}, {"8.8.8.8", "8.8.8.8", Away}, {"http://134744072/", "134744072", Away}, {"http://[::8.8.8.8]/", "::8.8.8.8", Away}, {"http://[1::1]/", "1::1", Away},
		{"nas.local", "nas.local", Private}, {"db.internal", "db.internal", Private}, {"a.svc.cluster.local", "a.svc.cluster.local", Private},

		// IP addresses that clients parse differently or not at all.
		{"http://0177.0.0.1/", "0177.0.0.1", Away}, {"http://010.0.0.1/", "010.0.0.1", Away}, {"http://127.0.0.1.1/", "127.0.0.1.1", Away}, {"http://127.0.0.256/", "127.0.0.256", Away},
		{"http://4294967296/", "4294967296", Away}, {"http://[::1", "[::1", Away}, {"http://[::1]evil.com/", "::1", Away}, {"http://[::1.evil.com]/", "::1.evil.com", Away}, {"http://[:::1]/", ":::1", Away}, {"http://1.2.3.4.5/", "1.2.3.4.5", Away},
		{"http://[::127.0.0.1.5]/", "::127.0.0.1.5", Away}, {"http://[1:2:3:4:5:6:7:8:9]/", "1:2:3:4:5:6:7:8:9", Away}, {"http://127.0.0.1:80evil.com/", "127.0.0.1", Away},

		// Names that look local.
		{"http://localhost@evil.com", "evil.com", Away}, {"http://evil.com#@localhost", "evil.com", Away}, {"http://evil.com?@localhost", "evil.com", Away}, {"http://localhost.evil.com", "localhost.evil.com", Away},
		{"http://127.0.0.1.evil.com", "127.0.0.1.evil.com", Away}, {"http://notlocalhost", "notlocalhost", Away}, {"http://localhost:80@evil.com/", "evil.com", Away}, {"http://evil.com:80@localhost:1@evil.com/", "evil.com", Away},
		{"http://localhost:x@evil.com/", "evil.com", Away}, {"http://local\uFFFC/", "", Away}, {"http://localhost\uFFFC/", "", Away}, {"http://localhost..", "localhost.", Away},
		{"http://127.0.0.1\uFFFC/", "", Away}, {"http://localhost,evil.com/", "evil.com", Away}, {"mongodb://localhost:1,evil.com:2/db", "evil.com", Away},

		// Clients find two hosts; the more remote one counts, whatever its position.
		{`http://evil.com\@localhost`, "evil.com", Away}, {`http://localhost\@evil.com`, "evil.com", Away}, {`http://evil.com\\@localhost/`, "evil.com", Away}, {`http:\\evil.com/`, "evil.com", Away}, {`http:/evil.com/`, "evil.com", Away},
		{"http:evil.com/", "evil.com", Away}, {`https:\evil.com`, "evil.com", Away}, {"http://evil.com;@localhost/", "evil.com", Away}, {"http://localhost;@evil.com/", "evil.com", Away}, {"http://localhost#@evil.com/", "evil.com", Away},
		{"http://a@evil.com:80@localhost/", "evil.com", Away}, {"evil.com/?://localhost/", "evil.com", Away}, {"evil.com?u=http://localhost/", "evil.com", Away}, {"evil.com://localhost/", "evil.com", Away},
		{"http://ev\til.com/", "evil.com", Away}, {"\nhttp://evil.com/", "evil.com", Away}, {"http://evil%2ecom/", "evil.com", Away}, {"http://localhost%2eevil.com/", "localhost.evil.com", Away},
		{"http://localhost%00.evil.com/", "localhost\x00.evil.com", Away}, {"http://localhost%2f.evil.com/", "localhost/.evil.com", Away}, {"http://localhost%40evil.com/", "localhost@evil.com", Away}, {"http://{localhost,evil.com}/", "evil.com}", Away},
		{"///evil.com/x", "evil.com", Away}, {"//evil.com/x", "evil.com", Away}, {`\\evil.com\share`, "evil.com", Away}, {`/\evil.com`, "evil.com", Away}, {"HTTP://EVIL.COM", "evil.com", Away},
		{`https://a.example\@b.example/`, "", Away}, // neither name can be relied on

		// A text without a readable host is not local.
		{"", "", Away}, {"http://", "", Away}, {"http:///", "", Away}, {"/api/x", "", Away}, {"./x", "", Away}, {"http://@/", "", Away}, {"http://:80/", "", Away}, {"?x", "", Away},
		{"http://\uFFFC/x", "", Away}, {"http://\uFFFC.evil.com/x", "evil.com", Away}, {"evil.com.", "evil.com", Away}, {"http:///evil.com", "evil.com", Away},
		{"file:///etc/x", "", Here}, {"file://localhost/etc/x", "", Here}, {"unix:///run/x.sock", "", Here}, {"file://evil.com/share/x", "evil.com", Away},
	} {
		h := HostOf(r.text)
		if h.Name != r.name || h.Zone != r.zone || !h.Exists() || h.IsLocal() != (r.zone == Here) {
			t.Errorf("%q: %+v, want %q in zone %d", r.text, h, r.name, r.zone)
		}
	}
	for _, text := range []string{`http://evil.com\@localhost`, `https://a.example\@b.example/`, "http://8.8.8.8/", "http://[2001:db8::1]/", "http://x.ngrok.io/", "http://evil.com"} {
		if h := HostOf(text); !h.HidesOwner() {
			t.Errorf("%s shows its owner: %+v", text, h)
		}
	}
	for _, text := range []string{"http://localhost/", "http://api.example.com/", "http://192.168.0.1/", "postgres://u:p@ss@db.example.com/x", `\\server\share\x`} {
		if h := HostOf(text); h.HidesOwner() {
			t.Errorf("%s hides its owner: %+v", text, h)
		}
	}
	for _, addr := range []string{"localhost", "127.0.0.1:80", "tcp://127.0.0.1:80", "::1", "[::1]:80", "unix:///run/x"} {
		if !IsLoopback(addr) {
			t.Errorf("others reach %s", addr)
		}
	}
	for _, addr := range []string{"0.0.0.0", "0.0.0.0:80", "tcp://0.0.0.0:5000", "::", "[::]:80", "", ":80", "8080", "0", "192.168.0.1", "x.example", "*"} {
		if IsLoopback(addr) {
			t.Errorf("none but this machine reaches %s", addr)
		}
	}
	var none Host
	if none.Exists() || none.IsLocal() {
		t.Error("the host that there is not is set or local")
	}
}

func TestSplitURL(t *testing.T) {
	t.Parallel()
	for _, r := range [][4]string{
		{"https://u:p@h.example:1/x?y", "u:p", "h.example:1", "/x?y"}, {"h.example/x", "", "h.example", "/x"}, {"u@h", "u", "h", ""}, {`http://a\@b/`, "", "a", `\@b/`}, {"", "", "", ""},
	} {
		user, addr, rest := SplitURL(r[0])
		if user != r[1] || addr != r[2] || rest != r[3] {
			t.Errorf("%s: %q %q %q", r[0], user, addr, rest)
		}
	}
}

// FuzzHostOf checks that only texts that name this machine are local.
func FuzzHostOf(f *testing.F) {
	for _, s := range []string{"http://x.example@localhost", `http://x.example\@localhost/`, "http://[::1]:1/", "0x7f.1", "a:b@c,d:e", "file:x", "%", "[", "x://", "\uFFFC"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		low := strings.ToLower(text)
		if HostOf(text).IsLocal() && !strings.ContainsAny(low, "0123456789:%") && !strings.Contains(low, "local") && !strings.Contains(low, "internal") {
			t.Errorf("%q is local", text)
		}
		SplitURL(text)
		IsSecretFile(text)
		IsSecretName(text)
		IsSuspiciousHost(text)
		PrivateContent(text, text, true)
	})
}
