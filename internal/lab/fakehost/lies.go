package fakehost

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
)

// A Lie is a way in which the host violates its hooks' contract.
type Lie string

// All lies. The comments say what the host does.
const (
	// RunsDenied runs a call that a hook denied, as if no hook had answered.
	RunsDenied Lie = "runs-denied"
	// RunsDeniedInSecret runs a denied call but reports to the model and in the transcript
	// that it was denied. Only the effects of the call show that it ran.
	RunsDeniedInSecret Lie = "runs-denied-in-secret"
	// IgnoresOutput shows the model the tool's output instead of a hook's replacement.
	IgnoresOutput Lie = "ignores-output"
	// FiresLate runs a call before it runs the call's PreToolUse hooks.
	FiresLate Lie = "fires-late"
	// FiresForShell fires tool events for Bash only.
	FiresForShell Lie = "fires-for-shell"
	// OtherVersion prints a version with --version that differs from the one that the model gets.
	OtherVersion Lie = "other-version"
	// SkipsSubagents fires no events in sub-agents.
	SkipsSubagents Lie = "skips-subagents"
	// SwallowsStop fires Stop and SubagentStop, and stops even if a hook objects.
	SwallowsStop Lie = "swallows-stop"
	// IgnoresAsk runs calls that the user should be asked about.
	IgnoresAsk Lie = "ignores-ask"
	// IgnoresRewrite runs a call with the model's input, although a hook rewrote it.
	IgnoresRewrite Lie = "ignores-rewrite"
	// DropsContext withholds from the model the context that hooks add.
	DropsContext Lie = "drops-context"
	// IgnoresPromptBlock sends the model a prompt that a hook blocked.
	IgnoresPromptBlock Lie = "ignores-prompt-block"
	// IgnoresExit does not block when a hook exits with code 2.
	IgnoresExit Lie = "ignores-exit"
	// Impatient waits at most a second for a hook, even if its timeout is longer.
	Impatient Lie = "impatient"
	// FiresTwice runs every hook twice for each call.
	FiresTwice Lie = "fires-twice"
	// Silent fires no events, although its settings have hooks.
	Silent Lie = "silent"
)

// Lies returns all lies.
func Lies() []Lie {
	return []Lie{
		RunsDenied, RunsDeniedInSecret, IgnoresOutput, FiresLate, FiresForShell, OtherVersion, SkipsSubagents, SwallowsStop,
		IgnoresAsk, IgnoresRewrite, DropsContext, IgnoresPromptBlock, IgnoresExit, Impatient, FiresTwice, Silent,
	}
}

// Version is the version of the zero Build, which is the build of Claude Code that it
// imitates. OtherVersions is the version that a build with OtherVersion prints.
const (
	Version       = "2.1.325"
	OtherVersions = "2.9.1"
)

// A Build is the configuration that is appended to the program file. The zero Build has no lies.
type Build struct {
	Version string `json:"version,omitempty"` // "" means [Version]
	Lies    []Lie  `json:"lies,omitempty"`
}

func (b Build) lies(l Lie) bool { return slices.Contains(b.Lies, l) }

func (b Build) version() string {
	if b.Version == "" {
		return Version
	}
	return b.Version
}

// magic is the suffix of a program file that has a Build appended.
const magic = "fakehost"

// Seal returns the bytes to append to the program file so that it runs as build b. Each build is then
// a file with different contents, as with real hosts. Seal returns an error if b has an unknown lie.
func Seal(b Build) ([]byte, error) {
	for _, l := range b.Lies {
		if !slices.Contains(Lies(), l) {
			return nil, fmt.Errorf("no lie %q", l)
		}
	}
	text, err := json.Marshal(b)
	if err != nil {
		return nil, err
	}
	text = binary.BigEndian.AppendUint32(text, uint32(len(text)))
	return append(text, magic...), nil
}

// readOwnBuild returns the build that is appended to the running program, or the zero Build if there
// is none.
func readOwnBuild() (Build, error) {
	path, err := os.Executable()
	if err != nil {
		return Build{}, err
	}
	f, err := os.Open(path)
	if err != nil {
		return Build{}, err
	}
	defer f.Close()
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return Build{}, err
	}
	end := make([]byte, 4+len(magic))
	if _, err := f.ReadAt(end, size-int64(len(end))); err != nil {
		return Build{}, err
	}
	if !bytes.HasSuffix(end, []byte(magic)) {
		return Build{}, nil
	}
	n := int64(binary.BigEndian.Uint32(end))
	var b Build
	return b, json.NewDecoder(io.NewSectionReader(f, size-int64(len(end))-n, n)).Decode(&b)
}
