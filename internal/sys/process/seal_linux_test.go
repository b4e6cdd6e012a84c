package process

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// leakDescriptors opens a file as a careless caller does, under a low and a high descriptor.
func leakDescriptors(t *testing.T) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "kept")
	if err := os.WriteFile(name, []byte("leaked\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	fd, err := syscall.Open(name, syscall.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(fd) })
	if err := syscall.Dup3(fd, 9, 0); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Dup3(fd, 200, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = syscall.Close(9), syscall.Close(200) })
}

// readLeakedScript prints what a program can read from the two descriptors.
const readLeakedScript = `cat /dev/fd/9 2>/dev/null; cat /dev/fd/200 2>/dev/null; echo end`

// TestDescriptorsAreNotInherited is not parallel, because it opens descriptors by their numbers.
func TestDescriptorsAreNotInherited(t *testing.T) {
	t.Run("run", func(t *testing.T) {
		leakDescriptors(t)
		wantBytes(t, "stdout", mustRun(t, shellSpec(readLeakedScript)).Stdout, []byte("end\n"))
	})
	t.Run("detach", func(t *testing.T) {
		leakDescriptors(t)
		log := filepath.Join(t.TempDir(), "log")
		if err := Detach(shellSpec(readLeakedScript), log); err != nil {
			t.Fatal(err)
		}
		wantBytes(t, "log", waitForLine(t, log, 1), []byte("end\n"))
	})
	t.Run("open", func(t *testing.T) {
		leakDescriptors(t)
		s, err := OpenStream(t.Context(), shellSpec(readLeakedScript))
		if err != nil {
			t.Fatal(err)
		}
		buf := make([]byte, 100)
		n, _ := s.Read(buf)
		wantBytes(t, "stdout", buf[:n], []byte("end\n"))
		_, _ = s.Wait()
	})
	for _, dir := range []string{"/dev/fd", "/no/such/directory"} {
		t.Run("each of "+dir, func(t *testing.T) {
			leakDescriptors(t)
			closeEachOnExec(dir)
			out, err := runDirectly(readLeakedScript)
			if err != nil || out != "end\n" {
				t.Errorf("%q, %v", out, err)
			}
		})
	}
	t.Run("without", func(t *testing.T) {
		leakDescriptors(t)
		if out, err := runDirectly(readLeakedScript); err != nil || strings.Count(out, "leaked") == 0 {
			t.Errorf("%q, %v: the test itself leaks nothing", out, err)
		}
	})
}

// runDirectly runs script without this package, and returns its output.
func runDirectly(script string) (string, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return "", err
	}
	defer r.Close()
	p, err := os.StartProcess("/bin/sh", []string{"sh", "-c", script}, &os.ProcAttr{Files: []*os.File{nil, w, nil}})
	_ = w.Close()
	if err != nil {
		return "", err
	}
	var out []byte
	buf := make([]byte, 4096)
	for {
		n, err := r.Read(buf)
		out = append(out, buf[:n]...)
		if err != nil {
			break
		}
	}
	if st, err := p.Wait(); err != nil || !st.Success() {
		return string(out), err
	}
	return string(out), nil
}

// TestEmptyStandardInput checks that a program without input does not read that of this process.
func TestEmptyStandardInput(t *testing.T) {
	if res := mustRun(t, shellSpec("cat; readlink /proc/self/fd/0 || echo "+strconv.Quote(os.DevNull))); string(res.Stdout) != os.DevNull+"\n" {
		t.Errorf("standard input is %q", res.Stdout)
	}
}
