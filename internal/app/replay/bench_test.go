package replay_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/app/replay"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/lab/corpora"
	"github.com/checkrein/checkrein/internal/lab/cputime"
	"github.com/checkrein/checkrein/internal/sys/state"
)

var (
	benchCalls    = flag.Int("replay-calls", 2000, "how many calls BenchmarkReplay decides")
	benchCommands = flag.Int("replay-commands", 1000, "of how many everyday commands they are")
	benchPolicy   = flag.String("replay-policy", "", "the policy under which they are decided: the name of one of otherPolicies, or empty for the same")
	benchFull     = flag.Bool("replay-full", false, "decide everything again")
	benchOwn      = flag.Int("replay-own", 3, "which share of them has a command of its own: each third, …; 0 = none")
)

// ordinary is a policy as many have it.
const ordinary = `version: 1
hooks:
  pre_tool_use:
    - { name: no-publish, if: { command: { contains: npm publish } }, decision: deny, reason: people publish }
    - { name: ask-deploy, if: { command: { prefix: make deploy } }, decision: ask }
`

// BenchmarkReplay decides the calls of a long ledger again, of everyday commands.
func BenchmarkReplay(b *testing.B) {
	book := newBook(b, ordinary)
	book.grow(*benchCalls)
	o := replay.Options{Recorded: true, Full: *benchFull}
	if *benchPolicy != "" {
		o.Policy = book.write(filepath.Join(book.Home, "new.yaml"), otherPolicies(ordinary)[*benchPolicy])
	}
	b.ResetTimer()
	for b.Loop() {
		began, used, peak := time.Now(), cputime.All(), watchHeap(b)
		r := book.replay(o)
		if o.Policy == "" && r.Changes() > 0 || r.Calls < *benchCalls || r.LostCount() > r.Calls/5 {
			b.Fatal(describe(r))
		}
		b.ReportMetric(float64(r.Calls)/time.Since(began).Seconds(), "calls/s")
		b.ReportMetric(float64((cputime.All()-used).Microseconds())/float64(r.Calls), "cpu-µs/call")
		b.ReportMetric(float64(peak())/(1<<20), "MiB-heap")
	}
}

// watchHeap returns a function that returns the largest heap since.
func watchHeap(b *testing.B) func() uint64 {
	runtime.GC()
	end, peak := make(chan struct{}), make(chan uint64)
	go func() {
		most := uint64(0)
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapInuse)
			select {
			case <-end:
				peak <- most
				return
			case <-time.After(100 * time.Millisecond):
			}
		}
	}()
	return func() uint64 { close(end); return <-peak }
}

// grow adds records of sessions of a hundred calls to the ledger until it has n: copies of real ones, for the
// captured payloads of all hosts and for everyday commands of several hosts. A share gets a command of its own.
func (b *book) grow(n int) {
	b.t.Helper()
	k := b.kit()
	list, err := corpora.Sets()[0].ReadWithoutSetup("../../..")
	if err != nil {
		b.t.Fatal(err)
	}
	b.recordPayloads(k)
	for i := 0; i < len(list); i += 1 + len(list) / *benchCommands {
		b.hostShell(k, &shells[i%len(shells)], "a-session", b.Localize(list[i].Command))
	}
	var members [][]byte
	r := ledger.NewReader(b.ledger(), ledger.Position{})
	for {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			b.t.Fatal(err)
		}
		if e.Line.Kind == ledger.KindEvent {
			members = append(members, bytes.Clone(e.Line.Members()))
		}
	}
	book := ledger.Open(ledger.Options{Dir: state.NewDir(b.state)})
	for i := range n {
		m := sessionName.ReplaceAll(members[i*7%len(members)], fmt.Appendf(nil, `"session":"session-%d"`, i/100))
		if at := bytes.Index(m, commandMember); at >= 0 && *benchOwn > 0 && i%*benchOwn == 0 {
			at += len(commandMember)
			m = slices.Insert(m, at, fmt.Appendf(nil, "echo %d; ", i)...)
		}
		if _, err := book.Append(ledger.KindEvent, m, false); err != nil {
			b.t.Fatal(err)
		}
	}
}

var (
	sessionName   = regexp.MustCompile(`"session":"[^"]*"`)
	commandMember = []byte(`"command":"`)
)
