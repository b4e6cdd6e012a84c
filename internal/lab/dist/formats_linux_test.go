package dist

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
)

// TestRPM installs the package on a machine with rpm, and removes it again.
func TestRPM(t *testing.T) {
	r := open(t)
	need(t, "rpm")
	m := newMachine(t)
	path := r.file(t, "checkrein_VERSION_linux_"+runtime.GOARCH+".rpm")
	if said := run(t, "/", "rpm", "--checksig", path); !strings.Contains(said, "digests OK") {
		t.Errorf("rpm --checksig: %s", said)
	}
	before := m.files()
	run(t, "/", "rpm", "--root", m.root, "--install", "--nodeps", path)
	if said := m.run(user, "checkrein version; checkreind version; stat -c '%u %a' /usr/bin/checkrein /usr/bin/checkreind /usr/bin/checkrein-shell"); !strings.HasSuffix(said, "0 755\n0 755\n0 755\n") || strings.Count(said, r.version) != 2 {
		t.Errorf("installed: %s", said)
	}
	if said := run(t, "/", "rpm", "--root", m.root, "--erase", "checkrein"); !strings.Contains(said, "checkrein uninstall --all") {
		t.Errorf("removing the package does not say what else to do: %s", said)
	}
	for name, change := range changes(before, m.files()) {
		if name != "root/.rpmdb" && !strings.HasPrefix(name, "root/.rpmdb/") { // Debian's rpm keeps its notes there
			t.Errorf("%s is %s", name, change)
		}
	}
}

// TestAPK unpacks the package on a machine: a signature may come first, then the notes, then the files, each
// compressed by itself. The notes have the checksum of the files.
func TestAPK(t *testing.T) {
	r := open(t)
	m := newMachine(t)
	text, err := os.ReadFile(r.file(t, "checkrein_VERSION_linux_"+runtime.GOARCH+".apk"))
	if err != nil {
		t.Fatal(err)
	}
	parts := gzipMembers(t, text)
	if len(parts) < 2 {
		t.Fatalf("the package has %d parts", len(parts))
	}
	notes, files := parts[len(parts)-2], parts[len(parts)-1]
	sum := sha256.Sum256(files)
	plain, err := gzip.NewReader(bytes.NewReader(notes))
	if err != nil {
		t.Fatal(err)
	}
	info, err := io.ReadAll(plain)
	if err != nil || !bytes.Contains(info, []byte("datahash = "+hex.EncodeToString(sum[:]))) || !bytes.Contains(info, []byte("pkgname = checkrein\n")) {
		t.Errorf("the notes do not fit the files: %v\n%s", err, info)
	}
	if err := os.WriteFile(m.root+"/tmp/files.tar.gz", files, 0o644); err != nil {
		t.Fatal(err)
	}
	if said := m.run("root", "tar -C / -xzf /tmp/files.tar.gz; checkrein version; stat -c '%u %a' /usr/bin/checkrein /usr/bin/checkreind /usr/bin/checkrein-shell"); !strings.HasSuffix(said, "0 755\n0 755\n0 755\n") || !strings.Contains(said, r.version) {
		t.Errorf("unpacked: %s", said)
	}
}

// gzipMembers splits text into the gzip members that it consists of.
func gzipMembers(t *testing.T, text []byte) (members [][]byte) {
	t.Helper()
	rest := bytes.NewReader(text)
	for rest.Len() > 0 {
		start := len(text) - rest.Len()
		z, err := gzip.NewReader(rest)
		if err != nil {
			t.Fatal(err)
		}
		z.Multistream(false)
		if _, err := io.Copy(io.Discard, z); err != nil && !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		members = append(members, text[start:len(text)-rest.Len()])
	}
	return members
}
