package frame

import (
	"slices"
	"time"
)

// Calls is a list with the chips of its filters.
type Calls struct {
	List
	Path  string // of the page
	Chips []Chip
	Query string // of the address
	Text  string // that is searched for
	Clear string // the address without filters
	Next  string // the address of what follows; "" means nothing
	All   string // the address that turns events that are not calls on or off
	IsAll bool
}

// A Chip is a filter that can be turned on or off.
type Chip struct {
	Group, Value string
	On           bool
	Address      string
}

// NewCalls returns the list of q for the page at path.
func NewCalls(q *Query, found List, path string) Calls {
	f := Calls{List: found, Path: path, Query: q.Encode(), Text: q.Get(ByText), Clear: path, All: q.With(path, AllEvents, "1"), IsAll: q.Has(AllEvents)}
	if found.More != "" {
		next := Query{Values: cloneValues(q.Values)}
		next.Set(FromPlace, found.More)
		f.Next = "/rows?" + next.Encode()
	}
	for _, value := range Answers {
		f.Chips = append(f.Chips, q.chip(path, ByAnswer, value))
	}
	for _, name := range filters[1:] {
		values := slices.Clone(q.Values[name])
		for i := range found.Rows {
			value := map[string]string{ByHost: found.Rows[i].Host, ByProject: found.Rows[i].Project, ByMachine: found.Rows[i].Machine}[name]
			if value != "" && !slices.Contains(values, value) {
				values = append(values, value)
			}
		}
		slices.Sort(values)
		if name == ByProject && len(values) == 1 && !q.Has(ByProject) {
			values = nil // it is where everything happened
		}
		for _, value := range values {
			if name != ByText {
				f.Chips = append(f.Chips, q.chip(path, name, value))
			}
		}
	}
	return f
}

// chip returns the chip of a value of a parameter.
func (q *Query) chip(path, name, value string) Chip {
	return Chip{name, value, slices.Contains(q.Values[name], value), q.With(path, name, value)}
}

// cloneValues returns a copy of v.
func cloneValues(v map[string][]string) map[string][]string {
	out := map[string][]string{}
	for name, values := range v {
		out[name] = slices.Clone(values)
	}
	return out
}

// A Search is the data of the search page.
type Search struct {
	Feed  Calls
	Ages  []Chip
	Asked bool    // the person searched for something
	Took  float64 // in milliseconds
}

// NewSearch returns the data of a page with what was found for q since began.
func NewSearch(q *Query, found List, began time.Time) Search {
	data := Search{Feed: NewCalls(q, found, "/search"), Asked: q.IsFiltered(), Took: float64(time.Since(began).Microseconds()) / 1000}
	for _, age := range []string{"1h", "24h", "7d", "30d"} {
		c := *q
		c.Values = cloneValues(q.Values)
		if is := c.Get(BySince); is != age {
			c.Del(BySince)
		}
		data.Ages = append(data.Ages, c.chip("/search", BySince, age))
	}
	data.Feed.Chips = slices.DeleteFunc(data.Feed.Chips, func(c Chip) bool { return c.Group == BySince })
	return data
}
