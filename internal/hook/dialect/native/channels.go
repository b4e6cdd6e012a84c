package native

import (
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/grammar"
	"github.com/checkrein/checkrein/internal/hook/setting"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

const (
	maxChannels    = 32
	maxChannelName = 32
	channelRemedy  = "write channels: {telegram: 'telegram://${env.TELEGRAM_TOKEN}@telegram?chats=@me'}"
)

// readChannels reads the destinations for messages. Errors mention only their names, because a URL
// contains a token. Whether a service supports the URL is checked by checkreind, which implements the
// services.
func readChannels(b *grammar.Block, n *yamldoc.Node) []setting.Channel {
	if n.IsNull() {
		return nil
	}
	if n.Kind != yamldoc.Map {
		b.AddError(n.Line, "", channelRemedy, "channels is %s, not a mapping", n.Kind)
		return nil
	}
	var out []setting.Channel
	for i, p := range n.Pairs {
		switch {
		case i == maxChannels:
			b.AddError(p.Line, "", "remove the channels you do not use", "there are more than %d channels: from this one on they are ignored", maxChannels)
			return out
		case p.Key == "outbox":
			b.AddError(p.Line, "", "choose another name", "channels: the name outbox is reserved for checkrein's own file")
		case !isChannelName(p.Key):
			b.AddError(p.Line, "", "use at most 32 lowercase letters, digits, - and _", "channels: %q is not a valid name", p.Key)
		case p.Value.Kind != yamldoc.Text:
			b.AddError(p.Line, "", channelRemedy, "channels.%s is %s, not a URL", p.Key, p.Value.Kind)
		case !strings.Contains(p.Value.Text, "://") && !strings.HasPrefix(p.Value.Text, "${"):
			b.AddError(p.Line, "", channelRemedy, "channels.%s is not a URL", p.Key)
		default:
			out = append(out, setting.Channel{Name: p.Key, URL: p.Value.Text, From: checkrein.Origin{File: b.File, Line: p.Line}})
		}
	}
	return out
}

// isChannelName reports whether name is short and plain enough to be shown to a model.
func isChannelName(name string) bool {
	const first = "abcdefghijklmnopqrstuvwxyz0123456789"
	return name != "" && len(name) <= maxChannelName && strings.Contains(first, name[:1]) && strings.Trim(name, first+"-_") == ""
}
