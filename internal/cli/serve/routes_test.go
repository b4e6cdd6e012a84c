package serve

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/desk/page"
	"github.com/checkrein/checkrein/internal/sys/localhttp"
)

// TestRoutesAnswerAsDescribed checks that the answers of the routes that serve adds to those of package
// server have the members of the types from which the OpenAPI document is made, and no others.
func TestRoutesAnswerAsDescribed(t *testing.T) {
	t.Parallel()
	links := linkRoute(page.New(page.Options{Now: time.Now}), "http://localhost:8000")
	own := (&selfApprover{env: &console.Env{}}).route()
	for _, tt := range []struct {
		name   string
		route  localhttp.Route
		answer localhttp.Answer
	}{
		{"a link", links, links.Do(t.Context(), &localhttp.Request{Body: []byte(`{}`)})},
		{"an approval that a person must give", own, own.Do(t.Context(), &localhttp.Request{Peer: &localhttp.Peer{}, Body: []byte(`{"command":"make check"}`)})},
		{"an approval of nothing", own, unapprovedAnswer(errors.New("nothing is declared"))},
		{"a refused approval", own, own.Refuse(&localhttp.Refusal{})},
	} {
		is := tt.route.Doc.Out
		if tt.answer.Status >= 400 {
			is = tt.route.Doc.Refused
		}
		out := reflect.New(reflect.TypeOf(is))
		dec := json.NewDecoder(bytes.NewReader(tt.answer.Body))
		dec.DisallowUnknownFields()
		if err := dec.Decode(out.Interface()); err != nil {
			t.Errorf("%s: %s: %v", tt.name, tt.answer.Body, err)
		}
		text, _ := json.Marshal(out.Interface())
		var got, want map[string]any
		if json.Unmarshal(tt.answer.Body, &got) != nil || json.Unmarshal(text, &want) != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %s, want the members of %s", tt.name, tt.answer.Body, text)
		}
		if tt.route.Doc.About == "" || tt.route.Path == "" {
			t.Errorf("%s: the route is not described", tt.name)
		}
	}
}
