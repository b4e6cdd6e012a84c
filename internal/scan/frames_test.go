package scan

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestFrames(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	w := NewFrameWriter(&b)
	long := strings.Repeat("0123456789", 20000)
	for _, m := range [][2]string{{"a", "one"}, {"empty", ""}, {"long", long}, {"z", "last"}} {
		if err := w.WriteMember(m[0], strings.NewReader(m[1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(nil); err != nil {
		t.Fatal(err)
	}
	stream := b.Bytes()
	var got []string
	err := ReadFrames(bytes.NewReader(stream), func(path string, r io.Reader) error {
		if path == "long" { // the unread rest is skipped
			head := make([]byte, 10)
			_, err := io.ReadFull(r, head)
			got = append(got, path+"="+string(head))
			return err
		}
		text, err := io.ReadAll(r)
		got = append(got, path+"="+string(text))
		return err
	})
	wantFindings(t, got, "a=one", "empty=", "long=0123456789", "z=last")
	if err != nil {
		t.Error(err)
	}
	all := func(_ string, r io.Reader) error { _, err := io.Copy(io.Discard, r); return err }
	for i := range len(stream) {
		if i > 100 && i < len(stream)-100 {
			continue
		}
		if err := ReadFrames(bytes.NewReader(stream[:i]), all); err == nil {
			t.Fatalf("the first %d bytes look like all", i)
		}
	}
	b.Reset()
	w = NewFrameWriter(&b)
	w.WriteMember("a", strings.NewReader("one"))
	w.Close(errors.New("a bomb"))
	if err := ReadFrames(&b, all); err == nil || err.Error() != "a bomb" {
		t.Errorf("error %v", err)
	}
}

func TestScanArchiveMembers(t *testing.T) {
	t.Parallel()
	broken := errors.New("more inside")
	s := &Scan{Unpack: func(archive io.Reader, yield func(string, io.Reader) error) error {
		if data, err := io.ReadAll(archive); err != nil || !strings.HasPrefix(string(data), "PK\x03\x04") {
			t.Errorf("the archive was %q, %v", data, err)
		}
		return errors.Join(yield("in/a.txt", strings.NewReader("x\n"+testToken())), yield("b.bin", strings.NewReader("\x00\x00")), broken)
	}}
	source := sourceOf([][]byte{[]byte("PK\x03\x04\x00\x00\x00\x00"), []byte("\x7fELF\x00\x00")}, false)
	list, totals, err := runScan(t, s, source)
	wantFindings(t, list, "0!/in/a.txt:2 github-pat")
	if !errors.Is(err, broken) || totals.Files != 1 || totals.Binary != 2 || totals.Compressed != 0 {
		t.Errorf("%+v, %v", totals, err)
	}
	plain := &Scan{Policy: defaultPolicy(t)}
	if totals, err := plain.Run(context.Background(), source); err != nil || totals.Binary != 1 || totals.Compressed != 1 {
		t.Errorf("unasked: %+v, %v", totals, err)
	}
}
