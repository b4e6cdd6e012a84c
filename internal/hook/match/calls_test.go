package match

import (
	"testing"

	"github.com/checkrein/checkrein"
)

func TestCalls(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		hook checkrein.Hook
		want string
	}{
		{checkrein.Hook{On: checkrein.PreToolUse}, "every call"},
		{checkrein.Hook{On: checkrein.PreToolUse, Match: "*"}, "every call"},
		{checkrein.Hook{On: checkrein.PreToolUse, Match: "shell|edit_file"}, "every call of shell, edit_file"},
		{checkrein.Hook{On: checkrein.PreToolUse, Match: "mcp:.*", Args: "prod"}, `every call of a tool whose name matches mcp:.* that contains "prod"`},
		{checkrein.Hook{On: checkrein.PreToolUse, Match: "!Write"}, `every call of a tool named "!Write"`},
		{checkrein.Hook{On: checkrein.PreToolUse, Search: "rm -rf"}, `every call whose payload contains "rm -rf"`},
		{checkrein.Hook{On: checkrein.PreToolUse, If: checkrein.Condition(`{"tool":{"is":"shell"}}`)}, "every call that meets the hook's condition"},
		{checkrein.Hook{On: checkrein.OnOutboundMessage}, "every on_outbound_message"},
	} {
		if got := DescribeCalls(&tt.hook); got != tt.want {
			t.Errorf("%+v: %s, want %s", tt.hook, got, tt.want)
		}
	}
}
