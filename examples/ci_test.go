package examples_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// A pullRequest stands in for GitHub's API: it has the comments of one pull request.
type pullRequest struct {
	mu       sync.Mutex
	comments []string
	calls    []string
}

func (p *pullRequest) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls = append(p.calls, r.Method)
	if r.Header.Get("Authorization") != "Bearer secret-token" {
		http.Error(w, "no token", http.StatusUnauthorized)
		return
	}
	var sent struct{ Body string }
	if r.Method != http.MethodGet {
		body, _ := io.ReadAll(r.Body)
		if err := json.Unmarshal(body, &sent); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
	}
	var id int
	switch _, err := fmt.Sscanf(r.URL.Path, "/repos/acme/shop/issues/comments/%d", &id); {
	case err == nil && r.Method == http.MethodPatch && id < len(p.comments):
		p.comments[id] = sent.Body
	case r.URL.Path != "/repos/acme/shop/issues/7/comments":
		http.NotFound(w, r)
		return
	case r.Method == http.MethodPost:
		p.comments = append(p.comments, sent.Body)
	default:
		var list []map[string]any
		var page int
		_, _ = fmt.Sscanf(r.URL.Query().Get("page"), "%d", &page)
		for i := 100 * (page - 1); i < min(100*page, len(p.comments)); i++ {
			list = append(list, map[string]any{"id": i, "body": p.comments[i]})
		}
		_ = json.NewEncoder(w).Encode(list)
		return
	}
	_, _ = w.Write([]byte("{}"))
}

// The script of examples/ci puts one comment on a pull request and updates it later, behind a hundred
// comments of others.
func TestPolicyCheck(t *testing.T) {
	t.Parallel()
	needs(t, "jq", "curl", "iconv")
	p := newPlace(t)
	p.put(t, "ci/policy-check.sh", "policy-check.sh")
	p.write(t, "events.jsonl", `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git push --force origin main"}}`+"\n")
	p.write(t, "new/checkrein.yaml", "version: 1\npacks:\n  - {name: git, off: true}\n")
	api := &pullRequest{}
	for i := range 120 {
		api.comments = append(api.comments, fmt.Sprint("comment ", i))
	}
	server := httptest.NewServer(api)
	defer server.Close()
	p.env = append(p.env, "GITHUB_API_URL="+server.URL, "GITHUB_REPOSITORY=acme/shop", "GITHUB_TOKEN=secret-token", "PULL_REQUEST=7", "no_proxy=127.0.0.1")

	out, errs, code := p.run(t, "", "sh", "policy-check.sh", "new", "events.jsonl")
	if code != 1 || len(api.comments) != 121 {
		t.Fatalf("exit %d, %d comments, %v\n%s%s", code, len(api.comments), api.calls, out, errs)
	}
	inOrder(t, api.comments[120], "<!-- checkrein replay -->\n", "Newly allowed, or less strict: 1", "git push --force origin main")

	p.write(t, "new/checkrein.yaml", "version: 1\n")
	out, errs, code = p.run(t, "", "sh", "policy-check.sh", "new/checkrein.yaml", "events.jsonl")
	if code != 0 || len(api.comments) != 121 || !strings.Contains(api.comments[120], "0 changed") {
		t.Errorf("exit %d, %d comments, %v\n%s%s", code, len(api.comments), api.calls, out, errs)
	}
	if got := strings.Join(api.calls, " "); got != "GET GET POST GET GET PATCH" {
		t.Error(got)
	}
	if _, _, code = p.run(t, "", "sh", "policy-check.sh", "nothing.yaml", "events.jsonl"); code != 2 || len(api.calls) != 6 {
		t.Errorf("without a policy: exit %d, %v", code, api.calls)
	}
}
