package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// textOf is what a model reads of a result. What is no text is named, and not sent.
func textOf(res *sdk.CallToolResult) (string, error) {
	if res.NeedsInput() {
		return "", errors.New("the server asked the user or the model for more (elicitation, sampling), which is not supported here: call the tool with all its arguments")
	}
	var parts []string
	for _, c := range res.Content {
		if s := part(c); s != "" {
			parts = append(parts, strings.ToValidUTF8(s, "\uFFFD"))
		}
	}
	if len(parts) == 0 && res.StructuredContent != nil {
		out, err := json.Marshal(res.StructuredContent)
		if err != nil {
			return "", fmt.Errorf("the server's answer: %w", err)
		}
		parts = append(parts, string(out))
	}
	text := strings.Join(parts, "\n")
	if !res.IsError {
		return text, nil
	}
	if text == "" {
		text = "the tool failed without saying why"
	}
	return "", errors.New(text)
}

func part(c sdk.Content) string {
	switch c := c.(type) {
	case *sdk.TextContent:
		return c.Text
	case *sdk.ImageContent:
		return media("an image", c.MIMEType, len(c.Data))
	case *sdk.AudioContent:
		return media("a recording", c.MIMEType, len(c.Data))
	case *sdk.ResourceLink:
		if c.Name == "" {
			return clean(c.URI, maxTold)
		}
		return fmt.Sprintf("[%s](%s)", strings.ReplaceAll(clean(c.Name, maxSaid), "]", `\]`), strings.ReplaceAll(clean(c.URI, maxTold), ")", "%29"))
	case *sdk.EmbeddedResource:
		return resource(c.Resource)
	case nil:
		return ""
	}
	return fmt.Sprintf("(content of an unknown kind: %T)", c)
}

func resource(r *sdk.ResourceContents) string {
	switch {
	case r == nil:
		return ""
	case r.Blob != nil:
		return media("the file "+clean(r.URI, maxTold), r.MIMEType, len(r.Blob))
	}
	return "=== " + clean(r.URI, maxTold) + " ===\n" + r.Text
}

// media names what is no text.
func media(what, kind string, size int) string {
	if kind = clean(kind, maxName); kind != "" {
		kind = " of type " + kind
	}
	return fmt.Sprintf("(%s%s, %d bytes, not shown)", what, kind, size)
}
