package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// agentTries is what an agent tries that has the files of its person, except the key of the ledger. $H is
// the handle of its call, $S the state directory, $U the server, $K the socket of another one, and $T the
// token of both.
const agentTries = `
api() { curl -s -o body -w '%{http_code}' -H "Authorization: Bearer $T" -H 'Content-Type: application/json' "$@"; }
page() { curl -s -o body -w '%{http_code}' -H "Origin: $U" -H 'Content-Type: application/json' "$@"; }
try() { name=$1; shift; echo "try $name: $*"; }
checkrein hook claude <$HOME/event.json >answer # as agents do before each call
try list "$(api $U/v1/approvals)"
D=$(grep -o '"digest":"[0-9a-f]*"' body | cut -d'"' -f4)
A='{"handle":"'$H'","digest":"'$D'","decision":"allow"}'
try no-proof "$(api -d '{"answer":'$A'}' $U/v1/approvals/$H)"
try empty-proof "$(api -d '{"answer":'$A',"proof":{"code":"","key":""}}' $U/v1/approvals/$H)"
for code in 00000-00000 11111-11111 22222-22222 33333-33333 44444-44444 55555-55555; do
try guess "$(api -d '{"answer":'$A',"proof":{"code":"'$code'"}}' $U/v1/approvals/$H)"
done
try no-such-key "$(api -d '{"answer":'$A',"proof":{"key":"laptop","signature":"AAAA"}}' $U/v1/approvals/$H)"
try get "$(api "$U/v1/approvals/$H?decision=allow")"
try socket-list "$(api --unix-socket $K http://localhost/v1/approvals)"
try socket-no-proof "$(api --unix-socket $K -d '{"answer":'$A'}' http://localhost/v1/approvals/$H)"
try put "$(api -X PUT -d '{"answer":'$A'}' $U/v1/approvals/$H)"
try page-link "$(api -d '{}' $U/v1/page)"
LINK=$(grep -o '#[^"]*' body | cut -c2-)
try sign-in "$(curl -s -o body -c jar -w '%{http_code}' -H "Origin: $P" -d "secret=$LINK" $P/login)"
try read "$(curl -s -o body -b jar -w '%{http_code}' $P/approvals)"
OWN=$(grep -o 'data-link="[^"]*"' body | cut -d'"' -f2)
try page-answer "$(page -H "Origin: $P" -b jar -d '{"link":"'$OWN'","answer":'$A'}' $P/approve/answer)"
try page-enrol "$(page -H "Origin: $P" -b jar -d '{"secret":"0","public":"AAAA"}' $P/approve/enrol)"
checkrein approvals code >out 2>&1; try command-code $?
script -qec "checkrein approvals code" /dev/null >out 2>&1; try command-code-in-a-terminal $?
checkrein approvals passkey add evil >out 2>&1; try command-passkey $?
checkrein allow $H >out 2>&1; try command-allow $?
setsid checkrein allow $H >out 2>&1; try command-allow-alone $?
mkdir -p $S/answers
echo '{"handle":"'$H'","sum":"'$D'","decision":"allow","by":"anna"}' >$S/answers/$H
try forged-answer "$(api $U/v1/approvals/$H)"
rm -f $S/answers/$H
echo '{"keys":[{"name":"evil","kind":"phone","public":"AAAA"}]}' >$S/approvers.json
try forged-key "$(api -d '{"answer":'$A',"proof":{"key":"evil","signature":"AAAA"}}' $U/v1/approvals/$H)"
rm -f $S/approvers.json
`

