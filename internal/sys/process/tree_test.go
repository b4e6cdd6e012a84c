package process

import (
	"slices"
	"testing"
)

func TestID(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		in   string
		want ID
		ok   bool
	}{
		{"plain", "12:345", ID{12, 345}, true},
		{"start of zero", "1:0", ID{1, 0}, true},
		{"largest start", "7:18446744073709551615", ID{7, 1<<64 - 1}, true},
		{"start too large", "7:18446744073709551616", ID{}, false},
		{"empty", "", ID{}, false},
		{"no start", "12", ID{}, false},
		{"empty start", "12:", ID{}, false},
		{"no pid", ":5", ID{}, false},
		{"zero pid", "0:5", ID{}, false},
		{"negative pid", "-1:5", ID{}, false},
		{"sign", "+1:5", ID{}, false},
		{"leading zero", "01:5", ID{}, false},
		{"space", "1: 5", ID{}, false},
		{"more", "1:5:6", ID{}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := ParseID(tt.in)
			if got != tt.want || (err == nil) != tt.ok {
				t.Fatalf("ParseID(%q) = %v, %v", tt.in, got, err)
			}
			if tt.ok && got.String() != tt.in {
				t.Errorf("String() = %q, want %q", got, tt.in)
			}
		})
	}
}

func TestFamilyMembers(t *testing.T) {
	t.Parallel()
	e := func(pid, parent, pgrp int) entry {
		return entry{ID: ID{PID: pid}, parent: parent, pgrp: pgrp}
	}
	dead := e(15, 10, 10)
	dead.dead = true
	all := []entry{
		e(14, 13, 13), // listed before its parent
		e(1, 0, 1), e(5, 1, 5), e(6, 5, 6),
		e(10, 5, 10), e(11, 10, 10), e(12, 1, 10), e(13, 12, 13), dead,
		e(20, 1, 20), e(21, 20, 20),
	}
	tests := []struct {
		name  string
		known []entry
		want  []int
	}{
		{"group, orphans and their children", nil, []int{10, 11, 12, 13, 14}},
		{"with an orphan known before", []entry{e(20, 10, 20)}, []int{10, 11, 12, 13, 14, 20, 21}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got []int
			for _, m := range familyMembers(all, 10, tt.known) {
				got = append(got, m.PID)
			}
			slices.Sort(got)
			if !slices.Equal(got, tt.want) {
				t.Errorf("kin = %v, want %v", got, tt.want)
			}
		})
	}
}
