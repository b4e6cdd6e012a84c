package honoured_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/evidence/honoured"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/host/capability"
)

const id = "1a2b3c4d"

// A rec is a record of the session, as the ledger has it.
type rec = record.Record

func start() rec   { return rec{Event: "session_start", Source: "startup"} }
func resumed() rec { return rec{Event: "session_start", Source: "resume"} }

func prompt(text string, ids ...string) rec {
	return rec{Event: "user_prompt_submit", Subject: &record.Subject{Text: &record.Part{Text: text}}, Secrets: &record.Secrets{Text: ids}}
}

// typed returns a prompt with words that nothing marks as secrets.
func typed(words ...string) rec {
	packed, _ := hex.DecodeString(strings.Join(words, ""))
	r := prompt("x")
	r.Secrets.Said = base64.StdEncoding.EncodeToString(packed)
	return r
}

func part(text string) *record.Part {
	return &record.Part{Digest: "digest of " + text, JSON: json.RawMessage(text)}
}

func pre(call, input string, ids ...string) rec {
	return rec{Event: "pre_tool_use", Tool: &record.Tool{Name: "Bash", CallID: call}, Subject: &record.Subject{Input: part(input)}, Secrets: &record.Secrets{Input: ids}}
}

func post(call, input string, ids ...string) rec {
	return rec{Event: "tool_response_transform", Tool: &record.Tool{Name: "Bash", CallID: call}, Subject: &record.Subject{Input: part(input)}, Secrets: &record.Secrets{Output: ids}}
}

func said(event string, ids ...string) rec {
	return rec{Event: event, Secrets: &record.Secrets{Text: ids}}
}

// replaced returns a result from which secrets were removed.
func replaced(call, input string, ids ...string) rec {
	r := post(call, input, ids...)
	r.Effects, r.Secrets.Replaced = []string{"rewrite_output"}, ids
	return r
}

// also returns the second record of the same event of the host, with the original result.
func also(r rec) rec {
	r.Event, r.Effects, r.Secrets = "post_tool_use", nil, &record.Secrets{Output: r.Secrets.Output}
	return r
}

// rewritten returns a call that hooks rewrote.
func rewritten(call, input, to string) rec {
	r := pre(call, input)
	r.Effects, r.Subject.Rewritten = []string{"rewrite_input"}, part(to)
	return r
}

func with(r rec, change func(*rec)) rec {
	change(&r)
	return r
}

const (
	cat  = `{"command":"cat .env"}`
	curl = `{"command":"curl -H x"}`
	ls   = `{"command":"ls"}`
)

