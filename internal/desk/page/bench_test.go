package page

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/desk/frame"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/lab/cputime"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// benchLedger returns a ledger of n records as agents leave them, 1.9 KB each, one in fifty denied. Its
// oldest record has a word that no other has.
func benchLedger(b *testing.B, n int) string {
	b.Helper()
	dir := state.NewDir(b.TempDir())
	clock := time.Now().Add(-time.Duration(n) * time.Second)
	book := ledger.Open(ledger.Options{Dir: dir, Now: func() time.Time { return clock }})
	for i := range n {
		r := denied(fmt.Sprintf("go test ./pkg%d/... -run TestSomething%d", i%97, i))
		r.Session, r.Host = fmt.Sprint("s", i/400), []string{"claude", "codex", "gemini"}[i/400%3]
		if i%50 != 0 {
			r.Decision, r.Effects, r.Reason, r.Handle, r.Plan[0].Decision, r.Plan[0].Outcome = "none", nil, "", "", "", "silent"
		}
		if i == 0 {
			r.Subject.Input.JSON = json.RawMessage(`{"command":"echo needle-in-a-haystack"}`)
		}
		for _, name := range []string{"protect_paths", "guard_secrets", "limit"} {
			r.Plan = append(r.Plan, record.Step{Hook: name, Type: "builtin", Scope: "default", Outcome: "silent", MS: 0.1})
		}
		r.Native, r.Reply = strings.Repeat("x", 700), &record.Reply{Stdout: &record.Part{JSON: json.RawMessage(`{"reason":"` + strings.Repeat("y", 300) + `"}`)}}
		members, err := json.Marshal(&r)
		if err != nil {
			b.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(members), `"program"`)
		clock = clock.Add(time.Second)
		if _, err := book.Append(ledger.KindEvent, []byte(`"program"`+strings.TrimSuffix(rest, "}")), false); err != nil {
			b.Fatal(err)
		}
	}
	return dir.Path(ledger.Folder)
}

// BenchmarkPage measures views of a ledger of CHECKREIN_BENCH_RECORDS records. The commands that the
// page runs print what they print without records.
func BenchmarkPage(b *testing.B) {
	n, err := strconv.Atoi(os.Getenv("CHECKREIN_BENCH_RECORDS"))
	if err != nil {
		n = 20_000
	}
	dir := benchLedger(b, n)
	for name, v := range map[string]url.Values{"text": {frame.ByText: {"nowhere-to-be-found"}}, "session": {frame.BySession: {"s1"}}, "asked": {frame.ByAnswer: {"asked"}}} {
		b.Run("whole/"+name, func(b *testing.B) { // to the end, however long it takes
			p := New(Options{Ledger: dir, Now: time.Now})
			began := cputime.All()
			for b.Loop() {
				q := frame.ParseQuery(v, time.Now())
				if _, err := p.find(b.Context(), &q, budget{time: time.Hour}, false); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric((cputime.All()-began).Seconds()*1000/float64(b.N), "cpu-ms")
		})
	}
	for _, path := range []string{"/", "/?answer=denied", "/search?q=TestSomething" + strconv.Itoa(n-100), "/search?q=TestSomething" + strconv.Itoa(n/2), "/search?q=needle-in-a-haystack",
		"/search?q=nowhere-to-be-found", "/search?session=s1", "/search?host=gemini&answer=asked", "/search?rule=git/push-force&since=30d", "/hooks", "/policy"} {
		b.Run(path, func(b *testing.B) {
			rows, began := 0, cputime.All()
			for b.Loop() {
				p := New(Options{Ledger: dir, Now: time.Now, Run: func(_ context.Context, _ string, args ...string) ([]byte, error) {
					if args[0] == "approvals" {
						return []byte("{}"), nil
					}
					return []byte(strings.ReplaceAll(commandOutputs[args[0]], "TEXT", "")), nil
				}})
				r := httptest.NewRequest(http.MethodGet, path, nil)
				path, _ := p.NewLink("")
				secret, _ := p.sessions.begin(strings.TrimPrefix(path, "/#"), "")
				r.AddCookie(&http.Cookie{Name: sessionCookie, Value: secret})
				w := httptest.NewRecorder()
				p.ServeHTTP(w, r)
				if w.Code != http.StatusOK {
					b.Fatal(w.Code, w.Body)
				}
				rows = strings.Count(w.Body.String(), "data-seq=")
				if strings.Contains(w.Body.String(), "Look further back") && strings.Contains(path, "search") {
					b.ReportMetric(1, "cut")
				}
			}
			b.ReportMetric(float64(rows), "rows")
			b.ReportMetric((cputime.All()-began).Seconds()*1000/float64(b.N), "cpu-ms")
			b.ReportMetric(b.Elapsed().Seconds()*1000/float64(b.N), "ms")
		})
	}
}
