package native

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/grammar"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/hook/setting"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// The default and the maximum limits of a judge for one session.
const (
	defaultCalls, maxCalls     = 20, 10000
	defaultMoney, maxMoney     = 100_000, 1000_000_000 // millionths of a USD
	defaultTimeout, maxTimeout = 20 * time.Second, 10 * time.Minute
	maxJudgePrompt             = 64 << 10
	judgeRemedy                = "write judge: {model: openai/gpt-4o-mini, calls: 20, money: 0.10}"
)

// readJudges reads the model for calls that no rule can judge. A judge with mistakes is ignored,
// because it could decide calls about which the user wants to be asked.
func readJudges(b *grammar.Block, n *yamldoc.Node) []setting.Judge {
	if n.IsNull() {
		return nil
	}
	if n.Kind != yamldoc.Map {
		b.AddError(n.Line, "", judgeRemedy, "judge is %s, not a mapping", n.Kind)
		return nil
	}
	b.AddUnknownKeysLost(n, "judge", "model", "prompt", "calls", "money", "timeout", "on_spent")
	j := setting.Judge{Calls: defaultCalls, Money: defaultMoney, Timeout: defaultTimeout, From: checkrein.Origin{File: b.File, Line: n.Line}}
	good := true
	bad := func(at *yamldoc.Node, remedy, format string, args ...any) {
		good = false
		b.AddError(at.Line, "", remedy, format, args...)
	}
	switch m := n.Get("model"); {
	case m.IsNull():
		bad(n, judgeRemedy, "judge has no model")
	case m.Kind != yamldoc.Text || !isModelName(m.Text):
		bad(m, "write provider/model, such as openai/gpt-4o-mini", "judge.model: %q is not a valid model name", m.ScalarText())
	default:
		j.Model = m.Text
	}
	if p := n.Get("prompt"); !p.IsNull() {
		if p.Kind != yamldoc.Text || strings.TrimSpace(p.Text) == "" || len(p.Text) > maxJudgePrompt {
			bad(p, "write a string of at most 64 KiB, or leave it out", "judge.prompt is not valid")
		}
		j.Prompt = p.Text
	}
	if c := n.Get("calls"); !c.IsNull() {
		if j.Calls = readInt(b, c, "judge.calls", 1, maxCalls); j.Calls == 0 {
			good = false
		}
	}
	if m := n.Get("money"); !m.IsNull() {
		v, err := strconv.ParseFloat(m.Text, 64)
		if m.Kind != yamldoc.Number || err != nil || !(v*1e6 >= 1 && v*1e6 <= maxMoney) {
			bad(m, "write the limit in USD per session, from 0.000001 to 1000, such as 0.10", "judge.money: %q is out of range", m.ScalarText())
		} else {
			j.Money = int(math.Round(v * 1e6))
		}
	}
	if t := n.Get("timeout"); !t.IsNull() {
		d, ok := t.Duration()
		switch {
		case !ok || d < time.Millisecond:
			bad(t, "write seconds, or a duration such as 20s, up to 10m", "judge.timeout: %s is not a valid duration", t.Display())
		case d > maxTimeout:
			bad(t, "write seconds, or a duration such as 20s", "judge.timeout: %s is longer than 10 minutes", t.Display())
		}
		j.Timeout = d
	}
	if s := n.Get("on_spent"); !s.IsNull() {
		d, ok := hookfile.ParseDecision(s.Text)
		if s.Kind != yamldoc.Text || !ok || d == checkrein.Allow {
			bad(s, "use none (decide as if there were no judge), ask or deny", "judge.on_spent: %q is unknown", s.ScalarText())
		}
		j.OnSpent = d
	}
	if !good {
		return nil
	}
	return []setting.Judge{j}
}

// isModelName reports whether ref has the form provider/model.
func isModelName(ref string) bool {
	provider, name, ok := strings.Cut(ref, "/")
	return ok && provider != "" && name != "" && !strings.ContainsAny(ref, " \t\r\n")
}
