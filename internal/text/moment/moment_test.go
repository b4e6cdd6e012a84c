package moment

import (
	"testing"
	"time"
)

func TestParse(t *testing.T) {
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
		{"99999d", false, "1753-01-31T12:30:00+02:00"},
		{"1.5h", false, "2026-11-15T11:00:00+02:00"},
		{"99999999999d", false, ""},
		{"65535w", false, ""},
		{"99999999999h", false, ""},
		{"15250w9999999h", false, ""},
		{"1d1w", false, ""},
	}
	for _, tt := range tests {
		got, err := Parse(tt.text, now, tt.end)
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
