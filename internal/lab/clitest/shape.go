package clitest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// opaque are keys whose values come from elsewhere, such as what an agent sent.
var opaque = []string{"json"}

// fieldName matches keys that are the names of fields. Others are data, such as the name of a row.
var fieldName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// Shape returns the keys and types of the JSON values in text: a sorted line for each path and type.
func Shape(text string) (string, error) {
	lines := map[string]bool{}
	for dec := json.NewDecoder(strings.NewReader(text)); ; {
		var v any
		if err := dec.Decode(&v); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return "", fmt.Errorf("%w in %.300q", err, text)
		}
		addShape(lines, "", v)
	}
	return strings.Join(slices.Sorted(maps.Keys(lines)), ""), nil
}

// addShape adds the lines of v, which is at path.
func addShape(lines map[string]bool, path string, v any) {
	kind := "null"
	switch v := v.(type) {
	case map[string]any:
		kind = "object"
		for key, value := range v {
			switch {
			case slices.Contains(opaque, key):
				lines[path+"."+key+" any\n"] = true
			case fieldName.MatchString(key):
				addShape(lines, path+"."+key, value)
			default:
				addShape(lines, path+".*", value)
			}
		}
	case []any:
		kind = "array"
		for _, value := range v {
			addShape(lines, path+"[]", value)
		}
	case string:
		kind = "string"
	case float64:
		kind = "number"
	case bool:
		kind = "boolean"
	}
	lines[path+" "+kind+"\n"] = true
}
