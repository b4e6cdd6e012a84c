// Package line is the protocol between checkreind and checkrein-models. checkreind writes one line
// with a call; checkrein-models writes lines with pieces of text, and finally one with the answer or
// the error. Each line is one JSON object.
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

// The protocols of providers that the program supports.
const (
	OpenAI    = "openai" // chat completions, which many engines support
	Anthropic = "anthropic"
	Google    = "google"
)

// MaxLine limits the length of a line in both directions.
const MaxLine = 64 << 20

// A Call requests one answer of a model. It does not contain the key, which the program reads from the
// environment variable TokenKey.
type Call struct {
	Build string `json:"build"` // the version of the caller, which must be that of the program too
	Settings
	Request json.RawMessage `json:"request"` // a model.Request
}

// Settings describe the model, its address and how to call it.
type Settings struct {
	Wire        string   `json:"wire"`
	Provider    string   `json:"provider"`
	Model       string   `json:"model"`
	BaseURL     string   `json:"base_url"`
	TokenKey    string   `json:"token_key,omitempty"`
	MaxTokens   int      `json:"max_tokens,omitempty"` // 0 = the provider's default
	Temperature *float64 `json:"temperature,omitempty"`
	// Proxy and CAFile come from the user's own file. They are the URL of a proxy, and a file
	// of CA certificates in addition to the system's; "" = none.
	Proxy  string `json:"proxy,omitempty"`
	CAFile string `json:"ca_file,omitempty"`
	Limits Limits `json:"limits"`
}

// Limits limit a call.
type Limits struct {
	Connect time.Duration `json:"connect_ns"` // until it is connected
	Idle    time.Duration `json:"idle_ns"`    // without any data
	Retries int           `json:"retries"`
	// Replaced is set if another model is tried after this one. A failing server is then called again,
	// but a rate limit is not waited for.
	Replaced bool `json:"replaced,omitempty"`
}

// A Reply is a line that the program writes. Exactly one of its fields is set.
type Reply struct {
	Delta  string          `json:"delta,omitempty"`
	Answer json.RawMessage `json:"answer,omitempty"` // a model.Answer
	Fault  *Fault          `json:"fault,omitempty"`
}

// A Kind is the kind of a fault.
type Kind string

// The kinds of faults.
const (
	Auth        Kind = "auth"        // the key is missing or wrong
	Limit       Kind = "limit"       // rate limit of the provider
	Overloaded  Kind = "overloaded"  // the provider is overloaded
	Overflow    Kind = "overflow"    // the conversation does not fit
	Unreachable Kind = "unreachable" // there is no connection
	Garbled     Kind = "garbled"     // the response is not an answer
	Broken      Kind = "broken"      // the answer is empty or incomplete
	Refused     Kind = "refused"     // the provider does not answer this request
	Other       Kind = "other"
)

// A Fault is the reason why there is no answer, worded so that it is safe to show.
type Fault struct {
	Kind    Kind   `json:"kind"`
	Message string `json:"message"`
	// After is how long the provider asks to wait before another call; nil = unknown.
	After *time.Duration `json:"retry_after_ns,omitempty"`
}

func (f *Fault) Error() string { return f.Message }

// Faultf returns a Fault with a formatted message.
func Faultf(kind Kind, format string, args ...any) *Fault {
	return &Fault{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// CheckKey returns an error if key cannot be valid, because it would not reach the provider, or would
// send more than the key. name is the environment variable that holds it.
func CheckKey(name, key string) error {
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return Faultf(Auth, "the environment variable %s does not hold a valid key: it contains spaces or other characters that keys never have", name)
	}
	return nil
}

// Write writes v to w as one line.
func Write(w io.Writer, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(append(b, '\n'))
	return err
}

// ErrGarbled means that a line does not belong to this protocol.
var ErrGarbled = errors.New("a line that cannot be parsed")

// A Reader reads lines.
type Reader struct{ sc *bufio.Scanner }

// NewReader returns a Reader of r.
func NewReader(r io.Reader) *Reader {
	sc := bufio.NewScanner(r)
	sc.Buffer(make([]byte, 0, 64<<10), MaxLine)
	return &Reader{sc}
}

// Read reads the next line into v. It returns io.EOF if there is none, and ErrGarbled if the line is
// invalid.
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
