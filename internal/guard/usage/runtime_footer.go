package usage

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/builtin"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/suggest"
)

// creditTimeout is how long a footer waits for the user's balance.
const creditTimeout = 2 * time.Second

// noFooters is the instruction to the model not to write footers.
const noFooters = "Do NOT end your reply with a model/cost/token footer of any kind, such as \"─ model · $cost\" or \"Model: … | Cost: …\". " +
	"You cannot know what a reply costs or which model you are. The lines of that kind below earlier replies were added by the runtime after you had finished: " +
	"do not copy, continue or imitate them. End with your own content."

// A footer holds the settings for the line below replies. The environment variables that starchild
// documents take precedence over the hook's arguments.
type footer struct {
	tokens, credit, strip bool
	template, url, nudge  string
}

// NewRuntimeFooter returns the builtin that adds the real cost of a turn below the reply and removes
// footers that the model made up.
func NewRuntimeFooter(env Env, args []string) (builtin.Func, error) {
	f := footer{strip: true}
	for _, arg := range args {
		if err := f.parseArg(arg); err != nil {
			return nil, err
		}
	}
	return env.bindEnv(func(ctx context.Context, call *Call) (checkrein.Verdict, error) {
		g := f.withEnv(call.Environ)
		switch call.Event.Kind {
		case checkrein.OnResponseEnd:
			return g.addFooter(ctx, call), nil
		case checkrein.BeforeLLMCall:
			return builtin.AddContext(g.nudge), nil
		}
		return checkrein.Verdict{}, nil
	}), nil
}

// parseArg parses one argument.
func (f *footer) parseArg(arg string) error {
	name, val, given := strings.Cut(arg, "=")
	texts := func(to *string) error {
		if val == "" {
			return fmt.Errorf("%s needs a value: write %s=…", name, name)
		}
		*to = val
		return nil
	}
	switches := func(to *bool) error {
		on, ok := parseSwitch(val)
		if !ok && given {
			return fmt.Errorf("%s is %q: must be true or false", name, val)
		}
		*to = on || !given
		return nil
	}
	switch name {
	case "tokens":
		return switches(&f.tokens)
	case "credit":
		return switches(&f.credit)
	case "strip":
		return switches(&f.strip)
	case "template":
		return texts(&f.template)
	case "credit_url":
		return texts(&f.url)
	case "nudge":
		return texts(&f.nudge)
	}
	return fmt.Errorf("unknown argument %q%s", arg, suggest.Hint(name, []string{"tokens", "credit", "strip", "template", "credit_url", "nudge"}))
}

// parseSwitch parses a switch such as true, yes or off. It returns false for ok if s is none of the
// known words.
func parseSwitch(s string) (on, ok bool) {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "1", "true", "yes", "on":
		return true, true
	case "0", "false", "no", "off":
		return false, true
	}
	return false, false
}

// withEnv returns a copy of f with the settings in the environment env applied.
func (f footer) withEnv(env []string) *footer {
	switches := func(to *bool, name string) {
		if val, _ := environ.Lookup(env, name); strings.TrimSpace(val) != "" {
			on, known := parseSwitch(val)
			*to = on || !known // as in starchild, anything but off is on
		}
	}
	texts := func(to *string, name string) {
		if val, _ := environ.Lookup(env, name); val != "" {
			*to = val
		}
	}
	switches(&f.tokens, "FOOTER_SHOW_TOKENS")
	switches(&f.credit, "FOOTER_SHOW_CREDIT")
	switches(&f.strip, "FOOTER_STRIP")
	texts(&f.template, "FOOTER_TEMPLATE")
	texts(&f.url, "FOOTER_CREDIT_URL")
	if f.nudge == "" {
		f.nudge = noFooters
	}
	texts(&f.nudge, "FOOTER_SUPPRESS_TEXT")
	return &f
}

// addFooter returns a verdict that adds the footer to the reply. If the cost is unknown, it adds none,
// but still removes footers that the model made up.
func (f *footer) addFooter(ctx context.Context, call *Call) checkrein.Verdict {
	ev := &call.Event
	if strings.TrimSpace(ev.Text) == "" {
		return checkrein.Verdict{}
	}
	body := ev.Text
	if f.strip {
		body = stripFooters(body)
	}
	var v checkrein.Verdict
	spent := eventSpending(ev)
	switch {
	case spent.Priced && (spent.Cost > 0 || spent.hasTokens()): // hosts report 0 for an unknown price
		v = builtin.AppendParagraph(body, f.formatFooter(ctx, call, &spent))
	case len(body) < len(ev.Text):
		v = builtin.AppendParagraph(body, "")
	}
	if string(v.Output) == string(rawjson.Quote(ev.Text)) {
		return checkrein.Verdict{}
	}
	return v
}

