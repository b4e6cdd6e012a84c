package mcp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// connect starts the server, or reaches it, and greets it.
func (s *server) connect(ctx context.Context) (*link, error) {
	l := &link{gone: make(chan struct{}), why: func() string { return "" }}
	life, end := context.WithCancel(s.pool.life)
	l.end = end
	var transport sdk.Transport
	var err error
	if s.spec.Command != "" {
		transport, err = s.start(life, l)
	} else {
		transport, err = s.reach()
	}
	if err != nil {
		end()
		return nil, err
	}
	client := s.client(l)
	session, err := await(ctx, l, func(context.Context) (*sdk.ClientSession, error) { return client.Connect(life, transport, nil) })
	if err != nil {
		l.end()
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return nil, fmt.Errorf("the server did not answer the initialize request within %s", s.limits().Start)
		}
		if ctx.Err() != nil {
			return nil, errors.New("starting the server was canceled")
		}
		if why := l.why(); why != "" {
			return nil, errors.New(why)
		}
		return nil, fmt.Errorf("the server does not speak MCP: %w", err)
	}
	l.session = session
	go func() {
		_ = session.Wait()
		l.end()
		close(l.gone)
	}()
	return l, nil
}

// client is our side of a connection. It offers nothing to the server: no files, no
// model, no person.
func (s *server) client(l *link) *sdk.Client {
	client := sdk.NewClient(&sdk.Implementation{Name: "checkrein", Version: "1"}, &sdk.ClientOptions{
		Logger:                 slog.New(slog.DiscardHandler),
		Capabilities:           &sdk.ClientCapabilities{},
		MultiRoundTrip:         &sdk.MultiRoundTripOptions{Disabled: true}, // by which it would ask again
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { s.changed.Store(true) },
	})
	client.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
			what, refuse := refusals[method]
			if !refuse {
				return next(ctx, method, req)
			}
			if l.asks.add(what) {
				s.pool.opts.Tell(fmt.Sprintf("the MCP server %s %s: refused", s.spec.Label, what))
			}
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "refused: " + method + " is not offered here"}
		}
	})
	return client
}

// refusals are the requests of servers that are refused, with what they ask for.
var refusals = map[string]string{
	"elicitation/create":     "asked the user a question (elicitation)",
	"sampling/createMessage": "asked to use the model (sampling)",
	"roots/list":             "asked for the user's directories (roots)",
}

// asks are what a server asked for and did not get.
type asks struct {
	mu   sync.Mutex
	list []string
}

const maxAsks = 1000 // which are told

// add notes an ask, and reports whether it is the first of its kind.
func (a *asks) add(what string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	first := true
	for _, w := range a.list {
		first = first && w != what
	}
	if len(a.list) < maxAsks {
		a.list = append(a.list, what)
	}
	return first
}

func (a *asks) count() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.list)
}

// since returns what was asked for since there were n.
func (a *asks) since(n int) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	var out []string
	seen := map[string]bool{}
	for _, w := range a.list[n:] {
		if !seen[w] {
			seen[w] = true
			out = append(out, "(the server "+w+": refused here. Call the tool with all its arguments)")
		}
	}
	return strings.Join(out, "\n")
}
