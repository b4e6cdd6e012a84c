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

// A server is an MCP server of an agent, with its current connection.
type server struct {
	spec     *team.Server
	selected []string // the tools that the agent may use; none = all
	pool     *Pool

	changed atomic.Bool   // its tools changed since they were listed
	turn    chan struct{} // held while using the fields below, so that one call connects and the others wait
	link    *connection
	starts  int
	tools   []tool.Tool
	listed  map[string]string // descriptions of its tools by name; nil = not listed yet
	hints   map[string]bool   // tools that every list so far calls read-only
}

// A connection is a connection to a server.
type connection struct {
	session *sdk.ClientSession
	// end ends the connection immediately. It may be called more than once.
	end func()
	// endReason returns how the connection ended; "" = unknown.
	endReason func() string
	gone      chan struct{} // closed when it has ended
	refused   refusedRequests
}

func (l *connection) isAlive() bool {
	select {
	case <-l.gone:
		return false
	default:
		return true
	}
}

// acquireTurn waits until no other call uses the fields that turn guards. It returns an error if ctx
// ends before that.
func (s *server) acquireTurn(ctx context.Context) error {
	select {
	case s.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// releaseTurn ends what acquireTurn began.
func (s *server) releaseTurn() { <-s.turn }

func (s *server) limits() *Limits { return &s.pool.opts.Limits }

// listTools returns the server's tools, as it lists them now. Together with an error it returns those
// that it had before.
func (s *server) listTools(ctx context.Context, taken func(name string) bool) ([]tool.Tool, error) {
	ctx, cancel := context.WithTimeout(ctx, s.limits().Start)
	defer cancel()
	if err := s.acquireTurn(ctx); err != nil {
		return nil, err
	}
	defer s.releaseTurn()
	l, err := s.ensureConnected(ctx)
	s.changed.Store(false)
	if err != nil {
		return s.tools, err
	}
	all, err := s.readPages(ctx, l)
	if err != nil {
		return s.tools, s.explainError(ctx, l, err)
	}
	tools, err := s.convertTools(all, taken)
	if err == nil {
		s.tools = tools
	}
	return s.tools, err
}

// Limits of a list of tools, which might never end.
const (
	maxPages  = 200
	maxListed = 20_000
)

// readPages returns all tools that the server lists.
func (s *server) readPages(ctx context.Context, l *connection) ([]*sdk.Tool, error) {
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

// ensureConnected returns the connection, and connects again if the last one has ended.
func (s *server) ensureConnected(ctx context.Context) (*connection, error) {
	if s.link != nil && s.link.isAlive() {
		return s.link, nil
	}
	if s.starts > max(0, s.limits().Restarts) {
		return nil, fmt.Errorf("the server keeps exiting (starts so far: %d), so it will not be started again in this session%s", s.starts, reasonSuffix(s.link))
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
		s.changed.Store(true) // the new process may have other tools
	}
	s.link = l
	return l, nil
}

// reasonSuffix returns the reason why l ended, after a colon, or "" if it is unknown.
func reasonSuffix(l *connection) string {
	if l == nil {
		return ""
	}
	if why := l.endReason(); why != "" {
		return ": " + why
	}
	return ""
}

// callTool calls the server's tool name and returns its text for the model.
func (s *server) callTool(ctx context.Context, name string, input json.RawMessage) (string, error) {
	arguments, err := parseArguments(input)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, s.limits().Call, errLate)
	defer cancel()
	l, err := s.connectForCall(ctx)
	if err != nil {
		return "", s.callError(err)
	}
	asked := l.refused.count()
	res, err := await(ctx, l, func(ctx context.Context) (*sdk.CallToolResult, error) {
		return l.session.CallTool(ctx, &sdk.CallToolParams{Name: name, Arguments: arguments})
	})
	refused := l.refused.describeSince(asked)
	if err != nil {
		return refused, s.callError(s.explainError(ctx, l, err))
	}
	text, err := resultText(res)
	if refused != "" {
		text = strings.TrimSpace(text + "\n" + refused)
	}
	return text, err
}

// connectForCall returns the connection for a call. Calls run in parallel, but only one of them
// connects.
func (s *server) connectForCall(ctx context.Context) (*connection, error) {
	if err := s.acquireTurn(ctx); err != nil {
		return nil, err
	}
	defer s.releaseTurn()
	start, cancel := context.WithTimeout(ctx, s.limits().Start)
	defer cancel()
	return s.ensureConnected(start)
}

// callError returns err as an error of this server for the model.
func (s *server) callError(err error) error {
	return fmt.Errorf("the MCP server %s: %s", s.spec.Label, cleanText(err.Error(), maxError))
}

var errLate = errors.New("the server did not answer in time")

// explainError returns the cause of err, an error of an operation on l.
func (s *server) explainError(ctx context.Context, l *connection, err error) error {
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
		return err // the server answered with an error
	}
	select {
	case <-l.gone:
	case <-time.After(s.limits().End): // its answer could not be read
		return err
	}
	if why := l.endReason(); why != "" {
		return errors.New(why)
	}
	return fmt.Errorf("the connection ended: %w", err)
}

// parseArguments parses the arguments of a call. It removes null values, which some models send for
// omitted arguments and which servers refuse.
func parseArguments(input json.RawMessage) (map[string]any, error) {
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

// await returns the result of do, an operation on l that may never return, since the library waits
// forever for a server that does not read. If ctx ends first and do does not return soon, await ends
// the connection.
func await[T any](ctx context.Context, l *connection, do func(context.Context) (T, error)) (T, error) {
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
	case <-time.After(cancelGrace):
		l.end()
		var none T
		return none, ctx.Err()
	}
}

// cancelGrace is how long an operation may take to return after its context was canceled.
const cancelGrace = time.Second

// close ends the session and, if the server does not exit soon, its connection.
func (s *server) close() {
	ctx, cancel := context.WithTimeout(context.Background(), s.limits().End)
	defer cancel()
	if s.acquireTurn(ctx) != nil {
		return // it is being started; the end of the pool ends it
	}
	defer s.releaseTurn()
	l := s.link
	if l == nil || !l.isAlive() {
		return
	}
	go func() { _ = l.session.Close() }()
	select {
	case <-l.gone:
	case <-ctx.Done():
	}
	l.end()
}