// TestAgentCannotAnswer has an agent with the files of its person try to allow its own call.
func TestAgentCannotAnswer(t *testing.T) {
	t.Parallel()
	needs(t, "curl", "script", "setsid")
	d := newDesk(t, "version: 1\n", "version: 1\n")
	s := d.serve()
	_, _, handle := d.askHook(overwrite, "s1", "c1")
	state := filepath.Join(d.home, ".local/state/checkrein")
	socket := filepath.Join(d.home, "desk.sock")
	d.serve("--socket", socket)
	set := "H=" + handle + " K=" + socket + " S=" + state + " U=" + s.url + " P=" + strings.Replace(s.url, "127.0.0.1", "localhost", 1) + " T=" + s.token + "\n"
	out := d.asHost(set + agentTries)
	want := map[string]string{"list": "200", "socket-list": "200", "get": "200", "page-link": "200", "sign-in": "204", "read": "200", "put": "405", "forged-answer": "200"} // which reads
	tries := regexp.MustCompile(`(?m)^try ([a-z-]+): (\d+)`).FindAllStringSubmatch(out, -1)
	for _, m := range tries {
		refused := m[2] == "403" || m[2] == "503" || strings.HasPrefix(m[1], "command-") && m[2] != "0"
		if want[m[1]] != m[2] && (want[m[1]] != "" || !refused) {
			t.Errorf("%s: %s", m[1], m[2])
		}
	}
	if len(tries) != strings.Count(agentTries, "\ntry ")+strings.Count(agentTries, "; try ")+5 {
		t.Errorf("%d tries: %s", len(tries), out)
	}
	if decision, _, _ := d.askHook(overwrite, "s1", "c2"); decision != "deny" {
		t.Error("the call passes")
	}
	_, text := d.run("approvals", "--json")
	var list struct {
		Approvals []struct{ Handle string }
		Keys      []any
	}
	if err := json.Unmarshal([]byte(text), &list); err != nil || len(list.Approvals) != 1 || len(list.Keys) > 0 {
		t.Errorf("afterwards: %v %s", err, text)
	}
	if _, acts := d.run("audit", "query", "--kind", "person", "--json"); strings.Contains(acts, `"kind":"person"`) {
		t.Errorf("it is on record as a person's act: %s", acts)
	}
}

// TestOtherUserGetsNothing has another user of the machine ask the server, with the token and on both
// kinds of address.
func TestOtherUserGetsNothing(t *testing.T) {
	t.Parallel()
	needs(t, "curl", "setpriv")
	if os.Getuid() != 0 {
		t.Skip("SKIPPED: only root can act as another user")
	}
	d := newDesk(t, "version: 1\n", "version: 1\n")
	s := d.serve()
	d.askHook(overwrite, "s1", "c1")
	page := strings.Replace(s.url, "127.0.0.1", "localhost", 1)
	for _, args := range [][]string{
		{"-H", "Authorization: Bearer " + s.token, s.url + "/v1/approvals"}, {s.url + "/"}, {page + "/"}, {page + "/assets/app.js"}, {page + "/approve/"},
		{"-H", "Origin: " + page, "-d", "secret=x", page + "/login"}, {"-H", "Origin: " + page, "-H", "Content-Type: application/json", "-d", "{}", page + "/approve/show"},
	} {
		cmd := d.command("setpriv", append([]string{"--reuid", "65534", "--regid", "65534", "--clear-groups", "curl", "-s", "-w", " %{http_code}"}, args...)...)
		cmd.Dir = "/"
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.HasSuffix(string(out), " 403") || !strings.Contains(string(out), "another user on this machine") {
			t.Errorf("%v: %v %s", args[len(args)-1], err, out)
		}
	}
	socket := filepath.Join(d.home, "desk.sock")
	other := d.command(filepath.Join(programs, "checkrein"), "serve", "--socket", socket)
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Process.Kill(); _ = other.Wait() }()
	for {
		if _, err := os.Stat(socket); err == nil {
			break
		}
	}
	for _, dir := range []string{d.home, filepath.Dir(d.home)} {
		_ = os.Chmod(dir, 0o755) // only the socket's own mode keeps others out
	}
	cmd := d.command("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "curl", "-s", "--unix-socket", socket, "http://localhost/v1/approvals")
	cmd.Dir = "/"
	if out, err := cmd.CombinedOutput(); err == nil || len(out) > 0 {
		t.Errorf("the socket: %v %s", err, out)
	}
}
