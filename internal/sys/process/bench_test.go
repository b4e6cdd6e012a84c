package process

import (
	"bytes"
	"context"
	"os/exec"
	"testing"
	"time"
)

// BenchmarkRun compares Run with a bare os/exec of the same program. The two are timed alternately in
// one loop, so that changes in the speed of the machine affect both. The ratio is reported as
// "x-bare".
func BenchmarkRun(b *testing.B) {
	for _, bm := range benchPrograms() {
		b.Run(bm.name, func(b *testing.B) {
			var ours, bare time.Duration
			for b.Loop() {
				ours += measureTime(func() { benchRun(b, bm.spec) })
				bare += measureTime(func() { benchBare(b, bm.spec) })
			}
			b.ReportMetric(float64(ours.Microseconds())/float64(b.N), "run-µs/op")
			b.ReportMetric(float64(bare.Microseconds())/float64(b.N), "bare-µs/op")
			b.ReportMetric(float64(ours)/float64(bare), "x-bare")
		})
	}
}

// BenchmarkRunOnly measures Run alone, for allocations and profiles.
func BenchmarkRunOnly(b *testing.B) {
	for _, bm := range benchPrograms() {
		b.Run(bm.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				benchRun(b, bm.spec)
			}
		})
	}
}

// BenchmarkBareExec measures os/exec alone.
func BenchmarkBareExec(b *testing.B) {
	for _, bm := range benchPrograms() {
		b.Run(bm.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				benchBare(b, bm.spec)
			}
		})
	}
}

type benchProgram struct {
	name string
	spec Spec
}

func benchPrograms() []benchProgram {
	return []benchProgram{
		{"cat1KB", Spec{Argv: []string{"cat"}, Stdin: bytes.Repeat([]byte{'x'}, 1024)}},
		{"true", Spec{Argv: []string{"/bin/true"}}},
	}
}

// measureTime returns how long f takes.
func measureTime(f func()) time.Duration {
	t := time.Now()
	f()
	return time.Since(t)
}

func benchRun(b *testing.B, s Spec) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	res, err := Run(ctx, s)
	if err != nil || len(res.Stdout) != len(s.Stdin) {
		b.Fatalf("run: %d bytes, %v", len(res.Stdout), err)
	}
}

func benchBare(b *testing.B, s Spec) {
	var out, errs bytes.Buffer
	cmd := exec.Command(s.Argv[0], s.Argv[1:]...)
	cmd.Stdin = bytes.NewReader(s.Stdin)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil || out.Len() != len(s.Stdin) {
		b.Fatalf("bare: %d bytes, %v", out.Len(), err)
	}
}
