package export

import (
	"encoding/json"
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// accepted reads the answer to a request that was taken, perhaps in part. An
// answer in no known form counts as all: the status said so.
func accepted(kind string, answer []byte) (rejected int, err error) {
	var message string
	switch kind {
	case "text/html":
		return 0, errors.New("a web page answered: is this the URL of an OTLP receiver?")
	case "application/json": // of servers that do not answer in kind
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
		partial := field(answer, 1)
		rejected, message = int(varint(partial, 1)), string(field(partial, 2))
	}
	if rejected <= 0 { // a message alone is advice
		return 0, nil
	}
	err = fmt.Errorf("the receiver rejected %d records", rejected)
	if message != "" {
		err = fmt.Errorf("%w: %.*q", err, quoteMax, message)
	}
	return rejected, err
}

// quote returns the beginning of an answer that is an error: the message of a
// google.rpc.Status, or whatever it is.
func quote(kind string, answer []byte) string {
	if kind == protobufType {
		answer = field(answer, 2)
	}
	if len(answer) == 0 {
		return ""
	}
	return fmt.Sprintf(": %q", answer[:min(len(answer), quoteMax)])
}

// field returns the bytes of a message's field, nil if it has none. The two
// messages that we read are too small to bring their packages along.
func field(message []byte, want protowire.Number) []byte {
	var out []byte
	each(message, func(num protowire.Number, kind protowire.Type, b []byte) {
		if v, n := protowire.ConsumeBytes(b); num == want && kind == protowire.BytesType && n >= 0 {
			out = v
		}
	})
	return out
}

// varint returns the number of a message's field, 0 if it has none.
func varint(message []byte, want protowire.Number) int64 {
	var out int64
	each(message, func(num protowire.Number, kind protowire.Type, b []byte) {
		if v, n := protowire.ConsumeVarint(b); num == want && kind == protowire.VarintType && n >= 0 {
			out = int64(v)
		}
	})
	return out
}

// each calls f with every field of a message, until there is none or it ends
// badly.
func each(message []byte, f func(num protowire.Number, kind protowire.Type, value []byte)) {
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
