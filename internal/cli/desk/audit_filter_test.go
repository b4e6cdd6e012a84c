package desk

import (
	"maps"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/cli/records"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/lab/clitest"
)

func TestSelectionFits(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		choose records.Selection
		record *record.Record
		want   bool
	}{
		{"everything", records.Selection{}, clitest.Denied(), true},
		{"of the ledger itself, unasked", records.Selection{}, &record.Record{Kind: "torn", Time: clitest.Noon}, false},
		{"of the ledger itself", records.Selection{Kinds: true}, &record.Record{Kind: "torn", Time: clitest.Noon}, true},
		{"of the ledger itself, filtered", records.Selection{Kinds: true, Hosts: []string{"native"}}, &record.Record{Kind: "torn", Time: clitest.Noon}, false},
		{"since then", records.Selection{Since: clitest.Noon}, clitest.Denied(), true},
		{"since later", records.Selection{Since: clitest.Noon.Add(1)}, clitest.Denied(), false},
		{"until then", records.Selection{Until: clitest.Noon}, clitest.Denied(), false},
		{"until later", records.Selection{Until: clitest.Noon.Add(1)}, clitest.Denied(), true},
		{"host", records.Selection{Hosts: []string{"claude", "native"}}, clitest.Denied(), true},
		{"other host", records.Selection{Hosts: []string{"claude"}}, clitest.Denied(), false},
		{"session", records.Selection{Sessions: []string{"0123456789abcdef"}}, clitest.Denied(), true},
		{"begin of a session", records.Selection{Sessions: []string{"01234567"}}, clitest.Denied(), true},
		{"middle of a session", records.Selection{Sessions: []string{"1234"}}, clitest.Denied(), false},
		{"event", records.Selection{Events: []string{"pre_tool_use"}}, clitest.Denied(), true},
		{"other event", records.Selection{Events: []string{"stop"}}, clitest.Denied(), false},
		{"tool of the host", records.Selection{Tools: []string{"Bash"}}, clitest.Denied(), true},
		{"tool of ours", records.Selection{Tools: []string{"shell"}}, clitest.Denied(), true},
		{"other tool", records.Selection{Tools: []string{"write"}}, clitest.Denied(), false},
		{"tool of an event without", records.Selection{Tools: []string{"Bash"}}, clitest.Undecided(), false},
		{"decision", records.Selection{Decisions: []string{"allow", "deny"}}, clitest.Denied(), true},
		{"other decision", records.Selection{Decisions: []string{"none"}}, clitest.Denied(), false},
		{"none", records.Selection{Decisions: []string{"none"}}, clitest.Undecided(), true},
		{"hook", records.Selection{Hooks: []string{"quiet"}}, clitest.Denied(), true},
		{"hook that had nothing to say", records.Selection{Hooks: []string{"picky"}}, clitest.Denied(), false},
		{"other hook", records.Selection{Hooks: []string{"quie"}}, clitest.Denied(), false},
		{"effect", records.Selection{Effects: []string{"deny"}}, clitest.Denied(), true},
		{"effect of a hook only", records.Selection{Effects: []string{"rewrite_input"}}, clitest.Denied(), false},
		{"denied", records.Selection{Outcomes: (&records.FilterFlags{Denied: true}).Outcomes().Words()}, clitest.Denied(), true},
		{"asked or changed", records.Selection{Outcomes: (&records.FilterFlags{Asked: true, Changed: true}).Outcomes().Words()}, clitest.Denied(), false},
		{"asked or denied", records.Selection{Outcomes: (&records.FilterFlags{Asked: true, Denied: true}).Outcomes().Words()}, clitest.Denied(), true},
		{"denied, of another host", records.Selection{Hosts: []string{"claude"}, Outcomes: []string{"deny"}}, clitest.Denied(), false},
		{"an outcome and another effect", records.Selection{Effects: []string{"rewrite_input"}, Outcomes: []string{"deny"}}, clitest.Denied(), false},
		{"of the ledger itself, with an outcome", records.Selection{Kinds: true, Outcomes: []string{"deny"}}, &record.Record{Kind: "torn", Time: clitest.Noon}, false},
		{"all must hold", records.Selection{Hosts: []string{"native"}, Decisions: []string{"ask"}}, clitest.Denied(), false},
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
		env := clitest.Env
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