func TestReplacedComesBack(t *testing.T) {
	t.Parallel()
	shown := []rec{start(), prompt("go"), pre("1", cat), replaced("1", cat, id), also(replaced("1", cat, id))}
	then := func(more ...rec) []rec { return append(slices.Clip(shown), more...) }
	before := func(more ...rec) []rec {
		return slices.Concat([]rec{start(), prompt("go")}, more, shown[2:], []rec{pre("9", curl, id)})
	}
	for name, tt := range map[string]struct {
		records []rec
		maybe   string // of the finding; "-" = there is none
	}{
		"it does not come back":                    {then(pre("2", ls), post("2", ls), said("stop")), "-"},
		"another secret":                           {then(pre("2", curl, "99999999")), "-"},
		"in the arguments of the next call":        {then(pre("2", curl, id)), ""},
		"in a later call":                          {then(pre("2", ls), post("2", ls), prompt("more"), pre("3", curl, id)), ""},
		"in the answer":                            {then(said("stop", id)), ""},
		"in a sub-agent's answer":                  {then(said("subagent_stop", id)), ""},
		"in what the model answered":               {then(said("after_llm_call", id)), ""},
		"in the reply that is shown":               {then(said("on_response_end", id)), ""},
		"in a summary":                             {then(said("after_compaction", id)), ""},
		"in what is sent to the model":             {then(rec{Event: "before_llm_call", Secrets: &record.Secrets{Messages: []string{id}}}), ""},
		"in a call of a sub-agent":                 {then(with(pre("2", curl, id), func(r *rec) { r.Agent = "a" })), ""},
		"of a host without ids of calls":           {[]rec{start(), pre("", cat), replaced("", cat, id), also(replaced("", cat, id)), pre("", curl, id)}, ""},
		"after it was read twice":                  {then(pre("2", cat), replaced("2", cat, id), pre("3", curl, id)), ""},
		"the call was denied":                      {then(with(pre("2", curl, id), func(r *rec) { r.Effects = []string{"deny"} })), ""},
		"a denied call has no result":              {before(with(pre("0", ls), func(r *rec) { r.Effects = []string{"deny"} })), ""},
		"the user had said it":                     {before(prompt("use this", id)), "a prompt of the session has it too"},
		"the user said it after":                   {then(prompt("use this", id), pre("2", curl, id)), "a prompt of the session has it too"},
		"the user had typed it":                    {before(typed("99999999", id)), "a prompt of the session has it too"},
		"the user typed it after":                  {then(typed(id), pre("2", curl, id)), "a prompt of the session has it too"},
		"the user typed something else":            {before(typed("99999999", "88888888")), ""},
		"the user typed too much":                  {before(with(typed("99999999"), func(r *rec) { r.Secrets.SaidMore = true })), "too long to be sure"},
		"the command that printed it has it":       {[]rec{start(), pre("1", `{"command":"echo x"}`, id), replaced("1", `{"command":"echo x"}`, id), pre("2", curl, id)}, "an earlier call or answer"},
		"an earlier result was not replaced":       {before(pre("0", ls), post("0", ls, id)), "another result that was not replaced"},
		"a later result was not replaced":          {then(pre("2", ls), post("2", ls, id), pre("3", curl, id)), "another result that was not replaced"},
		"a failure told it":                        {before(pre("0", ls), rec{Event: "post_tool_use_failure", Tool: &record.Tool{Name: "Bash", CallID: "0"}, Subject: &record.Subject{Input: part(ls)}, Secrets: &record.Secrets{Output: []string{id}}}), "another result"},
		"the replacement came too late":            {[]rec{start(), pre("1", cat), with(replaced("1", cat, id), func(r *rec) { r.Canceled = true }), pre("2", curl, id)}, "-"},
		"it was only said what would be replaced":  {[]rec{start(), pre("1", cat), with(replaced("1", cat, id), func(r *rec) { r.Shadow = true }), pre("2", curl, id)}, "-"},
		"the host cannot replace":                  {[]rec{start(), pre("1", cat), with(replaced("1", cat, id), func(r *rec) { r.Effects = nil }), pre("2", curl, id)}, "-"},
		"the session continues another":            {append([]rec{resumed()}, append(slices.Clone(shown[1:]), pre("2", curl, id))...), "continues another"},
		"its start was not recorded":               {append(slices.Clone(shown[1:]), pre("2", curl, id)), "beginning of the session was not recorded"},
		"a prompt came before its start":           {slices.Concat([]rec{prompt("go"), start()}, shown[2:], []rec{pre("2", curl, id)}), ""},
		"it was compacted before it was recorded":  {slices.Concat([]rec{{Event: "session_start", Source: "compact"}}, shown[1:], []rec{pre("2", curl, id)}), "beginning of the session was not recorded"},
		"a file was attached":                      {before(prompt("look at @.env please")), "names a file with @"},
		"an address is no file":                    {before(prompt("mail me@example.com, a @ b")), ""},
		"a result was not recorded":                {before(pre("0", ls)), "was not recorded"},
		"somebody else said it":                    {then(with(pre("2", curl, id), func(r *rec) { r.Foreign = true })), "-"},
		"the event after a call has it put back":   {then(pre("2", curl), with(post("2", curl), func(r *rec) { r.Secrets.Input = []string{id} })), "-"},
		"a question before a call has it put back": {then(rec{Event: "permission_request", Secrets: &record.Secrets{Input: []string{id}}}), "-"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := take(honoured.Host{Ran: true}, tt.records)
			switch {
			case tt.maybe == "-" && len(found) > 0:
				t.Fatalf("found %+v", found)
			case tt.maybe == "-":
			case len(found) != 1:
				t.Fatalf("%d findings: %+v", len(found), found)
			case found[0].Row != capability.OutputReplaced || found[0].Secret != id || found[0].Changed == 0 || found[0].Seen <= found[0].Changed:
				t.Errorf("%+v", found[0])
			case !strings.Contains(found[0].Maybe, tt.maybe) || (tt.maybe == "") != (found[0].Maybe == ""):
				t.Errorf("it may be that %q, want %q", found[0].Maybe, tt.maybe)
			}
		})
	}
}

