package archive

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"
)

type archiveFile struct {
	name string
	data []byte
}

func makeZip(files ...archiveFile) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range files {
		w, _ := z.Create(f.name)
		w.Write(f.data)
	}
	z.Close()
	return b.Bytes()
}

func makeTar(files ...archiveFile) []byte {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range files {
		w.WriteHeader(&tar.Header{Name: f.name, Size: int64(len(f.data)), Mode: 0o600, Typeflag: tar.TypeReg})
		w.Write(f.data)
	}
	w.WriteHeader(&tar.Header{Name: "link", Linkname: "/etc/passwd", Typeflag: tar.TypeSymlink})
	w.Close()
	return b.Bytes()
}

func makeGzip(data []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(data)
	z.Close()
	return b.Bytes()
}

// listMembers returns the path and the beginning of the content of each member.
func listMembers(data []byte, l Limits) (string, error) {
	var list []string
	err := Walk(bytes.NewReader(data), l, func(path string, r io.Reader) error {
		text, err := io.ReadAll(r)
		list = append(list, fmt.Sprintf("%s=%.10s", path, text))
		return err
	})
	return strings.Join(list, " "), err
}

func TestWalk(t *testing.T) {
	t.Parallel()
	inner := makeZip(archiveFile{"b.txt", []byte("two")})
	for _, test := range []struct {
		name string
		data []byte
		want string
	}{
		{"zip", makeZip(archiveFile{"a.txt", []byte("one")}, archiveFile{"d/b.txt", []byte("two")}, archiveFile{"d/", nil}), "a.txt=one d/b.txt=two"},
		{"tar", makeTar(archiveFile{"a.txt", []byte("one")}), "a.txt=one"},
		{"gzip", makeGzip([]byte("one")), "=one"},
		{"tar in gzip", makeGzip(makeTar(archiveFile{"a.txt", []byte("one")})), "a.txt=one"},
		{"zip in tar in gzip", makeGzip(makeTar(archiveFile{"i.zip", inner}, archiveFile{"c", []byte("three")})), "i.zip!/b.txt=two c=three"},
		{"path out of it", makeZip(archiveFile{"../../etc/x", []byte("one")}), "etc/x=one"},
		{"none", []byte("plain"), "=plain"},
		{"empty", nil, "="},
	} {
		if got, err := listMembers(test.data, Standard); err != nil || got != test.want {
			t.Errorf("%s: got %q, %v; want %q", test.name, got, err, test.want)
		}
	}
}

// TestLimits checks that, whatever an archive claims, no more is unpacked than the limits allow, and
// that the error reports that something is missing.
func TestLimits(t *testing.T) {
	t.Parallel()
	l := Limits{Depth: 3, Members: 10, Bytes: 1 << 20, Zip: 1 << 20}
	many := make([]archiveFile, 11)
	for i := range many {
		many[i] = archiveFile{fmt.Sprint(i), []byte("x")}
	}
	deep := []byte("x")
	for range 5 {
		deep = makeGzip(deep)
	}
	for name, data := range map[string][]byte{
		"large":   makeZip(archiveFile{"a", make([]byte, 2<<20)}),
		"larger":  makeGzip(make([]byte, 64<<20)),
		"many":    makeZip(many...),
		"deep":    deep,
		"nested":  makeGzip(makeGzip(make([]byte, 64<<20))),
		"big zip": append(makeZip(archiveFile{"a", []byte("x")}), make([]byte, 1<<20)...),
	} {
		if _, err := listMembers(data, l); !errors.Is(err, ErrTooMuch) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestDamagedArchives(t *testing.T) {
	t.Parallel()
	for name, data := range map[string][]byte{
		"zip":  makeZip(archiveFile{"a", []byte("one")}),
		"tar":  makeTar(archiveFile{"a", bytes.Repeat([]byte("one"), 1000)}),
		"gzip": makeGzip(bytes.Repeat([]byte("one"), 1000)),
	} {
		if _, err := listMembers(data[:len(data)/2], Standard); err == nil {
			t.Errorf("%s: half of it looks whole", name)
		}
	}
}

func FuzzWalk(f *testing.F) {
	f.Add(makeZip(archiveFile{"a", []byte("one")}))
	f.Add(makeGzip(makeTar(archiveFile{"a", []byte("one")})))
	f.Fuzz(func(t *testing.T, data []byte) {
		total := 0
		Walk(bytes.NewReader(data), Limits{Depth: 3, Members: 10, Bytes: 1 << 16, Zip: 1 << 16}, func(_ string, r io.Reader) error {
			n, err := io.Copy(io.Discard, r)
			total += int(n)
			return err
		})
		if total > 1<<16+len(data) {
			t.Errorf("%d bytes came out", total)
		}
	})
}

// TestOddMembers checks that members of unusual types are read, and that data after the end of an
// archive is an error.
func TestOddMembers(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	w.WriteHeader(&tar.Header{Name: "a", Size: 3, Typeflag: tar.TypeCont})
	w.Write([]byte("one"))
	w.Close()
	if got, err := listMembers(b.Bytes(), Standard); got != "a=one" || err != nil {
		t.Errorf("a type that nobody uses: %q, %v", got, err)
	}
	if _, err := listMembers(append(bytes.Clone(b.Bytes()), makeTar(archiveFile{"b", []byte("two")})...), Standard); err == nil {
		t.Error("an archive behind another passes")
	}
	if _, err := listMembers(append(bytes.Clone(b.Bytes()), make([]byte, 8<<10)...), Standard); err != nil {
		t.Errorf("zeros at the end: %v", err)
	}
	b.Reset()
	z := zip.NewWriter(&b)
	link := &zip.FileHeader{Name: "link"}
	link.SetMode(fs.ModeSymlink | 0o777)
	out, err := z.CreateHeader(link)
	if err != nil {
		t.Fatal(err)
	}
	out.Write([]byte("three"))
	z.Create("dir/")
	z.Close()
	if got, err := listMembers(b.Bytes(), Standard); got != "link=three" || err != nil {
		t.Errorf("a link in a zip file: %q, %v", got, err)
	}
}
