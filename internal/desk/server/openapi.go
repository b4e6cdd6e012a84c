package server

import (
	"cmp"
	"context"
	"encoding"
	"encoding/json"
	"net/http"
	"path"
	"reflect"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/desk/feed"
	"github.com/checkrein/checkrein/internal/sys/build"
	"github.com/checkrein/checkrein/internal/sys/localhttp"
)

// An Outcome is the answer to an event, as eval --json prints it. Members that are missing mean that
// nothing was asked for.
type Outcome struct {
	Decision        string            `json:"decision,omitempty"` // allow, ask or deny
	Reason          string            `json:"reason,omitempty"`
	Answer          string            `json:"answer,omitempty"` // saved, contained, asked or denied
	Card            *Card             `json:"card,omitempty"`
	UpdatedInput    json.RawMessage   `json:"updated_input,omitempty"`
	UpdatedOutput   json.RawMessage   `json:"updated_output,omitempty"`
	UpdatedMessages json.RawMessage   `json:"updated_messages,omitempty"`
	Context         []string          `json:"context,omitempty"`
	Notices         []string          `json:"notices,omitempty"`
	Halt            bool              `json:"halt,omitempty"`
	Redo            *Redo             `json:"redo,omitempty"`
	Summary         string            `json:"summary,omitempty"`
	Metadata        map[string]string `json:"metadata,omitempty"`
	Dropped         []Dropped         `json:"dropped,omitempty"`
	Ignored         []string          `json:"ignored,omitempty"`
	Canceled        bool              `json:"canceled,omitempty"`
	Steps           []map[string]any  `json:"steps,omitempty"`
	Why             []map[string]any  `json:"why,omitempty"` // with explain=true
}

// A Card is a reason split into a sentence and a command.
type Card struct {
	Sentence string `json:"sentence,omitempty"`
	Command  string `json:"command,omitempty"`
}

// A Redo keeps the agent going.
type Redo struct {
	Reason  string `json:"reason,omitempty"`
	Attempt int    `json:"attempt"`
	Limit   int    `json:"limit"`
}

// A Dropped is an effect that the event does not have.
type Dropped struct {
	Hook   string `json:"hook"`
	Effect string `json:"effect"`
	Why    string `json:"why"`
}

// An Error is the answer to a request that is refused.
type Error struct {
	Error  string `json:"error"`
	Remedy string `json:"remedy,omitempty"`
	// Decision is deny for events that cannot be judged.
	Decision string `json:"decision,omitempty"`
	Reason   string `json:"reason,omitempty"`
}

// streamParams describes the parameters of streams.
func streamParams() (all []localhttp.Param) {
	for _, p := range feed.Parameters() {
		all = append(all, localhttp.Param{Name: p.Name, About: p.About})
	}
	return append(all, localhttp.Param{Name: "since", About: "begin at this time"}, localhttp.Param{Name: "after", About: "begin after the record with this number"})
}

// showOpenAPI answers with the description of all routes.
func (s *Server) showOpenAPI(context.Context, *localhttp.Request) localhttp.Answer {
	return DescribeRoutes("checkrein serve", s.routes)
}

// DescribeRoutes answers with the OpenAPI document for routes.
func DescribeRoutes(title string, routes []localhttp.Route) localhttp.Answer {
	return jsonAnswer(http.StatusOK, describe(title, routes))
}

type object = map[string]any

// describe returns the OpenAPI document for routes.
func describe(title string, routes []localhttp.Route) object {
	d := describer{schemas: object{}, types: map[string]reflect.Type{}}
	paths := map[string]object{}
	for i := range routes {
		r := &routes[i]
		if paths[r.Path] == nil {
			paths[r.Path] = object{}
		}
		paths[r.Path][strings.ToLower(r.Method)] = d.operation(r)
	}
	return object{
		"openapi":    "3.1.0",
		"info":       object{"title": title, "version": build.Version},
		"paths":      paths,
		"components": object{"schemas": d.schemas, "securitySchemes": object{"token": object{"type": "http", "scheme": "bearer"}}},
	}
}

