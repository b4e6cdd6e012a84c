package endtoend

import (
	"crypto/rand"
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/checkrein/checkrein/internal/host/hostlab"
	"github.com/checkrein/checkrein/internal/host/install"
	"github.com/checkrein/checkrein/internal/host/mockmodel"
	"github.com/checkrein/checkrein/internal/lab/hosttest"
)

// TestHostVerified has each host read a secret that is withheld from the model. The host's transcript
// must not be taken as evidence that the model got the secret, nor that the host is silent.
func TestHostVerified(t *testing.T) {
	hosttest.New(t)
	programs := buildPrograms(t)
	for _, f := range append(facts(), fact{host: "pi"}) {
		t.Run(f.host, func(t *testing.T) { testVerified(t, programs, f) })
	}
}

func testVerified(t *testing.T, programs string, f fact) {
	w := newWorld(t, programs, f.host)
	w.configure("version: 1\n")
	secret := "ghp_" + (rand.Text() + rand.Text())[:36]
	w.writeFiles(w.Project, map[string]string{"notes.txt": "token " + secret + " is here\n"})
	res := w.Run(hostlab.Run{Prompt: "please go", Script: callScript(mockmodel.Shell("cat notes.txt"), f.readCall(filepath.Join(w.Project, "notes.txt")))})
	if res.Record.ModelSaw(secret) {
		t.Error("the model saw the secret")
	}
	var r struct {
		Seen, Unseen      int
		Replaced, Secrets struct{ Calls int }
	}
	out, err := w.runProgram("checkreind", "misses", "--json")
	if e := json.Unmarshal([]byte(out), &r); e != nil {
		t.Fatalf("%v, %v\n%s", err, e, out)
	}
	if r.Replaced.Calls > 0 || r.Secrets.Calls > 0 || r.Seen < 2 || r.Unseen > 0 {
		t.Errorf("misses: %s", out)
	}
	var status struct{ Hosts []install.Report }
	out, err = w.runProgram("checkreind", "status", w.name, "--json")
	if e := json.Unmarshal([]byte(out), &status); e != nil || len(status.Hosts) != 1 {
		t.Fatalf("%v, %v\n%s", err, e, out)
	}
	if h := &status.Hosts[0]; h.Silent != nil || len(h.Proven.Unhonoured) > 0 {
		t.Errorf("status: %+v, %+v", h.Silent, h.Proven.Unhonoured)
	}
}
