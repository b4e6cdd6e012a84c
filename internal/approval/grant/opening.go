package grant

import "slices"

// An Opening is a part of the walls that a person opens for programs.
type Opening struct {
	Programs []string `json:"programs"`
	What     string   `json:"what"` // one of the constants below, or a path that they may change
}

// Parts of the walls.
const (
	OpenNetwork = "network"
	OpenSockets = "sockets" // unix sockets
	OpenOutside = "outside" // all of it: the programs run outside
)

// Openings returns what people opened in the session or project of c.
func (s *Store) Openings(c *Call) ([]Opening, error) {
	if !s.MayHaveGrants() {
		return nil, nil
	}
	list, err := s.validGrants()
	var out []Opening
	for i := range list {
		if g := &list[i]; g.Opens != nil && g.appliesTo(c) {
			out = append(out, *g.Opens)
		}
	}
	return out, err
}

// OpenFor returns the parts that list opens for all of programs.
func OpenFor(list []Opening, programs []string) []string {
	var out []string
	for i := range list {
		what := list[i].What
		if slices.Contains(out, what) || len(programs) == 0 {
			continue
		}
		shut := slices.ContainsFunc(programs, func(program string) bool {
			return !slices.ContainsFunc(list, func(o Opening) bool {
				return (o.What == what || o.What == OpenOutside) && slices.Contains(o.Programs, program)
			})
		})
		if !shut {
			out = append(out, what)
		}
	}
	return out
}
