package wrapper

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// BenchmarkWrapper measures commands through the wrapper, with a ticket and contained, beside the same
// shell without it and a program that does nothing.
func BenchmarkWrapper(b *testing.B) {
	w := newWorld(b)
	hello := filepath.Join(b.TempDir(), "hello")
	src := hello + ".go"
	os.WriteFile(src, []byte("package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(\"hello\") }\n"), 0o600)
	if out, err := exec.Command("go", "build", "-o", hello, src).CombinedOutput(); err != nil {
		b.Fatal(string(out))
	}
	var cpu time.Duration // of the programs
	run := func(b *testing.B, path string, args ...string) {
		cmd := exec.Command(path, args...)
		cmd.Dir, cmd.Env = w.project, w.env
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatal(err, string(out))
		}
		cpu += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	report := func(b *testing.B) {
		b.ReportMetric(float64(cpu.Nanoseconds())/float64(b.N), "cpu-ns/op")
		cpu = 0
	}
	b.Run("hello", func(b *testing.B) {
		for range b.N {
			run(b, hello)
		}
		report(b)
	})
	line := w.line("true")
	b.Run("bare", func(b *testing.B) {
		for range b.N {
			run(b, "/bin/bash", "-c", line)
		}
		report(b)
	})
	for name, contained := range map[string]bool{"ticket": false, "contained": true} {
		b.Run(name, func(b *testing.B) {
			for range b.N {
				b.StopTimer()
				w.issue("true", contained)
				b.StartTimer()
				run(b, w.shell, line)
			}
			report(b)
		})
	}
}
