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

// A Lie is a way in which the host does not do what it says.
type Lie string

// The lies, each with what the host does.
const (
	// RunsDenied receives a deny and runs the call, as if there had been none.
	RunsDenied Lie = "runs-denied"
	// RunsDeniedInSecret runs the call, and tells the model and the transcript that it
	// was denied: only what the call did tells.
	RunsDeniedInSecret Lie = "runs-denied-in-secret"
	// IgnoresOutput shows the model what the tool returned, not what replaced it.
	IgnoresOutput Lie = "ignores-output"
	// FiresLate asks hooks about a call when it has run.
	FiresLate Lie = "fires-late"
	// FiresForShell asks hooks about Bash and about no other tool.
	FiresForShell Lie = "fires-for-shell"
	// OtherVersion prints another version on the command line than to the model.
	OtherVersion Lie = "other-version"
	// SkipsSubagents fires nothing in sub-agents.
	SkipsSubagents Lie = "skips-subagents"
	// SwallowsStop fires Stop and SubagentStop, and stops whatever hooks say.
	SwallowsStop Lie = "swallows-stop"
	// IgnoresAsk runs what a person should be asked about.
	IgnoresAsk Lie = "ignores-ask"
	// IgnoresRewrite runs the call as the model wrote it.
	IgnoresRewrite Lie = "ignores-rewrite"
	// DropsContext hides from the model what hooks add.
	DropsContext Lie = "drops-context"
	// IgnoresPromptBlock sends the model a prompt that a hook blocked.
	IgnoresPromptBlock Lie = "ignores-prompt-block"
	// IgnoresExit takes no exit code of a hook for a block.
	IgnoresExit Lie = "ignores-exit"
	// Impatient waits a moment for a hook, whatever time it was given, and goes on.
	Impatient Lie = "impatient"
	// FiresTwice asks every hook twice about each call.
	FiresTwice Lie = "fires-twice"
	// Silent has hooks in its settings and fires nothing.
	Silent Lie = "silent"
)

// Lies returns all lies.
func Lies() []Lie {
	return []Lie{
		RunsDenied, RunsDeniedInSecret, IgnoresOutput, FiresLate, FiresForShell, OtherVersion, SkipsSubagents, SwallowsStop,
		IgnoresAsk, IgnoresRewrite, DropsContext, IgnoresPromptBlock, IgnoresExit, Impatient, FiresTwice, Silent,
	}
}

// Version is what an honest build of the zero Build is: the build of the real host that
// it is alike. OtherVersions is what a build with OtherVersion says that it is.
const (
	Version       = "2.1.325"
	OtherVersions = "2.9.1"
)

// A Build is what goes with the program. The zero Build is honest.
type Build struct {
	Version string `json:"version,omitempty"` // "" is Version
	Lies    []Lie  `json:"lies,omitempty"`
}

func (b Build) lies(l Lie) bool { return slices.Contains(b.Lies, l) }

func (b Build) version() string {
	if b.Version == "" {
		return Version
	}
	return b.Version
}

// magic ends a program that has a build.
const magic = "fakehost"

// Seal returns what goes behind the bytes of the program so that it is of a build. Each
// build is a file of its own then, as those of real hosts are.
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

// ownBuild reads the build that this program was sealed with.
func ownBuild() (Build, error) {
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
