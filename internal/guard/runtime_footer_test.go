package guard

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/builtin"
	"github.com/checkrein/checkrein/internal/guard/guardtest"
	"github.com/checkrein/checkrein/internal/guard/usage"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

const footerBody = "Here is the answer.\nIt has two lines."

// replyWith returns the event at the end of a turn with known cost and tokens.
func replyWith(text string) checkrein.Event {
	return guardtest.SessionEvent(checkrein.OnResponseEnd, text, "model_id", `"z-ai/glm-5.2"`, "cost", "0.0211", "usage", `{"input_tokens":900,"output_tokens":1200}`)
}

// shownReply returns the reply as the user sees it.
func shownReply(t *testing.T, ev checkrein.Event, v checkrein.Verdict) string {
	t.Helper()
	only := checkrein.Verdict{Output: v.Output}
	if v.Effects() != only.Effects() {
		t.Fatalf("it does more than to rewrite: %+v", v)
	}
	out, _, err := checkrein.Apply(ev, &v)
	if err != nil {
		t.Fatal(err)
	}
	return out.Text
}

func TestRuntimeFooter(t *testing.T) {
	t.Parallel()
	const line = "─ z-ai/glm-5.2 · $0.0211"
	for _, tt := range []struct {
		name string
		ev   checkrein.Event
		args []string
		want string
	}{
		{"the usual one", replyWith(footerBody), nil, footerBody + "\n\n" + line},
		{"white space at the end", replyWith(footerBody + " \n\n\n"), nil, footerBody + "\n\n" + line},
		{"starchild's names", guardtest.SessionEvent(checkrein.OnResponseEnd, "Hi.", "model", `"m"`, "turn_cost_usd", "1.5", "tokens", `{"input":1,"output":2}`), []string{"tokens"}, "Hi.\n\n─ m · $1.5000 · 1 in / 2 out"},
		{"tokens", replyWith("Hi."), []string{"tokens"}, "Hi.\n\n" + line + " · 900 in / 1,200 out"},
		{"tokens that nobody knows", guardtest.SessionEvent(checkrein.OnResponseEnd, "Hi.", "model_id", `"m"`, "cost", "1"), []string{"tokens"}, "Hi.\n\n─ m · $1.0000"},
		{"tokens off again", replyWith("Hi."), []string{"tokens=false"}, "Hi.\n\n" + line},
		{"a template", replyWith("Hi."), []string{"template=Model: {model} | Cost: {cost} | {input} in / {output} out {x}"}, "Hi.\n\nModel: z-ai/glm-5.2 | Cost: $0.0211 | 900 in / 1,200 out {x}"},
		{"a model that nobody knows", guardtest.SessionEvent(checkrein.OnResponseEnd, "Hi.", "cost", "1"), nil, "Hi.\n\n─ ? · $1.0000"},
		{"a model that would be lines", guardtest.SessionEvent(checkrein.OnResponseEnd, "Hi.", "cost", "1", "model", `"a\nb"`), nil, "Hi.\n\n─ \"a\\nb\" · $1.0000"},
		{"free but used", guardtest.SessionEvent(checkrein.OnResponseEnd, "Hi.", "model", `"m"`, "cost", "0", "usage", `{"input_tokens":1}`), nil, "Hi.\n\n─ m · $0.0000"},
		{"no cost", guardtest.SessionEvent(checkrein.OnResponseEnd, "Hi.", "model", `"m"`, "usage", `{"input_tokens":1}`), nil, "Hi."},
		{"a cost that stands for none", guardtest.SessionEvent(checkrein.OnResponseEnd, "Hi.", "model", `"m"`, "turn_cost_usd", "0.0", "tokens", `{}`), nil, "Hi."},
		{"no reply", replyWith(" \n"), nil, " \n"},
		{"it is there already", replyWith(footerBody + "\n\n" + line), nil, footerBody + "\n\n" + line},

		{"a made-up one goes", replyWith(footerBody + "\n\n─ z-ai/glm-5.2 · $7.7777"), nil, footerBody + "\n\n" + line},
		{"a made-up one in words goes", replyWith(footerBody + "\n\nModel: claude-opus-4.5 | Cost: $9.99"), nil, footerBody + "\n\n" + line},
		{"several go", replyWith(footerBody + "\n\n─ a · $1.0000\n\n─ b · $2.0000 · 1 in / 2 out\n"), nil, footerBody + "\n\n" + line},
		{"without a cost it goes too", guardtest.SessionEvent(checkrein.OnResponseEnd, footerBody+"\n\n─ glm-5.2 · $9.99"), nil, footerBody},
		{"it stays if told so", replyWith("Hi.\n\nModel: x | Cost: $9.99"), []string{"strip=false"}, "Hi.\n\nModel: x | Cost: $9.99\n\n" + line},
		{"in the middle it stays", replyWith("─ a · $1.00\nModel: see the docs.\nThe Cost: section follows.\nBye."), nil, "─ a · $1.00\nModel: see the docs.\nThe Cost: section follows.\nBye.\n\n" + line},
		{"nothing but a made-up one", replyWith("─ a · $1.00"), nil, line},

		{"another event", guardtest.SessionEvent(checkrein.Stop, "Hi.", "cost", "1"), nil, "Hi."},
	} {
		d := newDesk(t)
		guardtest.CheckEqual(t, tt.name+": "+shownReply(t, tt.ev, d.runBuiltin(tt.ev, "runtime_footer", tt.args...)), tt.name+": "+tt.want)
	}
}

