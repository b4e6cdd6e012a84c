package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// However a server ends, while clients send events, each event that it answered is in the ledger.
func TestServeLosesNothingAcknowledged(t *testing.T) {
	t.Parallel()
	for _, how := range []os.Signal{syscall.SIGKILL, os.Interrupt} {
		t.Run(fmt.Sprint(how), func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, "version: 1\n", "version: 1\n")
			s := d.serve()
			var mu sync.Mutex
			acknowledged := map[string]bool{}
			enough := make(chan struct{})
			var clients sync.WaitGroup
			for c := range 8 {
				clients.Go(func() {
					client := &http.Client{Transport: &http.Transport{}}
					for n := 0; ; n++ {
						session := fmt.Sprintf("c%d-%d", c, n)
						command := []string{"mkfs.ext4 /dev/sda", "ls"}[n%2] // denials are written to disk, what passes to the system
						r, _ := http.NewRequest("POST", s.url+"/v1/events", strings.NewReader(`{"event":"pre_tool_use","session_id":"`+session+`","tool_name":"bash","tool_input":{"command":"`+command+`"}}`))
						r.Header.Set("Content-Type", "application/json")
						r.Header.Set("Authorization", "Bearer "+s.token)
						resp, err := client.Do(r)
						if err != nil {
							return // the server has ended
						}
						said, err := io.ReadAll(resp.Body)
						resp.Body.Close()
						if err != nil || resp.StatusCode != 200 || strings.Contains(string(said), `"decision":"deny"`) != (n%2 == 0) {
							return
						}
						mu.Lock()
						if acknowledged[session] = true; len(acknowledged) == 60 {
							close(enough)
						}
						mu.Unlock()
					}
				})
			}
			<-enough
			if err := s.cmd.Process.Signal(how); err != nil {
				t.Fatal(err)
			}
			if err := s.cmd.Wait(); err != nil && how == os.Interrupt {
				t.Errorf("it ended with %v", err)
			}
			clients.Wait()
			_, said := d.run("audit", "query", "--host", "http", "--json", "-n", "0")
			for session := range acknowledged {
				if !strings.Contains(said, `"session":"http:`+session+`"`) {
					t.Errorf("%s was answered, and is not in the ledger", session)
				}
			}
			if code, said := d.run("audit", "verify"); code != 0 {
				t.Errorf("verify: exit %d, %s", code, said)
			}
		})
	}
}
