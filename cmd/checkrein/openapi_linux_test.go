package main

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// A described is what an OpenAPI document says of a server's routes.
type described struct {
	t        *testing.T
	compiler *jsonschema.Compiler
	left     map[string]bool // routes of which no answer was checked
}

// readDescription reads an OpenAPI document, in which it forbids members that are not described.
func readDescription(t *testing.T, text string) *described {
	t.Helper()
	d := &described{t: t, compiler: jsonschema.NewCompiler(), left: map[string]bool{}}
	text = strings.ReplaceAll(text, `"type":"object"`, `"type":"object","unevaluatedProperties":false`)
	text = strings.ReplaceAll(text, `"additionalProperties":{"type":"string"},"type":"object","unevaluatedProperties":false`, `"additionalProperties":{"type":"string"},"type":"object"`)
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var is struct {
		Paths map[string]map[string]struct{ Summary string }
	}
	if err := json.Unmarshal([]byte(text), &is); err != nil {
		t.Fatal(err)
	}
	for path, methods := range is.Paths {
		for method, o := range methods {
			if d.left[method+" "+path] = true; o.Summary == "" {
				t.Errorf("%s %s has no description", method, path)
			}
		}
	}
	d.compiler.DefaultDraft(jsonschema.Draft2020)
	if err := d.compiler.AddResource("openapi.json", doc); err != nil {
		t.Fatal(err)
	}
	return d
}

// check checks that a route answers with a status and a body as described.
func (d *described) check(method, route string, want, status int, body string) {
	d.t.Helper()
	delete(d.left, method+" "+route)
	response := "default"
	if want == 200 {
		response = strconv.Itoa(want)
	}
	schema, err := d.compiler.Compile("openapi.json#/paths/" + strings.ReplaceAll(route, "/", "~1") + "/" + method + "/responses/" + response + "/content/application~1json/schema")
	if err != nil {
		d.t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(body))
	if err == nil {
		err = schema.Validate(v)
	}
	if err != nil || status != want {
		d.t.Errorf("%s %s: %d %s, want %d\n%v", method, route, status, body, want, err)
	}
}

// The routes of a session answer as its OpenAPI document describes.
func TestRunServeOpenAPI(t *testing.T) {
	t.Parallel()
	d := serveRun(t, servedAgent)
	d.waitFor(isIdle)
	token := "Authorization: Bearer " + d.token
	if status, _, _ := d.request("GET", "/openapi.json", ""); status != 401 {
		t.Errorf("without the token: %d", status)
	}
	_, text, _ := d.request("GET", "/openapi.json", "", token)
	doc := readDescription(t, text)
	for _, prefix := range []string{"/api/sessions", "/v1/sessions"} {
		call := func(want int, method, route, body string) {
			t.Helper()
			status, said, _ := d.request(method, prefix+strings.Replace(route, "{id}", d.id, 1), body, token)
			doc.check(strings.ToLower(method), prefix+route, want, status, said)
		}
		call(200, "GET", "", "")
		call(200, "POST", "/{id}/steer", `{"messages":[{"role":"user","content":"/hooks list"}]}`)
		call(400, "POST", "/{id}/steer", `{"messages":[]}`)
		call(200, "POST", "/{id}/followup", `{"messages":[{"content":"Run: rm -rf build"}]}`)
		q := d.waitFor(hasOnePending).Pending[0]
		call(200, "GET", "/{id}/status", "")
		call(400, "POST", "/{id}/resume", `{"id":"`+q.ID+`","confirmation":"perhaps"}`)
		call(200, "POST", "/{id}/resume", `{"id":"`+q.ID+`","confirmation":"reject"}`)
		d.waitFor(isIdle)
		call(200, "GET", "/{id}/status", "")
	}
	doc.check("get", "/openapi.json", 200, 200, "{}")
	if len(doc.left) > 0 {
		t.Errorf("routes that were not called: %v", doc.left)
	}
}
