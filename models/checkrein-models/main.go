// Command checkrein-models calls models for checkreind, which starts it for each call
// and speaks with it in lines; see internal/agent/model/line. It is a program of its
// own because the SDKs of the providers are large.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"

	"github.com/checkrein/checkrein/internal/agent/model/line"
	"github.com/checkrein/checkrein/internal/sys/build"
	"github.com/checkrein/checkrein/models/anthropic"
	"github.com/checkrein/checkrein/models/google"
	"github.com/checkrein/checkrein/models/openai"
	"github.com/checkrein/checkrein/models/provider"
)

func wires() map[string]provider.Wire {
	return map[string]provider.Wire{line.OpenAI: openai.Ask, line.Anthropic: anthropic.Ask, line.Google: google.Ask}
}

func main() { os.Exit(run(os.Args[1:])) }

func run(args []string) int {
	build.UseModuleVersion()
	switch {
	case len(args) == 1 && args[0] == "call":
	case len(args) == 1 && (args[0] == "version" || args[0] == "--version"):
		fmt.Println(line.Program, build.Version)
		return 0
	default:
		fmt.Fprintf(os.Stderr, "%s calls models for checkreind: checkreind starts it, you do not need to run it\n", line.Program)
		return 2
	}
	log.SetOutput(io.Discard) // SDKs write there what is said on the lines
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := provider.Serve(ctx, os.Stdin, os.Stdout, wires(), os.Getenv); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", line.Program, err)
		return 1
	}
	return 0
}
