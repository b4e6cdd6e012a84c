package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/checkrein/checkrein/internal/agent/team"
	"github.com/checkrein/checkrein/internal/agent/tool"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// A server is an MCP server of an agent, with the connection that there is now.
type server struct {
	spec *team.Server
	only []string // which tools the agent shall have; none = all
	pool *Pool

	changed atomic.Bool   // its tools are others than those that were listed
	turn    chan struct{} // held by who uses the fields below: one connects, the others wait
	link    *link
	starts  int
	tools   []tool.Tool
	listed  map[string]string // what is said of its tools, by name; nil = nothing yet
	hints   map[string]bool   // which tools only read, as was said at first and not taken back
}

// A link is a connection to a server.
type link struct {
	session *sdk.ClientSession
	// end ends the connection at once. It may be called more than once.
	end func()
	// why is how the connection ended, in words; "" = not known.
	why  func() string
	gone chan struct{} // closed when it has ended
	asks asks
}

func (l *link) alive() bool {
	select {
	case <-l.gone:
		return false
	default:
		return true
	}
}

// hold waits for the turn.
func (s *server) hold(ctx context.Context) error {
	select {
	case s.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *server) release() { <-s.turn }

func (s *server) limits() *Limits { return &s.pool.opts.Limits }

// list asks the server for its tools. With an error come those that it had.
func (s *server) list(ctx context.Context, taken func(name string) bool) ([]tool.Tool, error) {
	ctx, cancel := context.WithTimeout(ctx, s.limits().Start)
	defer cancel()
	if err := s.hold(ctx); err != nil {
		return nil, err
	}
	defer s.release()
	l, err := s.live(ctx)
	s.changed.Store(false)
	if err != nil {
		return s.tools, err
	}
	all, err := s.pages(ctx, l)
	if err != nil {
		return s.tools, s.explain(ctx, l, err)
	}
	tools, err := s.made(all, taken)
	if err == nil {
		s.tools = tools
	}
	return s.tools, err
}

// maxPages is how many parts a list of tools may have: a server may never come to the
// end of it.
const (
	maxPages  = 200
	maxListed = 20_000
)

func (s *server) pages(ctx context.Context, l *link) ([]*sdk.Tool, error) {
	var all []*sdk.Tool
	var params sdk.ListToolsParams
	for range maxPages {
		page, err := await(ctx, l, func(ctx context.Context) (*sdk.ListToolsResult, error) { return l.session.ListTools(ctx, &params) })
		if err != nil {
			return nil, err
		}
		if all = append(all, page.Tools...); len(all) > maxListed {
			return nil, fmt.Errorf("the server lists more than %d tools", maxListed)
		}
		if page.NextCursor == "" {
			return all, nil
		}
		params.Cursor = page.NextCursor
	}
	return nil, fmt.Errorf("the server's tool list has more than %d pages", maxPages)
}

// live returns the connection, a new one if there is none any more.
func (s *server) live(ctx context.Context) (*link, error) {
	if s.link != nil && s.link.alive() {
		return s.link, nil
	}
	if s.starts > max(0, s.limits().Restarts) {
		return nil, fmt.Errorf("the server exited %d times, so it is not started again in this session%s", s.starts, reason(s.link))
	}
	if s.pool.life.Err() != nil {
		return nil, errors.New("the run is over")
	}
	s.starts++
	l, err := s.connect(ctx)
	if err != nil {
		return nil, err
	}
	if s.link != nil {
		s.changed.Store(true) // it may have other tools than the one before
	}
	s.link = l
	return l, nil
}

func reason(l *link) string {
	if l == nil {
		return ""
	}
	if why := l.why(); why != "" {
		return ": " + why
	}
	return ""
}

// call calls a tool.
func (s *server) call(ctx context.Context, name string, input json.RawMessage) (string, error) {
	arguments, err := given(input)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, s.limits().Call, errLate)
	defer cancel()
	l, err := s.linked(ctx)
	if err != nil {
		return "", s.failed(err)
	}
	asked := l.asks.count()
	res, err := await(ctx, l, func(ctx context.Context) (*sdk.CallToolResult, error) {
		return l.session.CallTool(ctx, &sdk.CallToolParams{Name: name, Arguments: arguments})
	})
	refused := l.asks.since(asked)
	if err != nil {
		return refused, s.failed(s.explain(ctx, l, err))
	}
	text, err := textOf(res)
	if refused != "" {
		text = strings.TrimSpace(text + "\n" + refused)
	}
	return text, err
}

// linked returns the connection for a call. Calls run at the same time; only that they
// connect is done by one.
func (s *server) linked(ctx context.Context) (*link, error) {
	if err := s.hold(ctx); err != nil {
		return nil, err
	}
	defer s.release()
	start, cancel := context.WithTimeout(ctx, s.limits().Start)
	defer cancel()
	return s.live(start)
}

// failed is an error of a call, for the model.
func (s *server) failed(err error) error {
	return fmt.Errorf("the MCP server %s: %s", s.spec.Label, clean(err.Error(), maxTold))
}

var errLate = errors.New("the server did not answer in time")

// explain returns what an error of the connection comes from.
func (s *server) explain(ctx context.Context, l *link, err error) error {
	switch {
	case errors.Is(context.Cause(ctx), errLate):
		return fmt.Errorf("the server did not answer within %s", s.limits().Call)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("the server did not list its tools within %s", s.limits().Start)
	case ctx.Err() != nil:
		return errors.New("the call was canceled")
	}
	var answer *jsonrpc.Error
	if errors.As(err, &answer) && !errors.Is(err, sdk.ErrConnectionClosed) {
		return err // the server is there, and says no
	}
	select {
	case <-l.gone:
	case <-time.After(s.limits().End): // it said something that cannot be read
		return err
	}
	if why := l.why(); why != "" {
		return errors.New(why)
	}
	return fmt.Errorf("the connection ended: %w", err)
}

// given reads the arguments of a call. Some models send null for what they leave out,
// which servers refuse.
func given(input json.RawMessage) (map[string]any, error) {
	var out map[string]any
	dec := json.NewDecoder(bytes.NewReader(input))
	dec.UseNumber()
	if err := dec.Decode(&out); err != nil {
		return nil, fmt.Errorf("the arguments are not a JSON object: %w", err)
	}
	for k, v := range out {
		if v == nil {
			delete(out, k)
		}
	}
	return out, nil
}

// await does something with a connection that may never come back: the library waits
// without end for a server that does not read. Then the connection is ended.
func await[T any](ctx context.Context, l *link, do func(context.Context) (T, error)) (T, error) {
	type outcome struct {
		v   T
		err error
	}
	done := make(chan outcome, 1)
	go func() {
		v, err := do(ctx)
		done <- outcome{v, err}
	}()
	select {
	case o := <-done:
		return o.v, o.err
	case <-ctx.Done():
	}
	select {
	case o := <-done:
		return o.v, o.err
	case <-time.After(patience):
		l.end()
		var none T
		return none, ctx.Err()
	}
}

// patience is how long the library gets to notice that nobody waits any more.
const patience = time.Second

func (s *server) close() {
	ctx, cancel := context.WithTimeout(context.Background(), s.limits().End)
	defer cancel()
	if s.hold(ctx) != nil {
		return // it is being started; the pool's end ends it
	}
	defer s.release()
	l := s.link
	if l == nil || !l.alive() {
		return
	}
	go func() { _ = l.session.Close() }()
	select {
	case <-l.gone:
	case <-ctx.Done():
	}
	l.end()
}