func TestRuntimeFooterEnvironment(t *testing.T) {
	t.Parallel()
	run := func(ev checkrein.Event, environ []string, args ...string) checkrein.Verdict {
		fetch := func(context.Context, string) ([]byte, error) { return []byte(`{"credit_balance":2}`), nil }
		f, err := usage.NewRuntimeFooter(usage.Env{Fetch: fetch}, args)
		if err != nil {
			t.Fatal(err)
		}
		v, err := f(context.Background(), builtin.Call{Event: ev, Environ: environ})
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	const line = "Hi.\n\n─ z-ai/glm-5.2 · $0.0211"
	ev := replyWith("Hi.")
	for _, tt := range []struct {
		environ, args []string
		want          string
	}{
		{[]string{"FOOTER_SHOW_TOKENS=1"}, nil, line + " · 900 in / 1,200 out"},
		{[]string{"FOOTER_SHOW_TOKENS=0"}, []string{"tokens"}, line},
		{[]string{"FOOTER_SHOW_TOKENS="}, []string{"tokens"}, line + " · 900 in / 1,200 out"},
		{[]string{"FOOTER_SHOW_CREDIT=yes", "FOOTER_CREDIT_URL=http://b.example/"}, nil, line + " · 💰 $2.00"},
		{[]string{"FOOTER_SHOW_CREDIT=off"}, []string{"credit", "credit_url=http://b.example/"}, line},
		{[]string{"FOOTER_TEMPLATE={model}"}, []string{"template={cost}"}, "Hi.\n\nz-ai/glm-5.2"},
	} {
		guardtest.CheckEqual(t, shownReply(t, ev, run(ev, tt.environ, tt.args...)), tt.want)
	}
	fake := replyWith("Hi.\n\nModel: x | Cost: $9.99")
	if got := shownReply(t, fake, run(fake, []string{"FOOTER_STRIP=0"})); !strings.Contains(got, "$9.99") {
		t.Errorf("FOOTER_STRIP=0: %s", got)
	}

	ask := guardtest.SessionEvent(checkrein.BeforeLLMCall, "")
	if v := run(ask, []string{}); len(v.Context) != 1 || !strings.Contains(v.Context[0], "Do NOT end your reply with a model/cost") || !strings.Contains(v.Context[0], "imitate") {
		t.Errorf("the nudge: %+v", v)
	}
	guardtest.CheckEqual(t, run(ask, []string{}, "nudge=No footers.").Context[0], "No footers.")
	guardtest.CheckEqual(t, run(ask, []string{"FOOTER_SUPPRESS_TEXT=None."}, "nudge=No footers.").Context[0], "None.")
}

func TestRuntimeFooterCredit(t *testing.T) {
	t.Parallel()
	ev := replyWith("Hi.")
	const line = "Hi.\n\n─ z-ai/glm-5.2 · $0.0211"
	with := func(body string, err error, args ...string) (string, []string) {
		d, asked := newDesk(t), []string(nil)
		env := d.env()
		env.Usage.Fetch = func(ctx context.Context, url string) ([]byte, error) {
			if _, bounded := ctx.Deadline(); !bounded {
				t.Error("it would wait forever")
			}
			asked = append(asked, url)
			return []byte(body), err
		}
		v, failed := d.tryBuiltin(env, ev, "runtime_footer", args...)
		if failed != nil {
			t.Fatal(failed)
		}
		return shownReply(t, ev, v), asked
	}
	on := []string{"credit", "credit_url=http://balance.example/"}
	for _, tt := range []struct {
		name, body string
		err        error
		want       string
	}{
		{"a balance", `{"credit_balance": 271.64}`, nil, line + " · 💰 $271.64"},
		{"a large one", `{"credit_balance": 1234567.5}`, nil, line + " · 💰 $1,234,567.50"},
		{"as a text", `{"credit_balance": "3.456"}`, nil, line + " · 💰 $3.46"},
		{"a debt", `{"credit_balance": -3.2}`, nil, line + " · 💰 -$3.20"},
		{"no answer", ``, errors.New("refused"), line},
		{"no JSON", `<html>`, nil, line},
		{"no object", `[1]`, nil, line},
		{"no balance", `{"credit": 5}`, nil, line},
		{"null", `{"credit_balance": null}`, nil, line},
		{"no number", `{"credit_balance": "much"}`, nil, line},
		{"not a number", `{"credit_balance": "NaN"}`, nil, line},
	} {
		got, asked := with(tt.body, tt.err, on...)
		guardtest.CheckEqual(t, tt.name+": "+got, tt.name+": "+tt.want)
		if len(asked) != 1 || asked[0] != "http://balance.example/" {
			t.Errorf("%s: asked %q", tt.name, asked)
		}
	}
	for _, args := range [][]string{nil, {"credit"}, {"credit_url=http://balance.example/"}, {"credit", "credit_url=http://balance.example/", "template={cost}"}} {
		if got, asked := with(`{"credit_balance":1}`, nil, args...); len(asked) != 0 || strings.Contains(got, "💰") {
			t.Errorf("%q: %s, asked %q", args, got, asked)
		}
	}
	got, _ := with(`{"credit_balance":1}`, nil, "template={model} bal {credit}", "credit_url=http://balance.example/")
	guardtest.CheckEqual(t, got, "Hi.\n\nz-ai/glm-5.2 bal $1.00")
	got, _ = with("", errors.New("down"), "template={model} bal {credit}", "credit_url=http://balance.example/")
	guardtest.CheckEqual(t, got, "Hi.\n\nz-ai/glm-5.2 bal")

	// The balance is not fetched if there is no footer.
	ev = guardtest.SessionEvent(checkrein.OnResponseEnd, "Hi.")
	if _, asked := with(`{"credit_balance":1}`, nil, on...); len(asked) != 0 {
		t.Errorf("asked %q for nothing", asked)
	}
	// Without network access it is left out.
	ev = replyWith("Hi.")
	d := newDesk(t)
	guardtest.CheckEqual(t, shownReply(t, ev, d.runBuiltin(ev, "runtime_footer", on...)), line)
}

func TestRuntimeFooterArguments(t *testing.T) {
	t.Parallel()
	for arg, want := range map[string]string{
		"token": `did you mean "tokens"`, "tokens=maybe": "must be true or false", "template=": "needs a value", "credit_url": "needs a value", "x": "unknown argument",
	} {
		if _, err := usage.NewRuntimeFooter(usage.Env{}, []string{arg}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", arg, err)
		}
	}
}

// FuzzRuntimeFooter checks that everything but trailing lines of a reply stays, and that adding a
// footer twice yields only one.
func FuzzRuntimeFooter(f *testing.F) {
	f.Add(footerBody)
	f.Add("a\n─ x · $1\n\nModel: x | Cost: $2")
	f.Add("─ ·  · $")
	f.Fuzz(func(t *testing.T, text string) {
		ev := replyWith(strings.ToValidUTF8(text, "?"))
		d := newDesk(t)
		once, _, err := checkrein.Apply(ev, new(d.runBuiltin(ev, "runtime_footer")))
		if err != nil || rawjson.Check(rawjson.Quote(once.Text)) != nil {
			t.Fatal(err)
		}
		if again := d.runBuiltin(once, "runtime_footer"); !again.IsZero() && strings.TrimSpace(text) != "" {
			b, _ := json.Marshal(again)
			t.Fatalf("%q: a second time %s", once.Text, b)
		}
	})
}