func TestRewrittenRan(t *testing.T) {
	t.Parallel()
	const before, after = `{"command":"touch a","description":"x"}`, `{"command":"touch b","description":"x"}`
	long := func(digest string) *record.Part { return &record.Part{Digest: digest, Head: "{", Tail: "}"} }
	for name, tt := range map[string]struct {
		records []rec
		want    bool
	}{
		"as it was rewritten":                            {[]rec{rewritten("1", before, after), post("1", after)}, false},
		"as it was before":                               {[]rec{rewritten("1", before, after), post("1", before)}, true},
		"as it was before, in another order":             {[]rec{rewritten("1", before, after), post("1", `{"description":"x","command":"touch a"}`)}, true},
		"as it was before, with a default":               {[]rec{rewritten("1", before, after), post("1", `{"command":"touch a","timeout":5}`)}, true},
		"rewritten, with a default":                      {[]rec{rewritten("1", before, after), post("1", `{"command":"touch b","timeout":5}`)}, false},
		"in words of the host":                           {[]rec{rewritten("1", before, after), post("1", `{"command":["bash","-lc","touch b"]}`)}, false},
		"with a prefix of the host":                      {[]rec{rewritten("1", before, after), post("1", `{"command":"cd /w && touch b"}`)}, false},
		"blanks that the host takes away":                {[]rec{rewritten("1", before, `{"command":"touch  a ","description":"x"}`), post("1", before)}, false},
		"a path that the host shortens":                  {[]rec{rewritten("1", `{"file_path":"a.txt"}`, `{"file_path":"/w/a.txt"}`), post("1", `{"file_path":"a.txt"}`)}, false},
		"a number that the host clamps":                  {[]rec{rewritten("1", `{"command":"ls","timeout":9}`, `{"command":"ls","timeout":99999}`), post("1", `{"command":"ls","timeout":9}`)}, false},
		"a member that the host does not know":           {[]rec{rewritten("1", ls, `{"command":"ls","note":"x"}`), post("1", ls)}, false},
		"one of two members as before":                   {[]rec{rewritten("1", `{"a":"one","b":"two"}`, `{"a":"three","b":"four"}`), post("1", `{"a":"one","b":"four"}`)}, false},
		"nothing but a secret differs":                   {[]rec{rewritten("1", `{"command":"x [REDACTED]"}`, `{"command":"x [REDACTED]"}`), post("1", `{"command":"x [REDACTED]"}`)}, false},
		"it failed, and may not have run":                {[]rec{rewritten("1", before, after), with(post("1", before), func(r *rec) { r.Event = "post_tool_use_failure" })}, false},
		"it was denied":                                  {[]rec{with(rewritten("1", before, after), func(r *rec) { r.Effects = append(r.Effects, "deny") }), post("1", before)}, false},
		"it was only said what would be rewritten":       {[]rec{with(rewritten("1", before, after), func(r *rec) { r.Shadow = true }), post("1", before)}, false},
		"the answer came too late":                       {[]rec{with(rewritten("1", before, after), func(r *rec) { r.Canceled = true }), post("1", before)}, false},
		"another call is the same":                       {[]rec{rewritten("1", before, after), pre("2", before), post("2", before), post("1", after)}, false},
		"long arguments as they were":                    {[]rec{with(rewritten("1", before, after), func(r *rec) { r.Subject.Input, r.Subject.Rewritten = long("a"), long("b") }), with(post("1", before), func(r *rec) { r.Subject.Input = long("a") })}, true},
		"long arguments in another form":                 {[]rec{with(rewritten("1", before, after), func(r *rec) { r.Subject.Input, r.Subject.Rewritten = long("a"), long("b") }), with(post("1", before), func(r *rec) { r.Subject.Input = long("c") })}, false},
		"without ids, as it was rewritten":               {[]rec{rewritten("", before, after), post("", after)}, false},
		"without ids, as it was before":                  {[]rec{rewritten("", before, after), post("", before)}, true},
		"without ids, the same call was not rewritten":   {[]rec{rewritten("", before, after), pre("", before), post("", before), post("", after)}, false},
		"without ids, both ran as they were":             {[]rec{rewritten("", before, after), pre("", before), post("", before), post("", before)}, true},
		"without ids, another tool":                      {[]rec{rewritten("", before, after), with(post("", before), func(r *rec) { r.Tool.Name = "Other" })}, false},
		"the second record of the event counts once":     {[]rec{rewritten("1", before, after), post("1", after), with(post("1", before), func(r *rec) { r.Event = "post_tool_use" })}, false},
		"somebody else's event":                          {[]rec{rewritten("1", before, after), with(post("1", before), func(r *rec) { r.Foreign = true })}, false},
		"a host that answers with the rewritten in caps": {[]rec{rewritten("1", before, after), post("1", `{"command":"TOUCH B"}`)}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := take(honoured.Host{Ran: true}, append([]rec{start()}, tt.records...))
			if (len(found) == 1) != tt.want || len(found) > 1 {
				t.Fatalf("%d findings: %+v", len(found), found)
			}
			if tt.want && (found[0].Row != capability.Rewrite || found[0].Maybe != "" || found[0].Tool != "Bash") {
				t.Errorf("%+v", found[0])
			}
			for _, f := range take(honoured.Host{}, append([]rec{start()}, tt.records...)) {
				if f.Maybe == "" {
					t.Error("it is held against a host of which nobody knows what it tells")
				}
			}
		})
	}
}

