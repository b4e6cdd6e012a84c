// Package google asks Google's models, which are served as generateContent of the
// Gemini API.
package google

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strings"

	"google.golang.org/genai"

	"github.com/checkrein/checkrein/internal/agent/model"
	"github.com/checkrein/checkrein/internal/agent/model/line"
	"github.com/checkrein/checkrein/internal/sys/build"
	"github.com/checkrein/checkrein/models/provider"
)

// Ask is the [provider.Wire].
func Ask(ctx context.Context, c *provider.Call, delta func(string)) (model.Answer, error) {
	config, err := client(c)
	if err != nil {
		return model.Answer{}, err
	}
	gemini, err := genai.NewClient(ctx, config)
	if err != nil { // whose text shows the key
		return model.Answer{}, errors.New("Google's SDK does not accept the model's settings")
	}
	contents, settings := request(c)
	b := builder{delta: delta}
	for part, err := range gemini.Models.GenerateContentStream(ctx, c.Model, contents, settings) {
		if err != nil {
			if odd := (*json.UnmarshalTypeError)(nil); errors.As(err, &odd) {
				return model.Answer{}, line.Faultf(line.Garbled, "the answer is garbled: %v", odd)
			}
			return model.Answer{}, err
		}
		if err := b.add(part); err != nil {
			return model.Answer{}, err
		}
	}
	if b.finish == "" {
		return model.Answer{}, provider.ErrBroken()
	}
	return b.answer()
}

func client(c *provider.Call) (*genai.ClientConfig, error) {
	base, err := url.Parse(c.BaseURL)
	if err != nil {
		return nil, err
	}
	config := &genai.ClientConfig{
		Backend: genai.BackendGeminiAPI, APIKey: c.Key, HTTPClient: c.HTTP,
		HTTPOptions: genai.HTTPOptions{Headers: http.Header{"User-Agent": {"checkrein/" + build.Version}}},
	}
	if c.Key == "" || base.RawQuery != "" {
		// The SDK wants a key, or takes one from elsewhere, and it drops the query.
		h := *c.HTTP
		h.Transport = &adjusted{next: c.HTTP.Transport, query: base.Query(), bare: c.Key == ""}
		config.HTTPClient = &h
	}
	if c.Key == "" {
		config.APIKey = "none"
	}
	base.RawQuery = ""
	// The SDK writes the version itself; people write it, too.
	base.Path = strings.TrimRight(base.Path, "/")
	if v := path.Base(base.Path); v == "v1" || v == "v1beta" || v == "v1alpha" {
		config.HTTPOptions.APIVersion, base.Path = v, path.Dir(base.Path)
	}
	config.HTTPOptions.BaseURL = base.String()
	return config, nil
}

// adjusted sends requests with the query of base_url, and without a key that is none.
type adjusted struct {
	next  http.RoundTripper
	query url.Values
	bare  bool
}

// RoundTrip sends a request.
func (a *adjusted) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	if a.bare {
		req.Header.Del("X-Goog-Api-Key")
	}
	q := req.URL.Query()
	for name, values := range a.query {
		q[name] = append(q[name], values...)
	}
	req.URL.RawQuery = q.Encode()
	return a.next.RoundTrip(req)
}

// A builder puts an answer together.
type builder struct {
	delta  func(string)
	text   strings.Builder
	calls  []model.ToolCall
	usage  *model.Usage
	finish genai.FinishReason
	begun  bool
	index  int32  // of the candidate that counts: the first that came
	doubt  string // why it may not be all that was said
}

// add adds a piece of the answer.
func (b *builder) add(r *genai.GenerateContentResponse) error {
	if u := r.UsageMetadata; u != nil { // the sum so far
		b.usage = &model.Usage{
			Input:       count(u.PromptTokenCount) + count(u.ToolUsePromptTokenCount),
			Output:      count(u.CandidatesTokenCount) + count(u.ThoughtsTokenCount),
			CachedInput: count(u.CachedContentTokenCount),
			Reasoning:   count(u.ThoughtsTokenCount),
		}
	}
	if f := r.PromptFeedback; f != nil && f.BlockReason != "" {
		return line.Faultf(line.Refused, "the provider does not answer this conversation: %s", f.BlockReason)
	}
	if len(r.Candidates) == 0 || r.Candidates[0] == nil {
		return nil
	}
	c := r.Candidates[0] // only one is asked for
	if !b.begun {
		b.begun, b.index = true, c.Index
	}
	if len(r.Candidates) > 1 || c.Index != b.index {
		b.doubt = provider.Several
	}
	if c.Index != b.index {
		return nil
	}
	if c.FinishReason != "" && c.FinishReason != genai.FinishReasonUnspecified {
		if b.finish != "" && b.finish != c.FinishReason {
			b.doubt = fmt.Sprintf("the provider ended its reply twice, by %q and %q", b.finish, c.FinishReason)
		}
		b.finish = c.FinishReason
	}
	if c.Content == nil {
		return nil
	}
	for _, p := range c.Content.Parts {
		if p == nil {
			continue
		}
		if p.Text != "" && !p.Thought {
			b.text.WriteString(p.Text)
			if b.delta != nil {
				b.delta(p.Text)
			}
		}
		if f := p.FunctionCall; f != nil {
			if len(b.calls) == provider.MaxCalls {
				return provider.ErrTooManyCalls()
			}
			b.calls = append(b.calls, model.ToolCall{ID: f.ID, Function: model.Function{Name: f.Name, Arguments: arguments(f.Args)}})
		}
	}
	return nil
}

func count(n int32) int { return int(max(0, n)) }

// arguments are JSON as a model would write it.
func arguments(args map[string]any) string {
	if args == nil {
		return "{}"
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(args) != nil { // it was JSON before: cannot be
		return "{}"
	}
	return strings.TrimSpace(b.String())
}

func (b *builder) answer() (model.Answer, error) {
	a := model.Answer{Text: b.text.String(), ToolCalls: b.calls, Usage: b.usage, Doubt: b.doubt}
	switch b.finish {
	case genai.FinishReasonMaxTokens:
		return provider.Finish(a, provider.Length)
	case genai.FinishReasonMalformedFunctionCall, genai.FinishReasonUnexpectedToolCall, genai.FinishReasonTooManyToolCalls:
		return model.Answer{}, line.Faultf(line.Garbled, "the model wrote a tool call that cannot be parsed (%s)", b.finish)
	case genai.FinishReasonStop:
		return provider.Finish(a, provider.Stopped)
	case genai.FinishReasonOther:
		return provider.Finish(a, provider.Odd)
	}
	// All others are reasons to take an answer back: what it said before is not its
	// answer.
	a.Refused, a.ToolCalls = true, nil
	return provider.Finish(a, provider.Filtered)
}
