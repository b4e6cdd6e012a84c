package hostlab

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
)

// The names of the MCP server of a space and of its only tool.
const (
	ToolServer = "probe"
	Tool       = "poke"
)

// A toolServer is an MCP server on the loopback interface. It uses streamable HTTP without streams,
// which every host supports. Its tool only records its calls.
type toolServer struct {
	addr string
	http *http.Server
	done chan struct{}

	mu    sync.Mutex
	calls []string
}

// ServeTools starts the MCP server of the space, which the host uses from its next run on.
func (s *Space) ServeTools() error {
	if s.tools != nil {
		return nil
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listening for an MCP client: %w", err)
	}
	t := &toolServer{addr: ln.Addr().String(), done: make(chan struct{})}
	t.http = &http.Server{Handler: t}
	go func() {
		defer close(t.done)
		_ = t.http.Serve(ln) // returns http.ErrServerClosed
	}()
	s.tools = t
	return errors.Join(s.writeFiles(), s.addSettings())
}

// PokedTexts returns the texts with which the MCP server's tool was called, in order.
func (s *Space) PokedTexts() []string {
	if s.tools == nil {
		return nil
	}
	s.tools.mu.Lock()
	defer s.tools.mu.Unlock()
	return slices.Clone(s.tools.calls)
}

// ToolsURL returns the URL of the MCP server, or "" if it is not started.
func (s *Space) ToolsURL() string {
	if s.tools == nil {
		return ""
	}
	return "http://" + s.tools.addr + "/mcp"
}

func (t *toolServer) close() error {
	err := t.http.Close()
	<-t.done
	return err
}

// ServeHTTP answers one message of a client.
func (t *toolServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params struct {
			ProtocolVersion string `json:"protocolVersion"`
			Arguments       struct {
				Text string `json:"text"`
			} `json:"arguments"`
		} `json:"params"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&m); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if m.ID == nil { // a notification
		w.WriteHeader(http.StatusAccepted)
		return
	}
	reply := map[string]any{"jsonrpc": "2.0", "id": m.ID}
	switch m.Method {
	case "initialize":
		reply["result"] = map[string]any{
			"protocolVersion": m.Params.ProtocolVersion, "capabilities": map[string]any{"tools": map[string]any{}},
			"serverInfo": map[string]any{"name": ToolServer, "version": "1.0.0"},
		}
	case "ping":
		reply["result"] = map[string]any{}
	case "tools/list":
		reply["result"] = map[string]any{"tools": []any{map[string]any{
			"name": Tool, "description": "Takes note of a text.",
			"inputSchema": map[string]any{
				"type": "object", "required": []string{"text"},
				"properties": map[string]any{"text": map[string]any{"type": "string"}},
			},
		}}}
	case "tools/call":
		t.mu.Lock()
		t.calls = append(t.calls, m.Params.Arguments.Text)
		t.mu.Unlock()
		reply["result"] = map[string]any{"content": []any{map[string]any{"type": "text", "text": "noted: " + m.Params.Arguments.Text}}}
	default:
		reply["error"] = map[string]any{"code": -32601, "message": "no method " + m.Method}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(reply) // the client may be gone
}