// A describer describes routes, and the types that they use once.
type describer struct {
	schemas object
	types   map[string]reflect.Type // by the names of their schemas
}

// operation returns the description of r.
func (d *describer) operation(r *localhttp.Route) object {
	params := []object{}
	for part := range strings.SplitSeq(r.Path, "/") {
		if name, ok := strings.CutPrefix(part, "{"); ok {
			params = append(params, object{"name": strings.TrimSuffix(name, "}"), "in": "path", "required": true, "schema": object{"type": "string"}})
		}
	}
	for _, p := range r.Doc.Query {
		params = append(params, object{"name": p.Name, "in": "query", "description": p.About, "schema": object{"type": "string"}})
	}
	kind := cmp.Or(r.Doc.Type, "application/json")
	if r.Stream != nil {
		kind = "text/event-stream"
	}
	answer := object{}
	if r.Doc.Out != nil {
		answer = d.schema(reflect.TypeOf(r.Doc.Out))
	}
	refused := d.schema(reflect.TypeFor[Error]())
	if r.Doc.Refused != nil {
		refused = d.schema(reflect.TypeOf(r.Doc.Refused))
	}
	content := func(kind string, schema object) object { return object{kind: object{"schema": schema}} }
	o := object{
		"summary":    r.Doc.About,
		"parameters": params,
		"responses": object{
			"200":     object{"description": "done", "content": content(kind, answer)},
			"default": object{"description": "refused", "content": content("application/json", refused)},
		},
	}
	if r.Method == http.MethodPost {
		body := object{"type": "object"}
		if r.Doc.In != nil {
			body = d.schema(reflect.TypeOf(r.Doc.In))
		}
		o["requestBody"] = object{"required": true, "content": content("application/json", body)}
	}
	if r.Token {
		o["security"] = []object{{"token": []string{}}}
	}
	return o
}

var (
	jsonMarshaler = reflect.TypeFor[json.Marshaler]()
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
)

// schema returns the JSON schema of values of type t, as package json encodes them.
func (d *describer) schema(t reflect.Type) object {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return object{"type": "string", "format": "date-time"}
	case t.Implements(jsonMarshaler), t.Kind() == reflect.Interface:
		return object{}
	case t.Implements(textMarshaler), t.Kind() == reflect.String, t == reflect.TypeFor[[]byte]():
		return object{"type": "string"}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return d.schema(t.Elem())
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Float32, reflect.Float64:
		return object{"type": "number"}
	case reflect.Slice, reflect.Array:
		return object{"type": "array", "items": d.schema(t.Elem())}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": d.schema(t.Elem())}
	case reflect.Struct:
		return d.structSchema(t)
	}
	return object{"type": "integer"}
}

// structSchema returns the schema of a struct: a reference, if it has a name.
func (d *describer) structSchema(t reflect.Type) object {
	name := t.Name()
	if other := d.types[name]; other != nil && other != t {
		name = path.Base(t.PkgPath()) + "." + name
	}
	ref := object{"$ref": "#/components/schemas/" + name}
	if d.types[name] != nil {
		return ref
	}
	if name != "" {
		d.types[name] = t // before its members, for types that contain themselves
	}
	members, required := object{}, []string{}
	for _, f := range reflect.VisibleFields(t) {
		member, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || member == "-" || f.Anonymous && member == "" {
			continue
		}
		member = cmp.Or(member, f.Name)
		members[member] = d.schema(f.Type)
		if strings.Contains(options, "omit") || isInOptional(t, f) {
			continue
		}
		required = append(required, member)
		if k := f.Type.Kind(); k == reflect.Slice || k == reflect.Pointer {
			members[member] = object{"anyOf": []object{d.schema(f.Type), {"type": "null"}}}
		}
	}
	s := object{"type": "object", "properties": members, "required": required}
	if name == "" {
		return s
	}
	d.schemas[name] = s
	return ref
}

// isInOptional reports whether f, a field of t, is a field of an embedded pointer.
func isInOptional(t reflect.Type, f reflect.StructField) bool {
	return len(f.Index) > 1 && t.Field(f.Index[0]).Type.Kind() == reflect.Pointer
}
