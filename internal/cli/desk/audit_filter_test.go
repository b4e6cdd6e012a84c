package desk

import (
	"maps"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/cli/records"
	"github.com/checkrein/checkrein/internal/evidence/record"
)

func TestSelectionFits(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		choose records.Selection
		record *record.Record
		want   bool
	}{
		{"everything", records.Selection{}, asked(), true},
		{"of the ledger itself, unasked", records.Selection{}, &record.Record{Kind: "torn", Time: noon}, false},
		{"of the ledger itself", records.Selection{Kinds: true}, &record.Record{Kind: "torn", Time: noon}, true},
		{"of the ledger itself, filtered", records.Selection{Kinds: true, Hosts: []string{"native"}}, &record.Record{Kind: "torn", Time: noon}, false},
		{"since then", records.Selection{Since: noon}, asked(), true},
		{"since later", records.Selection{Since: noon.Add(1)}, asked(), false},
		{"until then", records.Selection{Until: noon}, asked(), false},
		{"until later", records.Selection{Until: noon.Add(1)}, asked(), true},
		{"host", records.Selection{Hosts: []string{"claude", "native"}}, asked(), true},
		{"other host", records.Selection{Hosts: []string{"claude"}}, asked(), false},
		{"session", records.Selection{Sessions: []string{"0123456789abcdef"}}, asked(), true},
		{"begin of a session", records.Selection{Sessions: []string{"01234567"}}, asked(), true},
		{"middle of a session", records.Selection{Sessions: []string{"1234"}}, asked(), false},
		{"event", records.Selection{Events: []string{"pre_tool_use"}}, asked(), true},
		{"other event", records.Selection{Events: []string{"stop"}}, asked(), false},
		{"tool of the host", records.Selection{Tools: []string{"Bash"}}, asked(), true},
		{"tool of ours", records.Selection{Tools: []string{"shell"}}, asked(), true},
		{"other tool", records.Selection{Tools: []string{"write"}}, asked(), false},
		{"tool of an event without", records.Selection{Tools: []string{"Bash"}}, calm(), false},
		{"decision", records.Selection{Decisions: []string{"allow", "deny"}}, asked(), true},
		{"other decision", records.Selection{Decisions: []string{"none"}}, asked(), false},
		{"none", records.Selection{Decisions: []string{"none"}}, calm(), true},
		{"hook", records.Selection{Hooks: []string{"quiet"}}, asked(), true},
		{"hook that had nothing to say", records.Selection{Hooks: []string{"picky"}}, asked(), false},
		{"other hook", records.Selection{Hooks: []string{"quie"}}, asked(), false},
		{"effect", records.Selection{Effects: []string{"deny"}}, asked(), true},
		{"effect of a hook only", records.Selection{Effects: []string{"rewrite_input"}}, asked(), false},
		{"denied", records.Selection{Outcomes: (&records.FilterFlags{Denied: true}).Outcomes().Words()}, asked(), true},
		{"asked or changed", records.Selection{Outcomes: (&records.FilterFlags{Asked: true, Changed: true}).Outcomes().Words()}, asked(), false},
		{"asked or denied", records.Selection{Outcomes: (&records.FilterFlags{Asked: true, Denied: true}).Outcomes().Words()}, asked(), true},
		{"denied, of another host", records.Selection{Hosts: []string{"claude"}, Outcomes: []string{"deny"}}, asked(), false},
		{"an outcome and another effect", records.Selection{Effects: []string{"rewrite_input"}, Outcomes: []string{"deny"}}, asked(), false},
		{"of the ledger itself, with an outcome", records.Selection{Kinds: true, Outcomes: []string{"deny"}}, &record.Record{Kind: "torn", Time: noon}, false},
		{"all must hold", records.Selection{Hosts: []string{"native"}, Decisions: []string{"ask"}}, asked(), false},
	}
	for _, tt := range tests {
		if got := tt.choose.Fits(tt.record); got != tt.want {
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
