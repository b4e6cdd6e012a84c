package hostlab

import "testing"

func TestNearest(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, wanted string
		served       []string
		want         string
	}{
		{"itself", "1.2.3", []string{"1.2.2", "1.2.3", "1.2.4"}, "1.2.3"},
		{"the newest below", "1.10.0", []string{"1.2.0", "1.9.9", "1.9.10", "1.11.0", "2.0.0"}, "1.9.10"},
		{"the oldest above", "1.0.0", []string{"3.0.0", "1.0.1", "2.0.0"}, "1.0.1"},
		{"no suffix", "1.2.3", []string{"1.2.3-beta.1", "1.2.3+x", "1.1.0"}, "1.1.0"},
		{"nothing", "1.2.3", []string{"latest", "1.2", "-1.0.0"}, ""},
		{"no version", "latest", []string{"1.2.3"}, ""},
	}
	for _, tt := range tests {
		if got, ok := nearest(tt.wanted, tt.served); got != tt.want || ok != (tt.want != "") {
			t.Errorf("%s: %q, %v, want %q", tt.name, got, ok, tt.want)
		}
	}
}
