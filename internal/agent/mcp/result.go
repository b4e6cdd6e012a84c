package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// resultText returns the text of res for the model. Other content is described, but not sent. If the
// tool failed, the text is in the error.
func resultText(res *sdk.CallToolResult) (string, error) {
	if res.NeedsInput() {
		return "", errors.New("the server asked the user or the model for more (elicitation, sampling), which is not supported here: call the tool with all its arguments")
	}
	var parts []string
	for _, c := range res.Content {
		if s := contentText(c); s != "" {
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
		text = "the tool failed without a message"
	}
	return "", errors.New(text)
}

// contentText returns the text of c, or a description if c is not text.
func contentText(c sdk.Content) string {
	switch c := c.(type) {
	case *sdk.TextContent:
		return c.Text
	case *sdk.ImageContent:
		return describeMedia("an image", c.MIMEType, len(c.Data))
	case *sdk.AudioContent:
		return describeMedia("a recording", c.MIMEType, len(c.Data))
	case *sdk.ResourceLink:
		if c.Name == "" {
			return cleanText(c.URI, maxError)
		}
		return fmt.Sprintf("[%s](%s)", strings.ReplaceAll(cleanText(c.Name, maxStderr), "]", `\]`), strings.ReplaceAll(cleanText(c.URI, maxError), ")", "%29"))
	case *sdk.EmbeddedResource:
		return resourceText(c.Resource)
	case nil:
		return ""
	}
	return fmt.Sprintf("(content of an unknown kind: %T)", c)
}

func resourceText(r *sdk.ResourceContents) string {
	switch {
	case r == nil:
		return ""
	case r.Blob != nil:
		return describeMedia("the file "+cleanText(r.URI, maxError), r.MIMEType, len(r.Blob))
	}
	return "=== " + cleanText(r.URI, maxError) + " ===\n" + r.Text
}

// describeMedia describes content that is not text: what it is, its MIME type and its size.
func describeMedia(what, kind string, size int) string {
	if kind = cleanText(kind, maxName); kind != "" {
		kind = " of type " + kind
	}
	return fmt.Sprintf("(%s%s, %d bytes, not shown)", what, kind, size)
}
