package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"time"
)

// playAgent, in the environment of the test binary, makes it an agent: it runs the
// calls that it is given on stdin, by its settings.
const playAgent = "CHECKREIN_TEST_PLAY_AGENT"

// An upgradeCall is what an agent runs at an event, and what came of it.
type upgradeCall struct {
	Host  string   `json:"host"`
	Scope string   `json:"scope"`
	Event string   `json:"event"`
	Run   []string `json:"run"` // $REPO is the repository
	Dir   string   `json:"dir"`
	Input string   `json:"input"`
	Exit  int      `json:"exit"`
	Reply string   `json:"reply"`
}

func (c *upgradeCall) name() string { return c.Host + " " + c.Scope + " " + c.Event }

func asAgent() error {
	if err := os.Unsetenv(playAgent); err != nil {
		return err
	}
	time.Sleep(100 * time.Millisecond) // older than its deeds by more than clocks of processes and files differ
	var calls []upgradeCall
	if err := json.NewDecoder(os.Stdin).Decode(&calls); err != nil {
		return err
	}
	for i := range calls {
		c := &calls[i]
		cmd := exec.Command(c.Run[0], c.Run[1:]...)
		cmd.Dir, cmd.Stdin = c.Dir, strings.NewReader(c.Input)
		var reply bytes.Buffer
		cmd.Stdout = &reply
		if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
			return err
		}
		c.Exit, c.Reply = cmd.ProcessState.ExitCode(), strings.TrimSpace(reply.String())
	}
	return json.NewEncoder(os.Stdout).Encode(calls)
}
