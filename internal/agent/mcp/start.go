package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/checkrein/checkrein/internal/sys/process"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// A child is a server that runs as a program. Only the messages in its output are passed on, since
// many servers print other things as well.
type child struct {
	stream *process.Stream
	limits *Limits
	out    *io.PipeWriter
	in     *io.PipeReader
	closed sync.Once

	done chan struct{} // closed when it has exited; then why is final
	why  string
}

// start starts the server's program, which ends when life ends, and returns the transport to it.
func (s *server) start(life context.Context, l *connection) (sdk.Transport, error) {
	environ, err := s.childEnviron()
	if err != nil {
		return nil, err
	}
	spec := process.Spec{Argv: append([]string{s.spec.Command}, s.spec.Args...), Dir: s.pool.opts.Dir, Env: environ}
	if s.spec.Sandbox != nil {
		if err := s.addSandbox(&spec); err != nil {
			return nil, err
		}
	}
	stream, err := process.OpenStream(life, spec)
	if err != nil {
		return nil, err
	}
	c := &child{stream: stream, limits: s.limits(), done: make(chan struct{})}
	c.in, c.out = io.Pipe()
	s.pool.programs.Go(c.run)
	l.endReason = func() string {
		select {
		case <-c.done:
			return c.why
		case <-time.After(c.limits.End):
			return ""
		}
	}
	return &sdk.IOTransport{Reader: c.in, Writer: c, MaxLineLength: c.limits.Message + 1}, nil
}

// Write sends a message to the server.
func (c *child) Write(b []byte) (int, error) { return c.stream.Write(b) }

// Close closes the server's input, and kills the server if it does not exit soon.
func (c *child) Close() error {
	c.closed.Do(func() {
		_ = c.stream.CloseWrite()
		go func() {
			select {
			case <-c.done:
			case <-time.After(c.limits.End):
				c.stream.Stop()
			}
		}()
	})
	return nil
}

// run passes on the server's messages until its output ends, and waits for its exit.
func (c *child) run() {
	err := c.copyMessages()
	if err != nil {
		c.stream.Stop()
	}
	res, waited := c.stream.Wait()
	c.why = describeExit(err, res, waited)
	close(c.done)
	_ = c.out.CloseWithError(io.EOF)
}

// copyMessages passes on the messages in the server's output. An error is the reason why the server
// must be stopped.
func (c *child) copyMessages() error {
	r := bufio.NewReaderSize(c.stream, 64<<10)
	noise, closed := 0, false
	for {
		line, err := readLine(r, c.limits.Message)
		if errors.Is(err, errLong) {
			return fmt.Errorf("the server sent a message of more than %d bytes and was stopped", c.limits.Message)
		}
		if err != nil && len(line) == 0 {
			return nil
		}
		switch {
		case !isMessage(line):
			if noise += len(line) + 1; noise > c.limits.Noise {
				return fmt.Errorf("the server printed more than %d bytes that are not messages and was stopped", c.limits.Noise)
			}
		case closed: // the reader is gone
		default:
			_, err := c.out.Write(append(line, '\n'))
			closed = err != nil
		}
		if err != nil {
			return nil
		}
	}
}

var errLong = errors.New("the line is too long")

// readLine reads a line of at most most bytes, without its newline. At the end of the input it returns
// the rest together with the error.
func readLine(r *bufio.Reader, most int) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > most {
			return nil, errLong
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimRight(line, "\r\n"), err
		}
	}
}

// isMessage reports whether line is a JSON-RPC message.
func isMessage(line []byte) bool {
	line = bytes.TrimSpace(line)
	if len(line) == 0 || line[0] != '{' {
		return false
	}
	var head struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  string          `json:"method"`
	}
	return json.Unmarshal(line, &head) == nil && head.Version == "2.0" && (head.ID != nil || head.Method != "")
}

// describeExit describes how a server ended, and the last lines of its error output.
func describeExit(err error, res process.Result, waited error) string {
	var how string
	switch {
	case err != nil:
		how = err.Error()
	case res.Signal != "" && waited == nil:
		how = "it was ended by " + res.Signal
	case res.Exit >= 0:
		how = fmt.Sprintf("it ended with exit code %d", res.Exit)
	default:
		how = "it ended"
	}
	if said := lastLines(string(res.Stderr)); said != "" {
		how += ", having said: " + said
	}
	return how
}

// lastLines returns the last lines of s, a server's error output, cleaned and joined.
func lastLines(s string) string {
	lines := strings.FieldsFunc(cleanText(s, len(s)), func(r rune) bool { return r == '\n' })
	return cleanText(strings.Join(lines[max(0, len(lines)-3):], " / "), maxStderr)
}
