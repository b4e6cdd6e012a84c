package desk

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/lab/clitest"
)

func TestExportOTLP(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/logs" || r.Header.Get("X-Team") != "platform" {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		calls.Add(1)
	}))
	t.Cleanup(server.Close)
	b := clitest.NewBook(t, 0)
	b.Fill(t, 3)
	code, out, errs := runOnBook(b, "audit", "export", "--format", "otlp", "--endpoint", server.URL, "--header", "X-Team=platform", "--decision", "deny")
	if code != console.Done || out != "" || calls.Load() != 1 {
		t.Errorf("exit %d after %d calls: %s%s", code, calls.Load(), out, errs)
	}
	clitest.MustContain(t, errs, "exported 3 records to the OTLP endpoint")
	code, _, errs = runOnBook(b, "audit", "export", "--format", "otlp", "--endpoint", server.URL)
	if code != console.Finding || !strings.Contains(errs, "400") {
		t.Errorf("refused: exit %d, %s", code, errs)
	}
}
