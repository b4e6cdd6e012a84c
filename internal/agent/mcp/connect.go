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

// connect starts or reaches the server and initializes a session with it.
func (s *server) connect(ctx context.Context) (*connection, error) {
	l := &connection{gone: make(chan struct{}), endReason: func() string { return "" }}
	life, end := context.WithCancel(s.pool.life)
	l.end = end
	var transport sdk.Transport
	var err error
	if s.spec.Command != "" {
		transport, err = s.start(life, l)
	} else {
		transport, err = s.newTransport()
	}
	if err != nil {
		end()
		return nil, err
	}
	client := s.newClient(l)
	session, err := await(ctx, l, func(context.Context) (*sdk.ClientSession, error) { return client.Connect(life, transport, nil) })
	if err != nil {
		l.end()
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return nil, fmt.Errorf("the server did not answer the initialize request within %s", s.limits().Start)
		}
		if ctx.Err() != nil {
			return nil, errors.New("starting the server was canceled")
		}
		if why := l.endReason(); why != "" {
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

// newClient returns the client for l. It offers the server nothing: no files, no model, no user.
func (s *server) newClient(l *connection) *sdk.Client {
	client := sdk.NewClient(&sdk.Implementation{Name: "checkrein", Version: "1"}, &sdk.ClientOptions{
		Logger:                 slog.New(slog.DiscardHandler),
		Capabilities:           &sdk.ClientCapabilities{},
		MultiRoundTrip:         &sdk.MultiRoundTripOptions{Disabled: true}, // the server could ask for input with it
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { s.changed.Store(true) },
	})
	client.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
			what, refuse := refusals[method]
			if !refuse {
				return next(ctx, method, req)
			}
			if l.refused.addRequest(what) {
				s.pool.opts.Notify(fmt.Sprintf("the MCP server %s %s: refused", s.spec.Label, what))
			}
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "refused: " + method + " is not offered here"}
		}
	})
	return client
}

// refusals maps the requests of servers that are refused to descriptions.
var refusals = map[string]string{
	"elicitation/create":     "asked the user a question (elicitation)",
	"sampling/createMessage": "asked to use the model (sampling)",
	"roots/list":             "asked for the user's directories (roots)",
}

// refusedRequests holds the requests of a server that were refused.
type refusedRequests struct {
	mu   sync.Mutex
	list []string
}

const maxRefused = 1000 // that are recorded

// addRequest records a request that what describes, and reports whether it is the first of its kind.
func (a *refusedRequests) addRequest(what string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	first := true
	for _, w := range a.list {
		first = first && w != what
	}
	if len(a.list) < maxRefused {
		a.list = append(a.list, what)
	}
	return first
}

func (a *refusedRequests) count() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.list)
}

// describeSince describes the requests after the first n, each kind once. It returns "" if there are
// none.
func (a *refusedRequests) describeSince(n int) string {
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
