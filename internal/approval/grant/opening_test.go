package grant

import (
	"slices"
	"testing"
)

func TestOpenFor(t *testing.T) {
	t.Parallel()
	list := []Opening{{[]string{"npm"}, OpenNetwork}, {[]string{"make", "npm"}, OpenSockets}, {[]string{"make"}, OpenOutside}, {[]string{"npm"}, "/srv/out"}}
	for _, tt := range []struct{ programs, want []string }{
		{[]string{"npm"}, []string{OpenNetwork, OpenSockets, "/srv/out"}},
		{[]string{"make"}, []string{OpenNetwork, OpenSockets, OpenOutside, "/srv/out"}},
		{[]string{"make", "npm"}, []string{OpenNetwork, OpenSockets, "/srv/out"}},
		{[]string{"npm", "go"}, nil},
		{nil, nil},
	} {
		if got := OpenFor(list, tt.programs); !slices.Equal(got, tt.want) {
			t.Errorf("%v: got %v, want %v", tt.programs, got, tt.want)
		}
	}
}
