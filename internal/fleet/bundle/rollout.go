package bundle

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// A Stage is how the machines of a rollout use its bundle.
type Stage string

const (
	Shadow  Stage = "shadow"  // beside the previous one, which is enforced
	Enforce Stage = "enforce" // instead of the previous one
)

// A Rollout is the content of rollout.json, which the hub signs: which bundles of the repository run
// where.
type Rollout struct {
	Active   string `json:"active"`   // the target path of a bundle; "" = none was rolled out yet
	Previous string `json:"previous"` // that of the bundle that the other machines run; "" = none
	Stage    Stage  `json:"stage"`
	Percent  int    `json:"percent"` // of the machines that are chosen
	Seed     string `json:"seed"`    // so that each rollout chooses other machines
	// Minimum is the lowest version of a bundle that may be enforced. A machine whose bundle is older
	// takes the active one, chosen or not.
	Minimum int64   `json:"minimum,omitempty"`
	Freeze  *Freeze `json:"freeze,omitempty"`
}

// A Freeze denies all tools on all machines until a time.
type Freeze struct {
	Until  time.Time `json:"until"`
	By     string    `json:"by"`
	Reason string    `json:"reason"`
}

// Chooses reports whether the machine with that ID is one of those on which the rollout has begun. A
// machine that is chosen stays so when the percentage grows.
func (r *Rollout) Chooses(machine string) bool {
	sum := sha256.Sum256([]byte(r.Seed + "\x00" + machine))
	return binary.BigEndian.Uint64(sum[:])%100 < uint64(max(r.Percent, 0))
}

// For returns the target paths of the bundle that a machine enforces and of the one that it tries in
// shadow mode. Either may be "".
func (r *Rollout) For(machine string) (active, trial string) {
	switch chosen := r.Chooses(machine); {
	case chosen && r.Stage == Enforce:
		return r.Active, ""
	case chosen:
		return r.Previous, r.Active
	}
	return r.Previous, ""
}

// check returns an error if r cannot have been meant. The function version returns the version of a
// bundle of the repository, or false if there is none at that path.
func (r *Rollout) check(version func(target string) (int64, bool)) error {
	for _, target := range []string{r.Active, r.Previous} {
		switch n, ok := version(target); {
		case target == "":
		case !ok:
			return fmt.Errorf("%s is not among the bundles that the release key signed", target)
		case n < r.Minimum && target == r.Active:
			return fmt.Errorf("%s is older than version %d, the minimum", target, r.Minimum)
		}
	}
	switch {
	case r.Stage != Shadow && r.Stage != Enforce && (r.Stage != "" || r.Active != ""):
		return fmt.Errorf("the stage %q is unknown", r.Stage)
	case r.Percent < 0 || r.Percent > 100:
		return fmt.Errorf("%d is not a percentage", r.Percent)
	case r.Active == "" && r.Previous != "":
		return errors.New("it has a previous bundle and no active one")
	}
	return nil
}

// parseRollout parses the content of rollout.json. Unknown members are ignored, so that a newer hub can
// add some.
func parseRollout(data []byte) (*Rollout, error) {
	var r Rollout
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, err
	}
	return &r, nil
}
