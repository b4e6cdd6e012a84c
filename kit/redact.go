package kit

import "github.com/checkrein/checkrein/internal/secret"

// A Redactor takes secrets out of a text that comes in pieces, as the builtin
// redact_secrets does of a whole one. It holds back what more text might change.
type Redactor struct{ stream *secret.Stream }

// NewRedactor returns a redactor at the beginning of a text.
func NewRedactor() *Redactor { return &Redactor{secret.NewStream(secret.Secrets, nil)} }

// Add takes the next piece and returns what is ready.
func (r *Redactor) Add(piece string) string { return string(r.stream.Write([]byte(piece))) }

// Close returns the rest.
func (r *Redactor) Close() string { return string(r.stream.Close()) }
