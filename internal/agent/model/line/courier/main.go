// Command courier replaces checkrein-models in tests. It posts the call, with the key, to base_url and
// copies the lines of the server's answer. A test thus sees everything that a provider would, and can
// answer with anything, without an SDK.
package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"

	"github.com/checkrein/checkrein/internal/agent/model/line"
	"github.com/checkrein/checkrein/internal/sys/build"
)

func main() {
	if len(os.Args) == 2 && os.Args[1] == "version" {
		fmt.Println(line.Program, build.Version)
		return
	}
	if err := forwardCall(os.Stdin, os.Stdout); err != nil {
		_ = line.Write(os.Stdout, line.Reply{Fault: line.Faultf(line.Unreachable, "%v", err)})
	}
}

func forwardCall(in io.Reader, out io.Writer) error {
	var call line.Call
	if err := line.NewReader(in).Read(&call); err != nil {
		return err
	}
	var body bytes.Buffer
	if err := line.Write(&body, call); err != nil {
		return err
	}
	req, err := http.NewRequest(http.MethodPost, call.BaseURL, &body)
	if err != nil {
		return err
	}
	if key := os.Getenv(call.TokenKey); key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	_, _ = io.Copy(out, resp.Body) // an interrupted answer interrupts the lines
	return nil
}
