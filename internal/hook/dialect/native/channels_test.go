package native

import (
	"fmt"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/setting"
	"github.com/google/go-cmp/cmp"
)

func TestChannels(t *testing.T) {
	t.Parallel()
	f, err := read("version: 1\nchannels:\n  telegram: telegram://${env.T}@telegram?chats=@me\n  ops-2: ${file:~/ops}\n")
	if err != nil {
		t.Fatal(err)
	}
	want := []setting.Channel{
		{Name: "telegram", URL: "telegram://${env.T}@telegram?chats=@me", From: checkrein.Origin{File: "/c.yaml", Line: 3}},
		{Name: "ops-2", URL: "${file:~/ops}", From: checkrein.Origin{File: "/c.yaml", Line: 4}},
	}
	if diff := cmp.Diff(want, f.Settings.Channels); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestBadChannels checks that mistakes are reported without the URL, which contains a token.
func TestBadChannels(t *testing.T) {
	t.Parallel()
	var many strings.Builder
	for i := range maxChannels + 1 {
		fmt.Fprintf(&many, "c%d: 'generic://x', ", i)
	}
	for _, tt := range []struct{ name, block, err string }{
		{"a list", "['telegram://s3cret']", "channels is a list, not a mapping (write channels: "},
		{"the outbox", "{outbox: 'telegram://s3cret'}", "channels: the name outbox is reserved for checkrein's own file (choose another name)"},
		{"capital letters", "{Telegram: 'telegram://s3cret'}", `channels: "Telegram" is not a valid name (use at most 32 lowercase letters`},
		{"too long", "{" + strings.Repeat("a", 33) + ": 'telegram://s3cret'}", "is not a valid name"},
		{"nothing", "{telegram: }", "channels.telegram is null, not a URL (write channels: "},
		{"a mapping", "{telegram: {url: 's3cret'}}", "channels.telegram is a mapping, not a URL (write channels: "},
		{"not a URL", "{telegram: s3cret}", "channels.telegram is not a URL (write channels: "},
		{"too many", "{" + many.String() + "}", "there are more than 32 channels"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f, err := read("version: 1\nchannels: " + tt.block + "\n")
			if err == nil || !strings.Contains(err.Error(), tt.err) || strings.Contains(err.Error(), "s3cret") {
				t.Errorf("got %v", err)
			}
			if len(f.Settings.Channels) > maxChannels || f.Lost != nil {
				t.Errorf("channels %+v, lost %v", f.Settings.Channels, f.Lost)
			}
		})
	}
}
