package desk

import (
	"maps"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/evidence/record"
)

func TestSelectionFits(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		choose selection
		record *record.Record
		want   bool
	}{
		{"everything", selection{}, asked(), true},
		{"of the ledger itself, unasked", selection{}, &record.Record{Kind: "torn", Time: noon}, false},
		{"of the ledger itself", selection{kinds: true}, &record.Record{Kind: "torn", Time: noon}, true},
		{"of the ledger itself, filtered", selection{kinds: true, hosts: []string{"native"}}, &record.Record{Kind: "torn", Time: noon}, false},
		{"since then", selection{since: noon}, asked(), true},
		{"since later", selection{since: noon.Add(1)}, asked(), false},
		{"until then", selection{until: noon}, asked(), false},
		{"until later", selection{until: noon.Add(1)}, asked(), true},
		{"host", selection{hosts: []string{"claude", "native"}}, asked(), true},
		{"other host", selection{hosts: []string{"claude"}}, asked(), false},
		{"session", selection{sessions: []string{"0123456789abcdef"}}, asked(), true},
		{"begin of a session", selection{sessions: []string{"01234567"}}, asked(), true},
		{"middle of a session", selection{sessions: []string{"1234"}}, asked(), false},
		{"event", selection{events: []string{"pre_tool_use"}}, asked(), true},
		{"other event", selection{events: []string{"stop"}}, asked(), false},
		{"tool of the host", selection{tools: []string{"Bash"}}, asked(), true},
		{"tool of ours", selection{tools: []string{"shell"}}, asked(), true},
		{"other tool", selection{tools: []string{"write"}}, asked(), false},
		{"tool of an event without", selection{tools: []string{"Bash"}}, calm(), false},
		{"decision", selection{decisions: []string{"allow", "deny"}}, asked(), true},
		{"other decision", selection{decisions: []string{"none"}}, asked(), false},
		{"none", selection{decisions: []string{"none"}}, calm(), true},
		{"hook", selection{hooks: []string{"quiet"}}, asked(), true},
		{"hook that had nothing to say", selection{hooks: []string{"picky"}}, asked(), false},
		{"other hook", selection{hooks: []string{"quie"}}, asked(), false},
		{"effect", selection{effects: []string{"deny"}}, asked(), true},
		{"effect of a hook only", selection{effects: []string{"rewrite_input"}}, asked(), false},
		{"denied", selection{outcomes: (&filterFlags{denied: true}).outcomes().Words()}, asked(), true},
		{"asked or changed", selection{outcomes: (&filterFlags{asked: true, changed: true}).outcomes().Words()}, asked(), false},
		{"asked or denied", selection{outcomes: (&filterFlags{asked: true, denied: true}).outcomes().Words()}, asked(), true},
		{"denied, of another host", selection{hosts: []string{"claude"}, outcomes: []string{"deny"}}, asked(), false},
		{"an outcome and another effect", selection{effects: []string{"rewrite_input"}, outcomes: []string{"deny"}}, asked(), false},
		{"of the ledger itself, with an outcome", selection{kinds: true, outcomes: []string{"deny"}}, &record.Record{Kind: "torn", Time: noon}, false},
		{"all must hold", selection{hosts: []string{"native"}, decisions: []string{"ask"}}, asked(), false},
	}
	for _, tt := range tests {
		if got := tt.choose.fits(tt.record); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestOTLPOptions(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		environ  []string
		endpoint string
		headers  []string
		wantURL  string
		want     map[string]string
		wantErr  string
	}{
		{name: "nothing", wantErr: "--endpoint URL"},
		{name: "flag wins", environ: []string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://b"}, endpoint: "http://a", wantURL: "http://a"},
		{name: "signal wins", environ: []string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://b", "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT=http://c/v1/logs"}, wantURL: "http://c/v1/logs"},
		{name: "variable", environ: []string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://b"}, wantURL: "http://b"},
		{name: "headers", environ: []string{"OTEL_EXPORTER_OTLP_HEADERS=a=1, b=two%20words,c=x=y", "OTEL_EXPORTER_OTLP_LOGS_HEADERS=c=3"},
			endpoint: "http://a", headers: []string{"b=4"}, wantURL: "http://a", want: map[string]string{"a": "1", "b": "4", "c": "3"}},
		{name: "bad header", endpoint: "http://a", headers: []string{"hidden"}, wantErr: "name=value"},
		{name: "bad variable", endpoint: "http://a", environ: []string{"OTEL_EXPORTER_OTLP_HEADERS=hidden"}, wantErr: "OTEL_EXPORTER_OTLP_HEADERS must be a list"},
	}
	for _, tt := range tests {
		env := consoleEnv
		env.Environ = tt.environ
		got, err := otlpOptions(&env, tt.endpoint, tt.headers)
		switch {
		case tt.wantErr != "":
			if err == nil || !strings.Contains(err.Error(), tt.wantErr) || strings.Contains(err.Error(), "hidden") {
				t.Errorf("%s: error %v, want %q", tt.name, err, tt.wantErr)
			}
		case err != nil || got.Endpoint != tt.wantURL || !maps.Equal(got.Headers, tt.want):
			t.Errorf("%s: got %+v, %v", tt.name, got, err)
		}
	}
}
