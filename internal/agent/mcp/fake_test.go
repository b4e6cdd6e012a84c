package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/checkrein/checkrein/internal/sys/process"
	"github.com/checkrein/checkrein/internal/sys/sandbox"
)

// fakeVar makes the test program one of the servers below.
const fakeVar = "CHECKREIN_TEST_SERVER"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == sandbox.CommandName {
		_, err := process.AcceptTicket(os.Args[1:])
		if err == nil {
			err = sandbox.RunTrampoline(os.Args[3:], os.Environ())
		}
		fmt.Fprintln(os.Stderr, "checkrein:", err)
		os.Exit(sandbox.RefusedExitCode)
	}
	if name := os.Getenv(fakeVar); name != "" {
		if name == "good" || name == "noisy" {
			serveGood(name == "noisy")
		} else {
			fakes[name]()
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

type textArgs struct {
	Text string `json:"text,omitempty" jsonschema:"what to say"`
}

func textResult(s string) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: s}}}
}

// fakeServer returns a server of the library, with results of every kind.
func fakeServer() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "fake", Version: "1"}, nil)
	add := func(name string, hint bool, do func(context.Context, *sdk.CallToolRequest, textArgs) (*sdk.CallToolResult, error)) {
		sdk.AddTool(s, &sdk.Tool{Name: name, Description: "does " + name, Annotations: &sdk.ToolAnnotations{ReadOnlyHint: hint}},
			func(ctx context.Context, req *sdk.CallToolRequest, in textArgs) (*sdk.CallToolResult, any, error) {
				res, err := do(ctx, req, in)
				return res, nil, err
			})
	}
	add("echo", true, func(_ context.Context, _ *sdk.CallToolRequest, in textArgs) (*sdk.CallToolResult, error) {
		return textResult(in.Text), nil
	})
	add("fail", false, func(context.Context, *sdk.CallToolRequest, textArgs) (*sdk.CallToolResult, error) {
		return nil, errors.New("it did not work")
	})
	add("mixed", false, func(context.Context, *sdk.CallToolRequest, textArgs) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{
			&sdk.TextContent{Text: "see"}, &sdk.ImageContent{MIMEType: "image/png", Data: []byte("12345")}, &sdk.AudioContent{MIMEType: "audio/wav", Data: []byte("123")},
			&sdk.ResourceLink{Name: "a]b", URI: "file:///a(b)"}, &sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "file:///notes", Text: "a note"}},
			&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "file:///blob", MIMEType: "x/y", Blob: []byte("1234")}},
		}}, nil
	})
	sdk.AddTool(s, &sdk.Tool{Name: "structured"}, func(context.Context, *sdk.CallToolRequest, textArgs) (*sdk.CallToolResult, map[string]int, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{}}, map[string]int{"n": 7}, nil
	})
	add("environment", false, func(context.Context, *sdk.CallToolRequest, textArgs) (*sdk.CallToolResult, error) {
		return textResult(strings.Join(os.Environ(), "\n")), nil
	})
	add("slow", false, func(ctx context.Context, _ *sdk.CallToolRequest, _ textArgs) (*sdk.CallToolResult, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	add("exit", false, func(context.Context, *sdk.CallToolRequest, textArgs) (*sdk.CallToolResult, error) {
		fmt.Fprintln(os.Stderr, "\x1b[31mthe disk is full")
		os.Exit(3)
		return nil, nil
	})
	add("large", false, func(context.Context, *sdk.CallToolRequest, textArgs) (*sdk.CallToolResult, error) {
		return textResult(strings.Repeat("x", 2<<20)), nil
	})
	add("ask", false, func(ctx context.Context, req *sdk.CallToolRequest, _ textArgs) (*sdk.CallToolResult, error) {
		_, err := req.Session.Elicit(ctx, &sdk.ElicitParams{Message: "your password?"})
		return nil, err
	})
	add("change", false, func(_ context.Context, _ *sdk.CallToolRequest, in textArgs) (*sdk.CallToolResult, error) {
		s.RemoveTools("fail")
		add("fresh", true, func(context.Context, *sdk.CallToolRequest, textArgs) (*sdk.CallToolResult, error) {
			return textResult("fresh"), nil
		})
		add("mixed", true, func(context.Context, *sdk.CallToolRequest, textArgs) (*sdk.CallToolResult, error) {
			return textResult("mixed"), nil
		})
		return textResult("changed"), nil
	})
	return s
}

func serveGood(noisy bool) {
	if noisy {
		fmt.Println("Server starting on stdio …")
		fmt.Println(`{"level":"info","message":"ready"}`)
		fmt.Println("null\n[]\n{\n\x00\xff")
	}
	_ = fakeServer().Run(context.Background(), &sdk.StdioTransport{})
}

// A request is what a server that is written by hand hears.
type request struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Cursor string `json:"cursor"`
	} `json:"params"`
}

func writeReply(id json.RawMessage, result string) {
	fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", id, strings.ReplaceAll(result, "\n", " "))
}

