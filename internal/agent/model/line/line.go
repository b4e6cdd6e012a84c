// Package line is what checkreind and checkrein-models say to each other: one line
// with a call in, lines with pieces of text out, and at last one with the answer or
// with what went wrong. Each line is one JSON object.
package line

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// Program is the name of the program that calls models.
const Program = "checkrein-models"

// The wires that the program speaks.
const (
	OpenAI    = "openai" // chat completions, which many engines speak
	Anthropic = "anthropic"
	Google    = "google"
)

// MaxLine bounds a line, either way.
const MaxLine = 64 << 20

// A Call asks for one answer of a model. The key is not in it: the program finds that
// in its environment, under the name TokenKey.
type Call struct {
	Build string `json:"build"` // both programs must be of one
	Settings
	Request json.RawMessage `json:"request"` // a model.Request
}

// Settings say which model is asked, where, and how.
type Settings struct {
	Wire        string   `json:"wire"`
	Provider    string   `json:"provider"`
	Model       string   `json:"model"`
	BaseURL     string   `json:"base_url"`
	TokenKey    string   `json:"token_key,omitempty"`
	MaxTokens   int      `json:"max_tokens,omitempty"` // 0 = as many as the provider gives
	Temperature *float64 `json:"temperature,omitempty"`
	// Proxy and CAFile are how the person's own file has the provider reached: through
	// that URL, and with the certificates of that file beside the system's; "" = as usual.
	Proxy  string `json:"proxy,omitempty"`
	CAFile string `json:"ca_file,omitempty"`
	Limits Limits `json:"limits"`
}

// Limits bound a call.
type Limits struct {
	Connect time.Duration `json:"connect_ns"` // for a connection
	Idle    time.Duration `json:"idle_ns"`    // in which nothing arrives
	Retries int           `json:"retries"`
	// Replaced is set if another model answers in place of this one: a server that
	// fails is asked again, and one that was asked too often is not waited for.
	Replaced bool `json:"replaced,omitempty"`
}

// A Reply is a line of the program. Exactly one of its fields is set.
type Reply struct {
	Delta  string          `json:"delta,omitempty"`
	Answer json.RawMessage `json:"answer,omitempty"` // a model.Answer
	Fault  *Fault          `json:"fault,omitempty"`
}

// A Kind describes what became of a call that has no answer.
type Kind string

// The kinds of faults.
const (
	Auth        Kind = "auth"        // the key is missing or wrong
	Limit       Kind = "limit"       // the provider was asked too often
	Overloaded  Kind = "overloaded"  // the provider has no time for anybody
	Overflow    Kind = "overflow"    // the conversation does not fit
	Unreachable Kind = "unreachable" // there is no connection
	Garbled     Kind = "garbled"     // what arrived is no answer
	Broken      Kind = "broken"      // the answer is empty, or ended before its end
	Refused     Kind = "refused"     // the provider does not answer this request
	Other       Kind = "other"
)

// A Fault is why there is no answer, in words that are fit to be shown.
type Fault struct {
	Kind    Kind   `json:"kind"`
	Message string `json:"message"`
	// After is how long the provider asks to be left alone; nil = it did not say.
	After *time.Duration `json:"retry_after_ns,omitempty"`
}

func (f *Fault) Error() string { return f.Message }

// Faultf makes a Fault.
func Faultf(kind Kind, format string, args ...any) *Fault {
	return &Fault{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// CheckKey refuses a key that cannot be one: it would not reach the provider, or more
// than the key would. Name is the variable that holds it.
func CheckKey(name, key string) error {
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return Faultf(Auth, "the environment variable %s does not hold a valid key: it contains spaces or other characters that keys never have", name)
	}
	return nil
}

// Write writes a line.
func Write(w io.Writer, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(append(b, '\n'))
	return err
}

// ErrGarbled reports that a line is none of this protocol.
var ErrGarbled = errors.New("a line that cannot be parsed")

// A Reader reads lines.
type Reader struct{ sc *bufio.Scanner }

// NewReader returns a Reader of what r gives.
func NewReader(r io.Reader) *Reader {
	sc := bufio.NewScanner(r)
	sc.Buffer(make([]byte, 0, 64<<10), MaxLine)
	return &Reader{sc}
}

// Read reads the next line into v. It returns io.EOF when there is none.
func (r *Reader) Read(v any) error {
	if !r.sc.Scan() {
		if err := r.sc.Err(); err != nil {
			if errors.Is(err, bufio.ErrTooLong) {
				return ErrGarbled
			}
			return err
		}
		return io.EOF
	}
	if json.Unmarshal(r.sc.Bytes(), v) != nil {
		return ErrGarbled
	}
	return nil
}
