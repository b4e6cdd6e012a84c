package loosening

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/hook/setting"
)

// wallItem begins the items about walls: walls_contain=unknown, walls_network=true, walls_sockets=true
// and walls_write=PATH.
const wallItem = "walls_"

// listWalls returns the items in which w is looser than managed.
func listWalls(w, managed *setting.Walls) []string {
	var out []string
	if w.Contain == setting.ContainUnknown && managed.Contain == setting.ContainUnset {
		out = append(out, wallItem+"contain=unknown")
	}
	if w.Network && !managed.Network {
		out = append(out, wallItem+"network=true")
	}
	if w.Sockets && !managed.Sockets {
		out = append(out, wallItem+"sockets=true")
	}
	for _, path := range w.Write {
		if !slices.Contains(managed.Write, path) {
			out = append(out, wallItem+"write="+path)
		}
	}
	return out
}

// restrictWalls removes from w what neither managed nor accepted loosens.
func restrictWalls(w, managed *setting.Walls, accepted []string) {
	for _, item := range listWalls(w, managed) {
		if slices.Contains(accepted, item) {
			continue
		}
		switch key, val, _ := strings.Cut(strings.TrimPrefix(item, wallItem), "="); key {
		case "contain":
			w.Contain = setting.ContainUnset
		case "network":
			w.Network = false
		case "sockets":
			w.Sockets = false
		case "write":
			w.Write = slices.DeleteFunc(slices.Clone(w.Write), func(path string) bool { return path == val })
		}
	}
}