// take gives a session records with numbers and times.
// What nothing told to be a secret explains it only where the model cannot have it from the
// result that was replaced.
func TestShown(t *testing.T) {
	t.Parallel()
	f := honoured.Finding{Changed: 5, Seen: 9}
	has := func(text string) bool { return strings.Contains(text, "value") }
	at := func(seq uint64, r rec) rec { r.Seq = seq; return r }
	out := func(text string) rec {
		return rec{Event: "post_tool_use", Subject: &record.Subject{Output: part(text)}}
	}
	for name, tt := range map[string]struct {
		r    rec
		want string
	}{
		"a call before":           {at(3, pre("1", `{"command":"echo value"}`)), "an earlier call"},
		"a call after":            {at(7, pre("1", `{"command":"echo value"}`)), ""},
		"a result before":         {at(3, out(`{"stdout":"value"}`)), "another result"},
		"a result after":          {at(7, out(`{"stdout":"value"}`)), "another result"},
		"the name of a member":    {at(3, out(`{"value":1}`)), "another result"},
		"another result":          {at(3, out(`{"stdout":"x"}`)), ""},
		"a long one":              {at(3, rec{Event: "post_tool_use", Subject: &record.Subject{Output: &record.Part{Head: "x", Tail: "value"}}}), "another result"},
		"the arguments after":     {at(7, with(out(`{}`), func(r *rec) { r.Subject.Input = part(`{"a":"value"}`) })), ""},
		"what comes later":        {at(9, out(`{"stdout":"value"}`)), ""},
		"what the host tells":     {at(7, rec{Event: "notification", Subject: &record.Subject{Text: &record.Part{Text: "value"}}}), "earlier call or answer"},
		"a question about a call": {at(7, rec{Event: "permission_request", Subject: &record.Subject{Input: part(`{"a":"value"}`)}}), ""},
		"somebody else":           {at(3, with(out(`{"stdout":"value"}`), func(r *rec) { r.Foreign = true })), ""},
	} {
		if got := f.ExplainedBy(&tt.r, has); tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

func take(h honoured.Host, records []rec) []honoured.Finding {
	s := honoured.New(h)
	for i := range records {
		r := records[i]
		r.Seq, r.Time, r.Host, r.Session = uint64(i+1), time.Unix(int64(i), 0), "claude", "s"
		s.CheckRecord(&r)
	}
	return s.Findings()
}
