package mockmodel

import (
	"encoding/json"
	"net/http"
)

// An obj is a JSON object.
type obj = map[string]any

// A stream writes an answer, as one JSON object or as server-sent events. An
// agent that hangs up is its own affair, so nothing here returns an error.
type stream struct {
	w     http.ResponseWriter
	rc    *http.ResponseController
	done  <-chan struct{} // closed when the agent has gone
	fault FaultKind
}

func newStream(w http.ResponseWriter, r *http.Request, fault FaultKind) stream {
	return stream{w: w, rc: http.NewResponseController(w), done: r.Context().Done(), fault: fault}
}

// json answers with one object.
func (s stream) json(v any) {
	if s.fault.strikes() {
		b, err := json.Marshal(v)
		if err != nil { // made of strings and numbers by this package: cannot be
			return
		}
		s.w.Header().Set("Content-Type", "application/json")
		if s.struckWhole(b) {
			return
		}
	}
	writeJSON(s.w, http.StatusOK, v)
}

// begin starts a stream of events.
func (s stream) begin() {
	s.w.Header().Set("Content-Type", "text/event-stream")
	s.w.Header().Set("Cache-Control", "no-cache")
	s.w.WriteHeader(http.StatusOK)
}

// event sends one event; name "" sends the data alone. It reports whether the event
// left.
func (s stream) event(name string, v any) bool {
	b, err := json.Marshal(v)
	if err != nil { // made of strings and numbers by this package: cannot be
		return false
	}
	return s.data(name, b)
}

func (s stream) data(name string, b []byte) bool {
	if name != "" {
		_, _ = s.w.Write([]byte("event: " + name + "\n"))
	}
	_, err := s.w.Write([]byte("data: " + string(b) + "\n\n"))
	return err == nil && s.rc.Flush() == nil
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		status, b = http.StatusInternalServerError, []byte("{}")
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(b)
}

// errorBody is an error in a form that the clients of all protocols read.
func errorBody(status int, text string) obj {
	return obj{"type": "error", "error": obj{"type": "api_error", "code": status, "message": text, "status": http.StatusText(status)}}
}

// texts returns the texts of a content: a string, or a list of parts of which
// some have a text.
func texts(raw json.RawMessage) []string {
	var one string
	if json.Unmarshal(raw, &one) == nil {
		if one == "" {
			return nil
		}
		return []string{one}
	}
	var parts []struct {
		Text *string `json:"text"`
	}
	if json.Unmarshal(raw, &parts) != nil {
		return nil
	}
	var out []string
	for _, p := range parts {
		if p.Text != nil {
			out = append(out, *p.Text)
		}
	}
	return out
}

// instructions returns a message for instructions that stand apart.
func instructions(texts []string) []Message {
	if len(texts) == 0 {
		return nil
	}
	return []Message{{Role: "system", Texts: texts}}
}
