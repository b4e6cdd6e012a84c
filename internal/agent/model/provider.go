package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/checkrein/checkrein/internal/agent/model/catalogue"
	"github.com/checkrein/checkrein/internal/agent/model/line"
	"github.com/checkrein/checkrein/internal/agent/team"
	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/sys/build"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/sys/process"
	"github.com/checkrein/checkrein/internal/text/visible"
)

// A providerModel is a model of a provider. A separate program calls it, because the SDKs of providers
// are large, and most commands of checkreind do not need them.
type providerModel struct {
	model    team.Model
	prices   *catalogue.Prices // nil = unknown
	settings line.Settings
	where    string // the server, for messages
	program  string
	env      []string
}

// remedy is the remedy for a program that is missing or from another build.
const remedy = "install checkrein-models of the same version, or build all programs from one checkout (make models)"

// openProvider returns the model m of a provider.
func openProvider(c Config, m team.Model) (*providerModel, error) {
	var own catalogue.Provider
	if c.Known != nil {
		own, _ = c.Known.Provider(m.Provider)
	}
	wire, err := resolveProvider(&m, own, c.Guards, c.Getenv)
	if err != nil {
		return nil, err
	}
	if !c.Guards { // variables must not redirect a guard
		if m.BaseURL, err = expandVars(m.BaseURL, c.Getenv); err != nil {
			return nil, err
		}
		if m.Model, err = expandVars(m.Model, c.Getenv); err != nil {
			return nil, err
		}
	}
	u, err := parseBaseURL(m.BaseURL)
	if err != nil {
		return nil, err
	}
	m.BaseURL = u.String()
	if err := line.CheckKey(m.TokenKey, c.Getenv(m.TokenKey)); err != nil {
		return nil, &MachineError{err}
	}
	prices := setContextAndFindPrices(&m, c.Known)
	o := &providerModel{model: m, prices: prices, where: u.Scheme + "://" + u.Host, env: childEnv(&c, m.TokenKey), program: c.Program}
	o.settings = line.Settings{
		Wire: wire, Provider: m.Provider, Model: m.Model, BaseURL: m.BaseURL, TokenKey: m.TokenKey, MaxTokens: m.MaxTokens, Temperature: m.Temperature,
		Proxy: own.Proxy, CAFile: own.CAFile,
		Limits: line.Limits{Connect: c.Connect, Idle: c.Idle, Retries: maxRetries, Replaced: c.HasFallback},
	}
	l := &o.settings.Limits
	if l.Connect <= 0 {
		l.Connect = DefaultConnect
	}
	if l.Idle <= 0 {
		l.Idle = DefaultIdle
	}
	if c.HasFallback {
		l.Retries = c.Retries
	}
	if o.program == "" {
		o.program, err = modelsProgram()
	}
	if err == nil {
		_, err = os.Stat(o.program)
	}
	if err != nil {
		return nil, &MachineError{fmt.Errorf("it needs the program %s, which is not in checkreind's directory (%s): %s", line.Program, o.program, remedy)}
	}
	return o, nil
}

// modelsProgram returns the path of the program that calls models, which is in the directory of the
// running one.
func modelsProgram() (string, error) {
	self, err := build.ProgramPath()
	if err != nil {
		return "", err
	}
	name := line.Program
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(filepath.Dir(self), name), nil
}

// maxRetries is how many times a call is repeated if the provider is overloaded and there is no fallback.
const maxRetries = 2

