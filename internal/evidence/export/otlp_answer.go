package export

import (
	"encoding/json"
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// parseAccepted parses answer, the response of content type kind to a request that was accepted,
// possibly in part, and returns how many records were rejected. A response in an unknown format counts
// as full acceptance, since the status indicates success.
func parseAccepted(kind string, answer []byte) (rejected int, err error) {
	var message string
	switch kind {
	case "text/html":
		return 0, errors.New("a web page answered: is this the URL of an OTLP receiver?")
	case "application/json": // from servers that ignore the request's content type
		var a struct {
			Partial struct {
				Rejected json.Number `json:"rejectedLogRecords"`
				Message  string      `json:"errorMessage"`
			} `json:"partialSuccess"`
		}
		if json.Unmarshal(answer, &a) == nil {
			n, _ := a.Partial.Rejected.Int64()
			rejected, message = int(n), a.Partial.Message
		}
	default: // ExportLogsServiceResponse
		partial := bytesField(answer, 1)
		rejected, message = int(varintField(partial, 1)), string(bytesField(partial, 2))
	}
	if rejected <= 0 { // a message alone is a warning
		return 0, nil
	}
	err = fmt.Errorf("records rejected by the receiver: %d", rejected)
	if message != "" {
		err = fmt.Errorf("%w: %.*q", err, quoteMax, message)
	}
	return rejected, err
}

// quoteError returns the beginning of answer, an error response, after a colon: the message of a
// google.rpc.Status, or the raw text. It returns "" if there is none.
func quoteError(kind string, answer []byte) string {
	if kind == protobufType {
		answer = bytesField(answer, 2)
	}
	if len(answer) == 0 {
		return ""
	}
	return fmt.Sprintf(": %q", answer[:min(len(answer), quoteMax)])
}

// bytesField returns the bytes in the field want of message, or nil if there is none. Only two
// messages are read, which does not justify their packages.
func bytesField(message []byte, want protowire.Number) []byte {
	var out []byte
	eachField(message, func(num protowire.Number, kind protowire.Type, b []byte) {
		if v, n := protowire.ConsumeBytes(b); num == want && kind == protowire.BytesType && n >= 0 {
			out = v
		}
	})
	return out
}

// varintField returns the number in the field want of message, or 0 if there is none.
func varintField(message []byte, want protowire.Number) int64 {
	var out int64
	eachField(message, func(num protowire.Number, kind protowire.Type, b []byte) {
		if v, n := protowire.ConsumeVarint(b); num == want && kind == protowire.VarintType && n >= 0 {
			out = int64(v)
		}
	})
	return out
}

// eachField calls f with every field of message, until the end or an invalid field.
func eachField(message []byte, f func(num protowire.Number, kind protowire.Type, value []byte)) {
	for len(message) > 0 {
		num, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return
		}
		message = message[n:]
		if n = protowire.ConsumeFieldValue(num, kind, message); n < 0 {
			return
		}
		f(num, kind, message[:n])
		message = message[n:]
	}
}
