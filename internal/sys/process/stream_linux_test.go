package process

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestStream(t *testing.T) {
	t.Parallel()
	p, err := OpenStream(t.Context(), shellSpec("cat; echo done >&2; exit 3"))
	if err != nil {
		t.Fatal(err)
	}
	const size = 4 << 20 // more than any pipe holds
	go func() {
		_, _ = p.Write(bytes.Repeat([]byte{'x'}, size))
		_ = p.CloseWrite()
	}()
	n, err := io.Copy(io.Discard, p)
	if n != size || err != nil {
		t.Errorf("read %d bytes, %v", n, err)
	}
	res, err := p.Wait()
	if err != nil || res.Exit != 3 || string(res.Stderr) != "done\n" {
		t.Errorf("%+v, %v", res, err)
	}
}

// TestStreamStops checks that Stop ends a program that would never end by itself.
func TestStreamStops(t *testing.T) {
	t.Parallel()
	p, err := OpenStream(t.Context(), shellSpec("sleep 600 & echo $!; cat /dev/zero"))
	if err != nil {
		t.Fatal(err)
	}
	var first [64 << 10]byte
	if _, err := io.ReadFull(p, first[:]); err != nil {
		t.Fatal(err)
	}
	pid := parsePIDs(t, first[:bytes.IndexByte(first[:], '\n')], 1)[0]
	p.Stop()
	if res, err := p.Wait(); err != nil || res.Signal != "SIGKILL" {
		t.Errorf("%+v, %v", res, err)
	}
	eventually(t, "the end of its child", func() bool { e, err := lookupProcess(pid); return err != nil || e.dead })
}

func TestStreamCanceled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	p, err := OpenStream(ctx, shellSpec("sleep 600"))
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := io.ReadAll(p); err == nil {
		t.Log("the pipe ended before its deadline did")
	}
	if _, err := p.Wait(); !errors.Is(err, ErrCanceled) {
		t.Errorf("error %v", err)
	}
	if _, err := OpenStream(ctx, shellSpec("true")); !errors.Is(err, ErrCanceled) {
		t.Errorf("a context that has ended: %v", err)
	}
	var start *StartError
	if _, err := OpenStream(t.Context(), Spec{Argv: []string{"no-such-program-anywhere"}}); !errors.As(err, &start) || !strings.Contains(err.Error(), "no-such") {
		t.Errorf("error %v", err)
	}
}