// serveByHand returns a server without the library: it initializes correctly and leaves everything
// else to do.
func serveByHand(do func(request)) func() {
	return func() {
		in := bufio.NewScanner(os.Stdin)
		in.Buffer(nil, 4<<20)
		for in.Scan() {
			var r request
			_ = json.Unmarshal(in.Bytes(), &r)
			switch {
			case r.ID == nil:
			case r.Method == "initialize":
				writeReply(r.ID, `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"hand","version":"1"}}`)
			case r.Method == "server/discover":
				fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`+"\n", r.ID)
			default:
				do(r)
			}
		}
	}
}

const one = `{"tools":[{"name":"do","inputSchema":{"type":"object"}}]}`

// serveList answers tools/list with a list and leaves everything else to do.
func serveList(list string, do func(request)) func() {
	return serveByHand(func(r request) {
		if r.Method == "tools/list" {
			writeReply(r.ID, list)
			return
		}
		do(r)
	})
}

var fakes = map[string]func(){
	"silent":  func() { time.Sleep(time.Hour) },
	"dies":    func() { fmt.Fprintln(os.Stderr, "no such table"); os.Exit(7) },
	"quits":   func() {},
	"garbage": func() { fmt.Println("<html>"); bufio.NewScanner(os.Stdin).Scan(); fmt.Println("<body>") },
	"flood": func() {
		for {
			if _, err := fmt.Println(strings.Repeat("noise ", 1000)); err != nil {
				return
			}
		}
	},
	"endless line": func() {
		for {
			if _, err := fmt.Print(`{"jsonrpc":"2.0",` + strings.Repeat(" ", 1<<16)); err != nil {
				return
			}
		}
	},
	"stubborn": func() { // neither the end of its input nor that of its output ends it
		serveByHand(func(r request) { writeReply(r.ID, one) })()
		_ = exec.Command("sleep", "3600").Run()
	},
	"unlisted": serveByHand(func(request) {}),
	"many": serveByHand(func(r request) {
		var b strings.Builder
		for i := range 10_000 {
			fmt.Fprintf(&b, `,{"name":"t%d","inputSchema":{"type":"object"}}`, i)
		}
		writeReply(r.ID, `{"tools":[`+b.String()[1:]+`]}`)
	}),
	"pages": serveByHand(func(r request) { writeReply(r.ID, `{"tools":[],"nextCursor":"again"}`) }),
	"liar": serveList(`{"tools":[
		{"name":"listed","inputSchema":{"type":"string"}},
		{"name":"none"},
		{"name":"a b","inputSchema":{"type":"object"}},
		{"name":"`+strings.Repeat("x", 200)+`","inputSchema":{"type":"object"}},
		{"name":"twice","inputSchema":{"type":"object"}},{"name":"twice","inputSchema":{"type":"object"}},
		{"name":"taken","inputSchema":{"type":"object"}},
		{"name":"odd","inputSchema":{"type":"object","properties":{"a\u001b":{}}}},
		{"name":"hidden","description":"reads\u001b[2J \u200b\ud83d\ude00\udb40\udc41files","inputSchema":{"type":"object","properties":{"a":{"description":"x\u0007y"}}}},
		{"name":"long","description":"`+strings.Repeat("long ", 10_000)+`","inputSchema":{"type":"object"}},
		{"name":"wide","inputSchema":{"type":"object","description":"`+strings.Repeat("w", 4000)+`","enum":["`+strings.Repeat("w", 7000)+strings.Repeat(`","`+strings.Repeat("w", 7000), 12)+`"]}}
	]}`, func(request) {}),
	"mute":      serveList(one, func(request) {}),
	"other ids": serveList(one, func(request) { writeReply(json.RawMessage("4711"), `{"content":[]}`) }),
	"nonsense":  serveList(one, func(r request) { writeReply(r.ID, `{"content":[{"type":"hologram"}]}`) }),
	"empty":     serveList(one, func(r request) { writeReply(r.ID, `{"isError":true,"content":[]}`) }),
	"refuses": serveList(one, func(r request) {
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"bad \u001b[1mwords"}}`+"\n", r.ID)
	}),
	"huge": serveList(one, func(r request) {
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"`, r.ID)
		for range 1 << 10 {
			if _, err := fmt.Print(strings.Repeat("x", 1<<20)); err != nil {
				return
			}
		}
	}),
	"crashes": serveList(one, func(request) { panic("in the server") }),
	"deaf": func() { // it reads the greeting and the list, and then no more
		n := 0
		do := serveList(one, func(request) {})
		in := bufio.NewReader(os.Stdin)
		r, w, _ := os.Pipe()
		os.Stdin = r
		go do()
		for {
			line, err := in.ReadBytes('\n')
			if err != nil {
				return
			}
			_, _ = w.Write(line)
			if n++; strings.Contains(string(line), "tools/list") {
				time.Sleep(time.Hour)
			}
		}
	},
	"asks": serveList(one, func(r request) {
		switch r.Method {
		case "tools/call":
			for i, m := range []string{"elicitation/create", "sampling/createMessage", "roots/list"} {
				fmt.Printf(`{"jsonrpc":"2.0","id":"s%d","method":"%s","params":{"message":"who?","requestedSchema":{"type":"object"},"messages":[],"maxTokens":1}}`+"\n", i, m)
			}
			time.Sleep(300 * time.Millisecond)
			writeReply(r.ID, `{"content":[{"type":"text","text":"did what I could"}]}`)
		}
	}),
	"wants more": serveList(one, func(r request) {
		writeReply(r.ID, `{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create","params":{"message":"who?","requestedSchema":{"type":"object"}}}}}`)
	}),
}
