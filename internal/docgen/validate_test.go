package docgen

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// compile returns a check of JSON texts against a schema.
func compile(t *testing.T, schema []byte) func(instance []byte) error {
	t.Helper()
	var root map[string]any
	if err := json.Unmarshal(schema, &root); err != nil {
		t.Fatal(err)
	}
	v := validator{root: root}
	v.known(t, root)
	return func(instance []byte) error {
		var value any
		if err := json.Unmarshal(instance, &value); err != nil {
			return err
		}
		return v.check(root, value, "$")
	}
}

// A validator knows the part of JSON Schema that the generator uses. A keyword
// that it does not know fails the test rather than being passed over.
type validator struct{ root map[string]any }

var annotations = []string{"$schema", "$id", "$comment", "$defs", "title", "description"}

// known fails the test for keywords that check would pass over.
func (v *validator) known(t *testing.T, schema any) {
	t.Helper()
	s, ok := schema.(map[string]any)
	if !ok {
		if _, ok := schema.(bool); !ok {
			t.Errorf("%v is no schema", schema)
		}
		return
	}
	for word, arg := range s {
		switch word {
		case "properties", "patternProperties", "$defs":
			for _, sub := range arg.(map[string]any) {
				v.known(t, sub)
			}
		case "allOf", "anyOf":
			for _, sub := range arg.([]any) {
				v.known(t, sub)
			}
		case "not", "if", "then", "else", "items", "additionalProperties":
			v.known(t, arg)
		case "$ref":
			if v.find(arg.(string)) == nil {
				t.Errorf("%s leads nowhere", arg)
			}
		default:
			if _, ok := keywords[word]; !ok && !slices.Contains(annotations, word) {
				t.Errorf("the test's validator does not know %q", word)
			}
		}
	}
}

func (v *validator) find(ref string) any {
	return v.root["$defs"].(map[string]any)[strings.TrimPrefix(ref, "#/$defs/")]
}

// keywords are the assertions that need no other schema.
var keywords = map[string]func(arg, value any) bool{
	"const": reflect.DeepEqual,
	"enum": func(arg, value any) bool {
		return slices.ContainsFunc(arg.([]any), func(a any) bool { return reflect.DeepEqual(a, value) })
	},
	"type": func(arg, value any) bool {
		if one, ok := arg.(string); ok {
			arg = []any{one}
		}
		return slices.ContainsFunc(arg.([]any), func(a any) bool { return isType(a.(string), value) })
	},
	"minimum":       func(arg, value any) bool { n, ok := value.(float64); return !ok || n >= arg.(float64) },
	"maximum":       func(arg, value any) bool { n, ok := value.(float64); return !ok || n <= arg.(float64) },
	"minLength":     func(arg, value any) bool { s, ok := value.(string); return !ok || utf8.RuneCountInString(s) >= int(arg.(float64)) },
	"minItems":      func(arg, value any) bool { l, ok := value.([]any); return !ok || len(l) >= int(arg.(float64)) },
	"minProperties": func(arg, value any) bool { m, ok := value.(map[string]any); return !ok || len(m) >= int(arg.(float64)) },
	"required": func(arg, value any) bool {
		m, ok := value.(map[string]any)
		return !ok || !slices.ContainsFunc(arg.([]any), func(k any) bool { _, has := m[k.(string)]; return !has })
	},
}

func isType(name string, value any) bool {
	switch v := value.(type) {
	case nil:
		return name == "null"
	case bool:
		return name == "boolean"
	case string:
		return name == "string"
	case float64:
		return name == "number" || name == "integer" && v == math.Trunc(v)
	case []any:
		return name == "array"
	}
	return name == "object"
}

// check returns the first thing that is wrong with value.
func (v *validator) check(schema, value any, at string) error {
	s, ok := schema.(map[string]any)
	if !ok {
		if schema == false {
			return fmt.Errorf("%s: must not be there", at)
		}
		return nil
	}
	for word, assert := range keywords {
		if arg, has := s[word]; has && !assert(arg, value) {
			return fmt.Errorf("%s: %v violates %s: %v", at, value, word, arg)
		}
	}
	for _, err := range []error{v.combined(s, value, at), v.members(s, value, at)} {
		if err != nil {
			return err
		}
	}
	if items, has := s["items"]; has {
		list, _ := value.([]any)
		for i, e := range list {
			if err := v.check(items, e, fmt.Sprintf("%s[%d]", at, i)); err != nil {
				return err
			}
		}
	}
	return nil
}

// combined checks the keywords that apply other schemas to the same value.
func (v *validator) combined(s map[string]any, value any, at string) error {
	if ref, has := s["$ref"]; has {
		if err := v.check(v.find(ref.(string)), value, at); err != nil {
			return err
		}
	}
	all, _ := s["allOf"].([]any)
	for _, sub := range all {
		if err := v.check(sub, value, at); err != nil {
			return err
		}
	}
	if options, has := s["anyOf"].([]any); has {
		var errs []error
		for _, sub := range options {
			errs = append(errs, v.check(sub, value, at))
		}
		if !slices.Contains(errs, nil) {
			return fmt.Errorf("%s: none of %v", at, errs)
		}
	}
	if sub, has := s["not"]; has && v.check(sub, value, at) == nil {
		return fmt.Errorf("%s: %v is what it must not be", at, value)
	}
	if cond, has := s["if"]; has {
		branch := "then"
		if v.check(cond, value, at) != nil {
			branch = "else"
		}
		if sub, has := s[branch]; has {
			return v.check(sub, value, at)
		}
	}
	return nil
}

// members checks the keywords about an object's members.
func (v *validator) members(s map[string]any, value any, at string) error {
	obj, ok := value.(map[string]any)
	if !ok {
		return nil
	}
	properties, _ := s["properties"].(map[string]any)
	patterns, _ := s["patternProperties"].(map[string]any)
	for name, val := range obj {
		sub, matched := properties[name]
		subs := []any{sub}
		for p, ps := range patterns {
			if regexp.MustCompile(p).MatchString(name) {
				subs, matched = append(subs, ps), true
			}
		}
		if rest, has := s["additionalProperties"]; has && !matched {
			subs = append(subs, rest)
		}
		for _, sub := range subs {
			if err := v.check(sub, val, at+"."+name); err != nil {
				return err
			}
		}
	}
	return nil
}
