package hostlab

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"
)

// A Question is a question of the host about a call, with the user's answer.
type Question struct {
	Asked   json.RawMessage `json:"asked"` // as the host sent it
	Allowed bool            `json:"allowed"`
}

// A Driver drives a host on behalf of a user, as an editor does.
type Driver struct {
	Args func(s *Space, r Run) []string
	// Talk sends the prompt to the host and answers its questions until its turn ends.
	Talk func(t *Talk, s *Space, r Run) error
}

// CanAttend reports whether the host can be driven on behalf of a user who answers questions.
func (h *Host) CanAttend() bool { return h.recipe.Driver.Talk != nil }

// runAttended is Run with a user who answers questions.
func (s *Space) runAttended(ctx context.Context, r Run) (Result, error) {
	if !s.Host.CanAttend() {
		return Result{}, fmt.Errorf("checkrein cannot drive %s on behalf of a user", s.Host.Name)
	}
	began := time.Now()
	t, err := s.Converse(ctx, s.Host.recipe.Driver.Args(s, r), r.Env, func(t *Talk) error {
		t.person = r.Person
		if err := s.Host.recipe.Driver.Talk(t, s, r); err != nil { // this build cannot be driven like this
			fmt.Fprintln(&t.errors, err)
		}
		return nil
	})
	res := Result{Took: time.Since(began), Space: s}
	if t != nil {
		res.Stdout, res.Stderr, res.Exit, res.Questions = t.output.String(), t.errors.String(), t.exit, t.questions
	}
	res.TimedOut = errors.Is(ctx.Err(), context.DeadlineExceeded)
	return res, err
}

// ApproveHooks approves the hooks in home and project as a user would, for hosts that require it, and
// returns how many there were. It uses the host's own mechanism, so that what it proves is true for
// users as well.
func (s *Space) ApproveHooks(ctx context.Context) (int, error) {
	if s.Host.recipe.Approve == nil {
		return 0, nil
	}
	n, err := s.Host.recipe.Approve(ctx, s)
	if err != nil {
		return n, fmt.Errorf("approving hooks of %s: %w", s.Host.Name, err)
	}
	return n, nil
}

// Converse starts the host as a server on its standard input and output, calls do to talk to it, and
// then ends it: by closing its input, and after a grace period by force.
func (s *Space) Converse(ctx context.Context, args []string, env map[string]string, do func(*Talk) error) (t *Talk, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer killProcesses(s.Home)
	argv := append(append([]string{}, s.Host.argv...), args...)
	t = &Talk{}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env, cmd.Stderr, cmd.WaitDelay = s.Project, s.Environ(env), &t.errors, grace
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	t.w, t.r = stdin, bufio.NewReader(stdout)
	err = do(t)
	_ = stdin.Close() // the host may have closed it
	force := time.AfterFunc(grace, cancel)
	defer force.Stop()
	_, _ = io.Copy(io.Discard, t.r) // output after the conversation
	_ = cmd.Wait()                  // the exit code is read below
	t.exit = cmd.ProcessState.ExitCode()
	return t, err
}

// A Talk is a conversation with a host in JSON objects, one per line.
type Talk struct {
	w         io.Writer
	r         *bufio.Reader
	person    func(question []byte) bool
	questions []Question
	output    tailBuffer // of the host
	errors    tailBuffer
	exit      int

	Protocol string // the version of JSON-RPC to send in each message; "" = none
	lastID   int    // the ID of the last request sent
}

// A tailBuffer keeps the end of the data that is written to it.
type tailBuffer struct{ bytes.Buffer }

func (k *tailBuffer) Write(p []byte) (int, error) {
	if k.Len() > maxErr {
		k.Next(k.Len() - maxErr/2)
	}
	return k.Buffer.Write(p)
}

// Ask passes a question to the user, records it, and returns the answer.
func (t *Talk) Ask(question []byte) bool {
	yes := t.person != nil && t.person(question)
	t.questions = append(t.questions, Question{bytes.Clone(question), yes})
	return yes
}

// ReadNext decodes the next object from the host into the value that into points to. It skips lines
// that cannot be decoded.
func (t *Talk) ReadNext(into any) error {
	for {
		line, err := t.readLine()
		if len(line) > 0 {
			_, _ = t.output.Write(line)
		}
		if err != nil {
			return fmt.Errorf("the agent's program printed nothing more: %w", err)
		}
		if json.Unmarshal(line, into) == nil { // otherwise it is not a message
			return nil
		}
	}
}

// readLine returns the next line. It returns an error if the line is too long.
func (t *Talk) readLine() ([]byte, error) {
	var line []byte
	for {
		part, err := t.r.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case !errors.Is(err, bufio.ErrBufferFull):
			return line, err
		case len(line) > maxOut:
			return nil, fmt.Errorf("a line has more than %d MB", maxOut>>20)
		}
	}
}

// Send writes m as one line.
func (t *Talk) Send(m map[string]any) error {
	if t.Protocol != "" {
		m["jsonrpc"] = t.Protocol
	}
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	_, err = t.w.Write(append(b, '\n'))
	return err
}

// A Message is a JSON-RPC message.
type Message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// Call sends a request to the host and decodes the answer into the value that result points to, unless
// that is nil. Until the answer arrives, serve answers requests of the host; it returns false if the
// method is unknown.
func (t *Talk) Call(method string, params, result any, serve func(m *Message) (any, bool)) error {
	t.lastID++
	id := fmt.Sprint(t.lastID)
	if err := t.Send(map[string]any{"id": t.lastID, "method": method, "params": params}); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	for {
		var m Message
		if err := t.ReadNext(&m); err != nil {
			return fmt.Errorf("%s: waiting for the answer: %w", method, err)
		}
		switch {
		case m.Method != "":
			if err := t.Serve(&m, serve); err != nil {
				return fmt.Errorf("%s: %w", m.Method, err)
			}
		case string(m.ID) != id:
		case len(m.Error) > 0:
			return fmt.Errorf("%s: %s", method, m.Error)
		case result == nil:
			return nil
		default:
			return json.Unmarshal(m.Result, result)
		}
	}
}

// Serve answers a request of the host with the result of serve. It does not answer notifications.
func (t *Talk) Serve(m *Message, serve func(*Message) (any, bool)) error {
	var answer any
	ok := false
	if serve != nil {
		answer, ok = serve(m)
	}
	switch {
	case len(m.ID) == 0: // a notification
		return nil
	case !ok:
		return t.Send(map[string]any{"id": m.ID, "error": map[string]any{"code": -32601, "message": "unknown method"}})
	}
	return t.Send(map[string]any{"id": m.ID, "result": answer})
}
