//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// copies is the number of copies of each program that are measured. Two copies differ in speed by 5 to
// 10 %, depending on where their pages are in memory.
const copies = 5

// A sample is the time that one run took.
type sample struct{ wall, cpu time.Duration }

// A candidate is what is measured: a function for each copy of a program.
type candidate []func() (sample, error)

// samples holds the samples of one candidate, by copy.
type samples [][]sample

// quantile returns the median over the copies of each copy's q-quantile. The function of selects
// wall-clock or processor time.
func (s samples) quantile(q float64, of func(sample) time.Duration) time.Duration {
	var all []time.Duration
	for _, c := range s {
		var one []time.Duration
		for _, x := range c {
			one = append(one, of(x))
		}
		slices.Sort(one)
		all = append(all, one[int(float64(len(one))*q)])
	}
	slices.Sort(all)
	return all[len(all)/2]
}

func wall(s sample) time.Duration { return s.wall }
func cpu(s sample) time.Duration  { return s.cpu }

// runInTurns runs each copy of each candidate n times, in turns, so that other load on the machine
// affects all of them.
func runInTurns(n int, candidates ...candidate) ([]samples, error) {
	all := make([]samples, len(candidates))
	for range n {
		for i, c := range candidates {
			if all[i] == nil {
				all[i] = make(samples, len(c))
			}
		}
		for k := range copies {
			for i, c := range candidates {
				if k >= len(c) {
					continue
				}
				s, err := c[k]()
				if err != nil {
					return nil, err
				}
				all[i][k] = append(all[i][k], s)
			}
		}
	}
	return all, nil
}

// inProcess returns a candidate that calls f in this process.
func inProcess(f func() error) candidate {
	return candidate{func() (sample, error) {
		began := time.Now()
		err := f()
		return sample{wall: time.Since(began)}, err
	}}
}

// formatRatio returns a's times as multiples of base's, with the times.
func (b *bench) formatRatio(a, base samples) string {
	ms := func(d time.Duration) float64 { return d.Seconds() * 1e3 }
	text := fmt.Sprintf("**%.2f** (%.2f ms ÷ %.2f ms; p90 %.2f ÷ %.2f)", ms(a.quantile(0.5, wall))/ms(base.quantile(0.5, wall)),
		ms(a.quantile(0.5, wall)), ms(base.quantile(0.5, wall)), ms(a.quantile(0.9, wall)), ms(base.quantile(0.9, wall)))
	if b.cpu {
		text += fmt.Sprintf("; processor **%.2f** (%.2f ÷ %.2f)", ms(a.quantile(0.5, cpu))/ms(base.quantile(0.5, cpu)), ms(a.quantile(0.5, cpu)), ms(base.quantile(0.5, cpu)))
	}
	return text
}

// measureRatio measures a and base in turns and prints a row with their ratio.
func (b *bench) measureRatio(what, must, ambition string, a, base candidate) error {
	if _, err := runInTurns(3, a, base); err != nil { // fill caches
		return err
	}
	all, err := runInTurns(b.runs, a, base)
	if err != nil {
		return err
	}
	printRow(what, b.formatRatio(all[0], all[1]), must, ambition)
	return nil
}

const hello = `package main

import "fmt"

func main() { fmt.Println("hello") }
`

// programCopies returns the paths of the copies of a program. It builds all programs but checkrein:
// hello, appendledger and appendsqlite.
func (b *bench) programCopies(name string) ([]string, error) {
	if b.copied[name] != nil {
		return b.copied[name], nil
	}
	built := filepath.Join(b.programs, name)
	if name != "checkrein" {
		built = filepath.Join(b.dir, name+".built")
		source := "./internal/lab/bench/" + name
		if name == "hello" {
			source = built + ".go"
			if err := os.WriteFile(source, []byte(hello), 0o600); err != nil {
				return nil, err
			}
		}
		build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", built, source)
		if name != "hello" {
			build.Args[len(build.Args)-1], build.Dir = ".", source // appendsqlite is a separate module
		}
		if out, err := build.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("building %s: %w\n%s", name, err, out)
		}
	}
	image, err := os.ReadFile(built)
	if err != nil {
		return nil, err
	}
	// Copy the program, as an installer does: a file that the linker wrote through a memory
	// mapping is in smaller pieces in memory and starts more slowly.
	for k := range copies {
		file := filepath.Join(b.dir, fmt.Sprint("copy", k), name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			return nil, err
		}
		if err := os.WriteFile(file, image, 0o700); err != nil {
			return nil, err
		}
		b.copied[name] = append(b.copied[name], file)
	}
	return b.copied[name], nil
}

// launchCandidate returns a candidate that starts each of the files with argv, on the events in turns.
func launchCandidate(events, env []string, files []string, argv func(file string) []string) candidate {
	var c candidate
	for _, file := range files {
		next := 0
		c = append(c, func() (sample, error) {
			event := events[next%len(events)]
			next++
			return launch(event, env, argv(file))
		})
	}
	return c
}

// fileThenArgs returns a function that returns file followed by args.
func fileThenArgs(args ...string) func(file string) []string {
	return func(file string) []string { return append([]string{file}, args...) }
}

// launch runs a program with fork and exec, without the overhead of os/exec. Exit codes other than 0
// and 2 are errors.
func launch(stdin string, env, argv []string) (sample, error) {
	began := time.Now()
	in, err := os.Open(stdin)
	if err != nil {
		return sample{}, err
	}
	defer in.Close()
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return sample{}, err
	}
	defer null.Close()
	pid, err := syscall.ForkExec(argv[0], argv, &syscall.ProcAttr{Env: env, Files: []uintptr{in.Fd(), null.Fd(), null.Fd()}})
	if err != nil {
		return sample{}, err
	}
	var status syscall.WaitStatus
	var used syscall.Rusage
	if _, err := syscall.Wait4(pid, &status, 0, &used); err != nil {
		return sample{}, err
	}
	if exit := status.ExitStatus(); exit != 0 && exit != exitDeny {
		return sample{}, fmt.Errorf("%s exited with %d", argv[0], status.ExitStatus())
	}
	return sample{time.Since(began), time.Duration(used.Utime.Nano() + used.Stime.Nano())}, nil
}

// fiftyRules returns a configuration with fifty rules for the same tool.
func fiftyRules() string {
	var b strings.Builder
	b.WriteString("version: 1\npacks: []\nhooks:\n  pre_tool_use:\n")
	for i := range 50 {
		fmt.Fprintf(&b, "    - type: rule\n      name: rule%d\n      if: {all: [{tool: {is: shell}}, {command: {contains: danger%d}}]}\n      decision: deny\n      reason: 'Blocked (rule %d): {{command}}'\n", i, i, i)
	}
	return b.String()
}
