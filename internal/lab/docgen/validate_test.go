package docgen

import (
	"bytes"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// compileSchema returns a function that validates JSON against a schema. The test fails if the schema
// is invalid.
func compileSchema(t *testing.T, schema []byte) func(instance []byte) error {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return func(instance []byte) error {
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(instance))
		if err != nil {
			return err
		}
		return s.Validate(value)
	}
}