// formatFooter returns the text of the footer.
func (f *footer) formatFooter(ctx context.Context, call *Call, spent *spending) string {
	in, out := formatThousands(spent.Input), formatThousands(spent.Output)
	model := eventModel(&call.Event)
	if model == "" {
		model = "?"
	}
	model = builtin.QuoteUnprintable(model)
	credit := ""
	if f.credit && f.template == "" || strings.Contains(f.template, "{credit}") {
		credit = f.fetchBalance(ctx, call)
	}
	if f.template != "" {
		line := strings.NewReplacer("{model}", model, "{cost}", spent.Cost.formatPrice(), "{input}", in, "{output}", out, "{credit}", credit).Replace(f.template)
		return strings.TrimRight(line, " ")
	}
	s := "─ " + model + " · " + spent.Cost.formatPrice()
	if f.tokens && spent.hasTokens() {
		s += " · " + in + " in / " + out + " out"
	}
	if credit != "" {
		s += " · 💰 " + credit
	}
	return s
}

// fetchBalance returns the user's remaining credit, or "" if any step fails, because a footer without
// it is better than none or a late one.
func (f *footer) fetchBalance(ctx context.Context, call *Call) string {
	if f.url == "" || call.Env.Fetch == nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, creditTimeout)
	defer cancel()
	body, err := call.Env.Fetch(ctx, f.url)
	if err != nil || rawjson.CheckObject(body) != nil {
		return ""
	}
	val, _ := rawjson.Get(body, "credit_balance")
	text, isText := rawjson.Text(val)
	if !isText {
		text = string(val)
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(math.Abs(x) < 1e12) {
		return ""
	}
	sign, cents := "", int64(math.Round(math.Abs(x)*100))
	if x < 0 && cents > 0 {
		sign = "-"
	}
	return fmt.Sprintf("%s$%s.%02d", sign, formatThousands(cents/100), cents%100)
}

// formatThousands formats n with commas between groups of three digits.
func formatThousands(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// stripFooters returns reply without the footers at its end.
func stripFooters(reply string) string {
	kept := reply
	for rest := reply; rest != ""; {
		at := strings.LastIndexByte(rest, '\n') + 1
		line := strings.TrimSpace(rest[at:])
		if line != "" && !isFooter(line) {
			break
		}
		rest = rest[:max(at-1, 0)]
		if line != "" {
			kept = rest
		}
	}
	return kept
}

// isFooter reports whether line has one of the two forms in which models imitate footers, "─ model ·
// $0.02" and "Model: x | Cost: $0.02". Any other line may be part of the answer.
func isFooter(line string) bool {
	if rest := strings.TrimLeft(line, "─━"); len(rest) < len(line) {
		dashes := line[:len(line)-len(rest)]
		return len(dashes) <= 4*len("─") && strings.HasPrefix(rest, " ") && hasPrice(strings.TrimLeft(rest, " "))
	}
	const model, cost = "model: ", "cost:"
	lower := strings.ToLower(line)
	if !strings.HasPrefix(lower, model) {
		return false
	}
	at := strings.Index(lower, " "+cost)
	if at < len(model) {
		return false
	}
	before := strings.TrimRight(lower[len(model):at], " ")
	return before != "" && !strings.HasSuffix(before, ".") && isPrice(lower[at+1+len(cost):])
}

// hasPrice reports whether s has a price after " ·".
func hasPrice(s string) bool {
	for {
		_, after, found := strings.Cut(s, " ·")
		if !found {
			return false
		}
		if isPrice(after) {
			return true
		}
		s = after
	}
}

// isPrice reports whether s begins with a plausible price of a reply, which is followed by nothing, a
// bar or a dot.
func isPrice(s string) bool {
	s, ok := strings.CutPrefix(strings.TrimLeft(s, " "), "$")
	end := 0
	for end < len(s) && (s[end] >= '0' && s[end] <= '9' || s[end] == '.') {
		end++
	}
	amount, err := strconv.ParseFloat(s[:end], 64)
	if !ok || err != nil || amount >= 1000 || s[0] == '.' || s[end-1] == '.' {
		return false
	}
	rest := strings.TrimLeft(s[end:], " ")
	return rest == "" || strings.HasPrefix(rest, "|") || strings.HasPrefix(rest, "·") || strings.HasPrefix(rest, "•")
}
