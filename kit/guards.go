package kit

import (
	"errors"
	"io/fs"
	"os"
	"strings"
)

// Guards says where the guards that are on by default are not as they come.
type Guards struct {
	Off     []string // packs that a file switched off
	Ignored []string // what projects' files say of packs to no effect
}

// Guards reports on the default guards.
func (k *Kit) Guards() Guards {
	return Guards{Off: k.packs.Off, Ignored: k.packs.Ignored}
}

// Lines says it for people, a line each; none when all is as it comes.
func (g *Guards) Lines() []string {
	var out []string
	if len(g.Off) > 0 {
		out = append(out, "packs that are off: "+strings.Join(g.Off, ", "))
	}
	return append(out, g.Ignored...)
}

// OthersOn is said once on a machine whose files were perhaps written when a list
// of packs switched the others off.
const OthersOn = "packs: in your files adjusts the packs that it names; the others are on too, with their usual policy (before, they were off). To switch one off: {name: NAME, off: true}"

// packNews is what the person must know about packs.
func (k *Kit) packNews() []string {
	var out []string
	for _, err := range k.packs.Unknown {
		out = append(out, err.Error())
	}
	out = append(out, k.packs.Ignored...)
	if k.NotToldOthersOn() {
		out = append(out, OthersOn)
		_ = k.state.Write(toldOthersOn, nil) // else it is said again
	}
	return out
}

const toldOthersOn = "told-packs"

// NotToldOthersOn reports whether a file names packs and nobody was told on this machine
// that the others are on too.
func (k *Kit) NotToldOthersOn() bool {
	if !k.packs.Adjusted || len(k.named) > 0 || k.state.Path() == "" {
		return false
	}
	_, err := os.Lstat(k.state.Path(toldOthersOn))
	return errors.Is(err, fs.ErrNotExist)
}
