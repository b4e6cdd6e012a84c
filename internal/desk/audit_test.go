package desk

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/console"
	"github.com/checkrein/checkrein/internal/record"
)

// consoleEnv is an outside without variables.
var consoleEnv = console.Env{Now: func() time.Time { return noon }}

func TestMoment(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("here", 2*60*60)
	now := time.Date(2026, 11, 15, 12, 30, 0, 0, zone)
	tests := []struct {
		text string
		end  bool
		want string // in RFC 3339; "" = an error
	}{
		{"90m", false, "2026-11-15T11:00:00+02:00"},
		{"2h", true, "2026-11-15T10:30:00+02:00"},
		{"7d", false, "2026-11-08T12:30:00+02:00"},
		{"1d12h", false, "2026-11-14T00:30:00+02:00"},
		{"1w1d", false, "2026-11-07T12:30:00+02:00"},
		{"now", true, "2026-11-15T12:30:00+02:00"},
		{"today", false, "2026-11-15T00:00:00+02:00"},
		{"today", true, "2026-11-16T00:00:00+02:00"},
		{"Yesterday", false, "2026-11-14T00:00:00+02:00"},
		{"yesterday", true, "2026-11-15T00:00:00+02:00"},
		{"2026-11-01", false, "2026-11-01T00:00:00+02:00"},
		{"2026-11-01", true, "2026-11-02T00:00:00+02:00"},
		{"2026-11-01 08:15", true, "2026-11-01T08:15:00+02:00"},
		{"2026-11-01T08:15:30", false, "2026-11-01T08:15:30+02:00"},
		{"2026-11-01T08:15:30Z", false, "2026-11-01T08:15:30Z"},
		{"2026-11-01t08:15:30.5-05:00", false, "2026-11-01T08:15:30.5-05:00"},
		{"", false, ""},
		{"-2h", false, ""},
		{"d", false, ""},
		{"7", false, ""},
		{"2026-13-01", false, ""},
		{"soon", false, ""},
		{"99999999999d", false, ""},
		{"1d1w", false, ""},
	}
	for _, tt := range tests {
		got, err := moment(tt.text, now, tt.end)
		if tt.want == "" {
			if err == nil {
				t.Errorf("moment(%q) = %v, want an error", tt.text, got)
			}
			continue
		}
		if text := got.Format(time.RFC3339Nano); err != nil || text != tt.want {
			t.Errorf("moment(%q, %v) = %v, %v, want %v", tt.text, tt.end, text, err, tt.want)
		}
	}
}

func TestSelection(t *testing.T) {
	t.Parallel()
	got, err := (&filterFlags{since: "2d", until: "1d", events: []string{"PreToolUse", "stop", "other", "transform_tool_result"},
		decisions: []string{"deny", "none"}, effects: []string{"rewrite_input"}, limit: 5}).selection(noon)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"pre_tool_use", "stop", "other", "tool_response_transform"}; !slices.Equal(got.events, want) {
		t.Errorf("events %q, want %q", got.events, want)
	}
	if !got.since.Equal(noon.Add(-2*day)) || !got.until.Equal(noon.Add(-day)) || got.limit != 5 {
		t.Errorf("got %+v", got)
	}
	tests := []struct {
		name  string
		flags filterFlags
		want  string
	}{
		{"since", filterFlags{since: "soon"}, `--since: "soon" is no time`},
		{"until", filterFlags{until: "soon"}, `--until: "soon" is no time`},
		{"order", filterFlags{since: "1h", until: "2h"}, "--since 1h is not before --until 2h"},
		{"event", filterFlags{events: []string{"pre_tool_us"}}, `unknown event "pre_tool_us", did you mean "pre_tool_use"?`},
		{"decision", filterFlags{decisions: []string{"block"}}, `unknown decision "block": it is one of none, allow, ask, deny`},
		{"effect", filterFlags{effects: []string{"rewrite_inputs"}}, `did you mean "rewrite_input"?`},
		{"limit", filterFlags{limit: -1}, "must not be negative"},
	}
	for _, tt := range tests {
		if _, err := tt.flags.selection(noon); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.want)
		}
	}
}

func TestTable(t *testing.T) {
	t.Parallel()
	for _, width := range []string{"80", "160", "0", "x"} {
		env := consoleEnv
		env.Environ = []string{"COLUMNS=" + width}
		tab := newTable(&env)
		torn := &record.Record{Seq: 9, Kind: "torn", Time: noon}
		rows := []row{header(), rowOf(asked(), time.UTC), rowOf(calm(), time.UTC), rowOf(torn, time.UTC)}
		tab.fit(rows)
		var out strings.Builder
		for _, r := range rows {
			out.WriteString(tab.line(r) + "\n")
		}
		golden(t, "table_"+width+".txt", out.String())
	}
}

func TestShowText(t *testing.T) {
	t.Parallel()
	golden(t, "show_asked.txt", showText(rawOf(t, asked()), time.UTC))
	golden(t, "show_torn.txt", showText([]byte(`{"v":1,"seq":9,"kind":"torn","time":"2026-11-15T12:00:00Z","bytes":17,"digest":"ab","hash":"cd"}`), time.UTC))
	golden(t, "show_no_record.txt", showText([]byte(`{"v":1,`), time.UTC))
}

func TestAmount(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0 records", 1: "1 record", 999: "999 records", 1000: "1,000 records", 1234567: "1,234,567 records"} {
		if got := amount(n, "record"); got != want {
			t.Errorf("amount(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestClipKeepsCharacters(t *testing.T) {
	t.Parallel()
	got := clip(strings.Repeat("a", maxShown-1) + "é" + "more")
	if want := strings.Repeat("a", maxShown-1) + " [… 6 bytes more: --json has them]"; got != want {
		t.Errorf("got %q", got[maxShown-2:])
	}
}
