package frame

import "encoding/json"

// A Plot is a figure, as the script draws it.
type Plot struct {
	X      []int64  `json:"x"` // seconds
	Series []Series `json:"series"`
	Unit   string   `json:"unit"`
}

// A Series is a line of a plot. A nil value is a gap.
type Series struct {
	Label  string     `json:"label"`
	Limit  bool       `json:"limit,omitempty"` // it is a limit of the others
	Values []*float64 `json:"values"`
}

// JSON returns the plot for the script.
func (p *Plot) JSON() (string, error) {
	out, err := json.Marshal(p)
	return string(out), err
}
