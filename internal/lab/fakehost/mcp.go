package fakehost

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// isMCP reports whether tool belongs to an MCP server.
func isMCP(tool string) bool { return strings.HasPrefix(tool, "mcp__") }

// A server is an MCP server that is called over HTTP and answers with JSON.
type server struct {
	url string

	mu      sync.Mutex // sub-agents call it at the same time
	session string
	last    int
}

// serverTools returns the tools of all configured MCP servers. It skips servers that do not answer.
func (s *session) serverTools(ctx context.Context) []tool {
	files := slices.Clone(s.options.mcp)
	if !s.options.strict {
		files = append(files, filepath.Join(s.cwd, ".mcp.json"), filepath.Join(s.config, ".claude.json"))
	}
	urls := map[string]string{}
	for _, from := range files {
		text := []byte(from)
		if !strings.HasPrefix(from, "{") {
			var err error
			if text, err = os.ReadFile(from); err != nil {
				continue
			}
		}
		var file struct {
			Servers map[string]struct {
				URL string `json:"url"`
			} `json:"mcpServers"`
		}
		if json.Unmarshal(text, &file) != nil {
			continue
		}
		for name, config := range file.Servers {
			urls[name] = config.URL
		}
	}
	var out []tool
	for _, name := range slices.Sorted(maps.Keys(urls)) {
		srv := &server{url: urls[name]}
		if err := srv.initializeMCP(ctx, s.build.version()); err == nil {
			out = append(out, srv.listTools(ctx, name)...)
		}
	}
	return out
}

// initializeMCP performs the MCP handshake.
func (srv *server) initializeMCP(ctx context.Context, clientVersion string) error {
	hello := map[string]any{
		"protocolVersion": "2025-06-18", "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "claude-code", "version": clientVersion},
	}
	if err := srv.request(ctx, "initialize", hello, nil); err != nil {
		return err
	}
	srv.mu.Lock()
	defer srv.mu.Unlock()
	_, err := srv.post(ctx, map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
	return err
}

// listTools returns the server's tools under the names that the model uses, mcp__name__tool. It
// returns nil if the request fails.
func (srv *server) listTools(ctx context.Context, name string) []tool {
	var list struct {
		Tools []struct {
			Name   string          `json:"name"`
			About  string          `json:"description"`
			Schema json.RawMessage `json:"inputSchema"`
		} `json:"tools"`
	}
	if srv.request(ctx, "tools/list", map[string]any{}, &list) != nil {
		return nil
	}
	var out []tool
	for _, t := range list.Tools {
		out = append(out, tool{
			name: "mcp__" + name + "__" + t.Name, about: t.About, schema: t.Schema,
			invalid: func(*session, json.RawMessage) string { return "" },
			subject: func(json.RawMessage) string { return "" },
			run: func(ctx context.Context, _ *conversation, u call) (any, error) {
				return srv.callTool(ctx, t.Name, u.input)
			},
		})
	}
	return out
}

// callTool calls the tool name and returns its content blocks, or its error text as an error.
func (srv *server) callTool(ctx context.Context, name string, input json.RawMessage) (any, error) {
	if len(input) == 0 {
		input = json.RawMessage("{}")
	}
	var res struct {
		Content []contentBlock `json:"content"`
		IsError bool           `json:"isError"`
	}
	if err := srv.request(ctx, "tools/call", map[string]any{"name": name, "arguments": input}, &res); err != nil {
		return nil, err
	}
	if res.IsError {
		return nil, errors.New((modelReply{blocks: res.Content}).text())
	}
	return res.Content, nil
}

// request sends a JSON-RPC request and decodes its result into result, unless that is nil.
func (srv *server) request(ctx context.Context, method string, params, result any) error {
	srv.mu.Lock()
	defer srv.mu.Unlock()
	srv.last++
	body, err := srv.post(ctx, map[string]any{"jsonrpc": "2.0", "id": srv.last, "method": method, "params": params})
	if err != nil {
		return err
	}
	var m struct {
		Result json.RawMessage `json:"result"`
		Error  json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(body, &m); err != nil {
		return err
	}
	if len(m.Error) > 0 {
		return fmt.Errorf("%s: %s", method, m.Error)
	}
	if result == nil {
		return nil
	}
	return json.Unmarshal(m.Result, result)
}

// post sends a JSON-RPC message and returns the response body. The caller must hold srv.mu.
func (srv *server) post(ctx context.Context, message any) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, srv.url, bytes.NewReader(mustJSON(message)))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if srv.session != "" {
		req.Header.Set("Mcp-Session-Id", srv.session)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if res.StatusCode >= http.StatusMultipleChoices {
		return nil, fmt.Errorf("%s: %s", srv.url, res.Status)
	}
	if id := res.Header.Get("Mcp-Session-Id"); id != "" {
		srv.session = id
	}
	return io.ReadAll(io.LimitReader(res.Body, 16<<20))
}
