package audit

import (
	"maps"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/lab/clitest"
)

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
		got, err := OTLPOptions(&env, tt.endpoint, tt.headers)
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
