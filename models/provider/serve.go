package provider

import (
	"context"
	"encoding/json"
	"errors"
	"io"

	"github.com/checkrein/checkrein/internal/agent/model"
	"github.com/checkrein/checkrein/internal/agent/model/line"
	"github.com/checkrein/checkrein/internal/sys/build"
)

// Serve reads one call from in, makes it, and writes what comes of it to out. The
// error is about the lines only: what became of the call is said on them.
func Serve(ctx context.Context, in io.Reader, out io.Writer, wires map[string]Wire, getenv func(string) string) error {
	var call line.Call
	if err := line.NewReader(in).Read(&call); err != nil {
		return err
	}
	a, err := answer(ctx, &call, out, wires, getenv)
	if err == nil {
		raw, err := json.Marshal(a)
		if err != nil {
			return err
		}
		return line.Write(out, line.Reply{Answer: raw})
	}
	var f *line.Fault
	if !errors.As(err, &f) {
		f = line.Faultf(line.Other, "%v", err)
	}
	return line.Write(out, line.Reply{Fault: f})
}

func answer(ctx context.Context, call *line.Call, out io.Writer, wires map[string]Wire, getenv func(string) string) (model.Answer, error) {
	if call.Build != build.Version {
		return model.Answer{}, line.Faultf(line.Other, "%s is from a different build (%s) than checkreind (%s): install all three programs from the same build", line.Program, build.Version, call.Build)
	}
	wire := wires[call.Wire]
	if wire == nil {
		return model.Answer{}, line.Faultf(line.Other, "%s does not support %q", line.Program, call.Wire)
	}
	var req model.Request
	if err := json.Unmarshal(call.Request, &req); err != nil {
		return model.Answer{}, err
	}
	c, err := New(call.Settings, req, getenv)
	if err != nil {
		return model.Answer{}, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	return c.Do(ctx, wire, func(s string) {
		if s == "" {
			return
		}
		if err := line.Write(out, line.Reply{Delta: s}); err != nil {
			cancel(err) // there is no one left to hear it
		}
	})
}
