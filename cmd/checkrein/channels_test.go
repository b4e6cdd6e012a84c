package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

const channelToken = "tok-Zq7mVBoFD37zQx9LwPaE"

// A mailbox is a service on this machine that notes what it hears.
type mailbox struct {
	*httptest.Server
	mu    sync.Mutex
	heard []string // path and message
}

func newMailbox(t *testing.T, answer http.HandlerFunc) *mailbox {
	m := &mailbox{}
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct{ Message string }
		data, _ := io.ReadAll(r.Body)
		_ = json.Unmarshal(data, &body)
		m.mu.Lock()
		m.heard = append(m.heard, r.URL.Path+" "+body.Message)
		m.mu.Unlock()
		if answer != nil {
			answer(w, r)
		}
	}))
	t.Cleanup(m.Close)
	return m
}

// A sending is a run whose model calls tools that send messages.
type sending struct {
	*runPlace
	out, err string
}

// sendBy runs an agent that makes calls, "tool {arguments}" each. The person's file
// sets up telegram and ops, with a token from the environment and from a file.
func sendBy(t *testing.T, at string, extra string, calls []string, args ...string) *sending {
	t.Helper()
	p := newRunPlace(t, "agents: {root: {model: scripted/calls.json}}\n")
	var steps []map[string]any
	for _, c := range calls {
		name, input, _ := strings.Cut(c, " ")
		steps = append(steps, map[string]any{"tool_calls": []any{map[string]any{"name": name, "arguments": json.RawMessage(input)}}})
	}
	script, _ := json.Marshal(map[string]any{"steps": append(steps, map[string]any{"text": "done"})})
	p.write(t, "calls.json", string(script))
	config := filepath.Join("home", ".config", "checkrein")
	if err := os.MkdirAll(filepath.Join(p.dir, config), 0o700); err != nil {
		t.Fatal(err)
	}
	p.write(t, "token", channelToken+"\n")
	to := "generic+" + at
	p.write(t, filepath.Join(config, "checkrein.yaml"), fmt.Sprintf("version: 1\nchannels:\n  telegram: %s/telegram/${env.CHANNEL_TOKEN}?template=json\n  ops: %s/ops/${file:%s/token}?template=json\n%s", to, to, p.dir, extra))
	cmd := p.command(append([]string{"--yolo", "--outbox", "out.jsonl", "--hook-before-llm-call", "cat >>heard.json", "send it"}, args...)...)
	cmd.Env = append(cmd.Env, "CHANNEL_TOKEN="+channelToken)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, errs.String())
	}
	return &sending{p, out.String(), errs.String()}
}

