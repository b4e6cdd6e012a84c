package mockmodel

import (
	"encoding/json"
	"net/http"
)

// obj is a JSON object.
type obj = map[string]any

// A stream writes an answer, either as one JSON object or as server-sent events. It ignores write
// errors, because an agent may disconnect at any time.
type stream struct {
	w     http.ResponseWriter
	rc    *http.ResponseController
	done  <-chan struct{} // closed when the agent has disconnected
	fault FaultKind
}

func newStream(w http.ResponseWriter, r *http.Request, fault FaultKind) stream {
	return stream{w: w, rc: http.NewResponseController(w), done: r.Context().Done(), fault: fault}
}

// sendJSON answers with v as one JSON object, interrupted if the fault calls for that.
func (s stream) sendJSON(v any) {
	if s.fault.interruptsAnswer() {
		b, err := json.Marshal(v)
		if err != nil { // cannot happen: only strings and numbers
			return
		}
		s.w.Header().Set("Content-Type", "application/json")
		if s.interruptBody(b) {
			return
		}
	}
	writeJSON(s.w, http.StatusOK, v)
}

// beginEvents starts a stream of events.
func (s stream) beginEvents() {
	s.w.Header().Set("Content-Type", "text/event-stream")
	s.w.Header().Set("Cache-Control", "no-cache")
	s.w.WriteHeader(http.StatusOK)
}

// sendEvent sends v as an event, without a name if name is "", and reports whether it was sent.
func (s stream) sendEvent(name string, v any) bool {
	b, err := json.Marshal(v)
	if err != nil { // cannot happen: only strings and numbers
		return false
	}
	return s.sendData(name, b)
}

// sendData sends b as the data of an event, and reports whether it was sent.
func (s stream) sendData(name string, b []byte) bool {
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

// errorBody returns an error in a form that clients of all protocols can read.
func errorBody(status int, text string) obj {
	return obj{"type": "error", "error": obj{"type": "api_error", "code": status, "message": text, "status": http.StatusText(status)}}
}

// contentTexts returns the texts in raw, which is a string or a list of parts.
func contentTexts(raw json.RawMessage) []string {
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

// systemMessage returns a list with one message for separate instructions, or nil if there are no
// texts.
func systemMessage(texts []string) []Message {
	if len(texts) == 0 {
		return nil
	}
	return []Message{{Role: "system", Texts: texts}}
}