// childEnv returns the environment for the program that calls models: the key and, unless the answer
// is for a guard, the variables for network access. It needs nothing else.
func childEnv(c *Config, tokenKey string) []string {
	names := []string{"SystemRoot"} // Windows needs it for connections
	if !c.Guards {
		names = append(names, environ.RedirectVars()...)
	}
	if tokenKey != "" {
		names = append(names, tokenKey)
	}
	env := []string{} // nil would inherit everything
	for _, name := range names {
		if v := c.Getenv(name); v != "" {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// parseBaseURL parses s, the base_url of a model, and checks it.
func parseBaseURL(s string) (*url.URL, error) {
	u, err := url.Parse(s)
	if err != nil { // its text would show the address with any password
		return nil, errors.New("base_url is not a valid URL: write https://host/v1")
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("base_url %q is not a server URL: write https://host/v1", u.Redacted())
	}
	if u.User != nil {
		return nil, errors.New("base_url contains a user name or password: put the key into an environment variable and set token_key to the name of that variable")
	}
	u.Fragment = ""
	return u, nil
}

func (o *providerModel) ID() string { return o.model.Provider + "/" + o.model.Model }

func (o *providerModel) ContextLimit() int { return o.model.Context }

func (o *providerModel) Endpoint() Endpoint {
	return Endpoint{Provider: o.model.Provider, Model: o.model.Model, BaseURL: o.model.BaseURL, UnloadAPI: o.model.UnloadAPI}
}

func (o *providerModel) Call(ctx context.Context, req Request, delta func(string)) (Answer, error) {
	a, err := o.runProgram(ctx, req, delta)
	switch {
	case err == nil:
		a.setCallIDs(len(req.Messages))
		a.Cost = callCost(o.prices, a.Usage)
		return a, nil
	case ctx.Err() != nil: // the program was ended
		return Answer{}, context.Cause(ctx)
	}
	return Answer{}, fmt.Errorf("model %s at %s: %w", o.ID(), o.where, err)
}

// runProgram runs the program for one call and returns the answer.
func (o *providerModel) runProgram(ctx context.Context, req Request, delta func(string)) (Answer, error) {
	raw, err := json.Marshal(req)
	if err != nil {
		return Answer{}, err
	}
	p, err := process.OpenStream(ctx, process.Spec{Argv: []string{o.program, "call"}, Env: o.env})
	if err != nil {
		return Answer{}, fmt.Errorf("%w: %s", err, remedy)
	}
	go func() {
		_ = line.Write(p, line.Call{Build: build.Version, Settings: o.settings, Request: raw})
		_ = p.CloseWrite()
	}()
	a, err := readAnswer(line.NewReader(p), delta)
	p.Stop() // its answer is complete
	res, _ := p.Wait()
	switch {
	case errors.Is(err, line.ErrGarbled):
		err = fmt.Errorf("%s printed output that cannot be parsed: %s", line.Program, remedy)
	case errors.Is(err, io.EOF):
		err = fmt.Errorf("%s exited before it answered%s: %s", line.Program, o.stderrText(res.Stderr), remedy)
	}
	return a, err
}

// stderrText returns the error output of a failed program, redacted and in parentheses, for a message.
// It returns "" if there is none.
func (o *providerModel) stderrText(stderr []byte) string {
	text := strings.TrimSpace(secret.Redactor{}.MaskText(strings.ToValidUTF8(string(stderr), "\ufffd")))
	if text == "" {
		return ""
	}
	return " (" + truncate(visible.EscapeLine(text), 300) + ")"
}

// readAnswer reads the program's output from r until the answer or the error, and passes pieces of
// text to delta.
func readAnswer(r *line.Reader, delta func(string)) (Answer, error) {
	for {
		var said line.Reply
		if err := r.Read(&said); err != nil {
			return Answer{}, err
		}
		switch {
		case said.Fault != nil && said.Answer == nil && said.Delta == "":
			if said.Fault.Kind == line.Overflow {
				return Answer{}, fmt.Errorf("%w: %w", ErrOverflow, said.Fault)
			}
			return Answer{}, said.Fault
		case said.Answer != nil && said.Fault == nil && said.Delta == "":
			var a Answer
			if json.Unmarshal(said.Answer, &a) != nil {
				return Answer{}, line.ErrGarbled
			}
			return a, nil
		case said.Delta != "" && said.Fault == nil && said.Answer == nil:
			if delta != nil {
				delta(said.Delta)
			}
		default:
			return Answer{}, line.ErrGarbled
		}
	}
}

// IsRateLimited reports whether err means that a model did not answer because of a rate limit.
func IsRateLimited(err error) bool {
	var f *line.Fault
	return errors.As(err, &f) && f.Kind == line.Limit
}