// checkNoToken fails if the token was shown, or written anywhere but in its own file.
func (s *sending) checkNoToken(t *testing.T) {
	t.Helper()
	if strings.Contains(s.out+s.err, channelToken) {
		t.Errorf("shown:\n%s%s", s.out, s.err)
	}
	err := filepath.WalkDir(s.dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() || path == filepath.Join(s.dir, "token") {
			return nil
		}
		if data, _ := os.ReadFile(path); bytes.Contains(data, []byte(channelToken)) {
			t.Errorf("the token is in %s", path)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// Messages go to the named channel, as hooks leave them; without a channel, to the outbox.
func TestMessagesGoToChannels(t *testing.T) {
	t.Parallel()
	m := newMailbox(t, nil)
	s := sendBy(t, m.URL, "", []string{
		`send_to_telegram {"message":"the build is green"}`,
		`send_message {"message":"disk is full","channel":"ops"}`,
		`send_message {"message":"for later"}`,
		`send_message {"message":"hi","channel":"elsewhere"}`,
		`send_message {"message":"hi","channel":"` + m.URL + `/evil"}`,
		`send_to_wechat {"message":"good morning"}`,
	}, "--hook-on-outbound-message", "cat >>events.json; echo >>events.json")
	want := []string{"/telegram/" + channelToken + " the build is green", "/ops/" + channelToken + " disk is full"}
	if fmt.Sprint(m.heard) != fmt.Sprint(want) {
		t.Errorf("heard %q", m.heard)
	}
	for _, part := range []string{`"message":"the build is green","channel":"telegram","type":"message"`, `"channel":"ops"`, `"channel":"outbox"`, `"channel":"wechat"`} {
		if events := s.read(t, "events.json"); !strings.Contains(events, part) || strings.Contains(events, "elsewhere") || strings.Contains(events, "evil") {
			t.Errorf("no %s in %s", part, events)
		}
	}
	out := s.read(t, "out.jsonl")
	if strings.Count(out, "\n") != 2 || !strings.Contains(out, `"channel":"outbox","message":"for later"}`) ||
		!strings.Contains(out, `"channel":"wechat","message":"good morning","not_sent":"channel wechat: not configured: add its URL under channels: in your checkrein.yaml"}`) {
		t.Errorf("the outbox has\n%s", out)
	}
	for _, part := range []string{"sent to telegram", "sent to outbox", `there is no channel \"elsewhere\": choose one of outbox, telegram, ops`, "The message was saved in " + s.dir + "/out.jsonl"} {
		if heard := s.read(t, "heard.json"); !strings.Contains(heard, part) {
			t.Errorf("the model did not hear %s:\n%s", part, heard)
		}
	}
	if !strings.Contains(s.err, "✉ sent to telegram: the build is green") || !strings.Contains(s.err, "channel wechat: not configured") {
		t.Errorf("the person sees\n%s", s.err)
	}
	s.checkNoToken(t)
}

// A hook can block a message, and one that rewrites it changes what is sent.
func TestMessagesPassHooks(t *testing.T) {
	t.Parallel()
	m := newMailbox(t, nil)
	s := sendBy(t, m.URL, "", []string{`send_to_telegram {"message":"the plan"}`}, "--hook-on-outbound-message", "echo not that one >&2; exit 2")
	if len(m.heard) > 0 || s.read(t, "out.jsonl") != "" || !strings.Contains(s.read(t, "heard.json"), "a hook blocked the message: not that one") {
		t.Errorf("heard %q, outbox %s", m.heard, s.read(t, "out.jsonl"))
	}
	sendBy(t, m.URL, "", []string{`send_to_telegram {"message":"the plan"}`}, "--hook-on-outbound-message", `echo '{"updated_output":"a word"}'`)
	if fmt.Sprint(m.heard) != fmt.Sprint([]string{"/telegram/" + channelToken + " a word"}) {
		t.Errorf("heard %q", m.heard)
	}
}

// Secrets are redacted in sent messages by default, whichever tool sends them. With security_guard a
// seed phrase is not sent at all.
func TestMessagesHoldNoSecrets(t *testing.T) {
	t.Parallel()
	key := "AKIAZ7VRSQ5" + "TJN2XMPLQ"
	phrase := "scheme spot photo card baby mountain device kick cradle " + "pact join borrow" // a vector of the standard's
	calls := []string{
		`send_to_telegram {"message":"use ` + key + `"}`,
		`send_message {"message":"use ` + key + `","channel":"ops"}`,
		`send_to_telegram {"message":"words: ` + phrase + `"}`,
		`send_message {"message":"words: ` + phrase + `","channel":"ops"}`,
	}
	at := func(channel, text string) string { return "/" + channel + "/" + channelToken + " " + text }
	masked := []string{at("telegram", "use [REDACTED]"), at("ops", "use [REDACTED]")}
	for config, want := range map[string][]string{
		"":                          append(masked, at("telegram", "words: [REDACTED]"), at("ops", "words: [REDACTED]")),
		"packs: [security_guard]\n": masked,
	} {
		m := newMailbox(t, nil)
		s := sendBy(t, m.URL, config, calls)
		if fmt.Sprint(m.heard) != fmt.Sprint(want) || s.read(t, "out.jsonl") != "" {
			t.Errorf("%q: heard %q, outbox %s\n%s", config, m.heard, s.read(t, "out.jsonl"), s.err)
		}
	}
}

// A message that cannot be sent is saved in the outbox with the reason; the model and the person are
// informed, and the token is shown nowhere.
func TestUnsentMessageIsKept(t *testing.T) {
	t.Parallel()
	gone := newMailbox(t, nil)
	gone.Close()
	for name, answer := range map[string]http.HandlerFunc{
		"500": func(w http.ResponseWriter, r *http.Request) { http.Error(w, "cannot post to "+r.URL.Path, 500) },
		"redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere/"+channelToken, http.StatusTemporaryRedirect)
		},
		"breaks off": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"gone":       nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMailbox(t, answer)
			if answer == nil {
				m = gone
			}
			s := sendBy(t, m.URL, "", []string{`send_to_telegram {"message":"the build is green"}`, `send_message {"message":"disk is full","channel":"ops"}`})
			var kept []string
			for line := range strings.Lines(s.read(t, "out.jsonl")) {
				var it struct {
					Channel, Message string
					Why              string `json:"not_sent"`
				}
				if err := json.Unmarshal([]byte(line), &it); err != nil || !strings.HasPrefix(it.Why, "channel "+it.Channel+": ") {
					t.Errorf("%v: %s", err, line)
				}
				kept = append(kept, it.Channel+" "+it.Message)
			}
			if fmt.Sprint(kept) != "[telegram the build is green ops disk is full]" {
				t.Errorf("kept %q", kept)
			}
			for _, who := range []string{s.err, s.read(t, "heard.json")} {
				if strings.Count(who, "the message was not sent: channel telegram: ") == 0 || strings.Contains(who, "✉") {
					t.Errorf("told:\n%s", who)
				}
			}
			if strings.Contains(fmt.Sprint(m.heard), "elsewhere") {
				t.Errorf("heard %q", m.heard)
			}
			s.checkNoToken(t)
		})
	}
}
