package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/checkrein/checkrein/internal/agent/model"
)

// A Page is the response to a request for a URL.
type Page struct {
	Status int
	Type   string // the content type
	Body   []byte
	Cut    bool   // the body is incomplete
	Moved  string // its URL on another server; "" = it has not moved
}

const (
	defaultFetchTimeout = 30 * time.Second
	maxFetchTimeout     = 5 * time.Minute
	maxURLs             = 10
)

// fetchTools returns the tool that fetches web pages. It is not read-only, since a request sends data
// to a server.
func fetchTools(at Place, of *agentToolset) []Tool {
	return []Tool{{
		Definition: model.Definition{Name: "fetch", Description: "Fetch web pages by URL.",
			Parameters: json.RawMessage(`{"type":"object","properties":{"urls":{"type":"array","items":{"type":"string"}},"timeout":{"type":"integer","description":"seconds, 30 if not given"},"format":{"type":"string","enum":["text","markdown","html"],"description":"html leaves a page as it is"}},"required":["urls"]}`)},
		Category: "fetch",
		Run: func(ctx context.Context, input json.RawMessage) (string, error) {
			var in struct {
				URLs    []string `json:"urls"`
				Timeout int      `json:"timeout"`
				Format  string   `json:"format"`
			}
			if err := ParseArguments(input, &in); err != nil {
				return "", fmt.Errorf("arguments of fetch: %w", err)
			}
			if len(in.URLs) == 0 || len(in.URLs) > maxURLs {
				return "", fmt.Errorf("name 1 to %d URLs as urls", maxURLs)
			}
			limit := defaultFetchTimeout
			if of.Timeout > 0 {
				limit = of.Timeout
			}
			if in.Timeout > 0 {
				limit = time.Duration(in.Timeout) * time.Second
			}
			ctx, cancel := context.WithTimeout(ctx, min(limit, maxFetchTimeout))
			defer cancel()
			return fetchAll(ctx, at, of, in.URLs, in.Format == "html")
		},
	}}
}

// fetchAll fetches urls one by one and returns their texts. It returns an error only if all of them
// fail.
func fetchAll(ctx context.Context, at Place, of *agentToolset, urls []string, raw bool) (string, error) {
	var out []string
	var errs []error
	for _, u := range urls {
		text, err := fetchOne(ctx, at, of, u, raw)
		if err != nil {
			errs = append(errs, err)
			text = "failed: " + err.Error()
		}
		if len(urls) > 1 {
			text = u + "\n" + text
		}
		out = append(out, text)
	}
	if len(errs) == len(urls) {
		return "", errors.Join(errs...)
	}
	return strings.Join(out, "\n\n"), nil
}

// fetchOne fetches one page, unless the agent file forbids its host, and returns its status and text.
// If asIs is set, HTML is not converted to text.
func fetchOne(ctx context.Context, at Place, of *agentToolset, raw string, asIs bool) (string, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Hostname() == "" {
		return "", errors.New("not a valid URL: write https://host/path")
	}
	within := func(domain string) bool {
		host, d := strings.ToLower(strings.TrimSuffix(u.Hostname(), ".")), strings.ToLower(strings.TrimPrefix(domain, "*."))
		return host == d || strings.HasSuffix(host, "."+d)
	}
	if slices.ContainsFunc(of.Blocked, within) || len(of.Allowed) > 0 && !slices.ContainsFunc(of.Allowed, within) {
		return "", fmt.Errorf("the agent file does not allow this tool to fetch from %s", u.Hostname())
	}
	if at.Get == nil {
		return "", errors.New("this agent cannot reach the web")
	}
	p, err := at.Get(ctx, raw)
	if err != nil {
		return "", err
	}
	if p.Moved != "" {
		return "", fmt.Errorf("the page moved: fetch %s", p.Moved)
	}
	text := string(p.Body)
	switch {
	case strings.Contains(p.Type, "html") && !asIs:
		text = pageText(text)
	case !utf8.Valid(p.Body):
		text = fmt.Sprintf("(%d bytes of %s, not text)", len(p.Body), p.Type)
	}
	if p.Cut {
		text += "\n… (cut off)"
	}
	if p.Status >= 400 {
		return "", fmt.Errorf("status %d: %s", p.Status, text)
	}
	return fmt.Sprintf("status %d, %s:\n\n%s", p.Status, p.Type, text), nil
}

// pageText returns the text of page, an HTML document, without its markup.
func pageText(page string) string {
	var b strings.Builder
	for page != "" {
		text, rest, ok := strings.Cut(page, "<")
		b.WriteString(text)
		if !ok {
			break
		}
		if strings.HasPrefix(rest, "!--") {
			_, page, _ = strings.Cut(rest, "-->")
			continue
		}
		tag, after, _ := strings.Cut(rest, ">")
		page = after
		name := strings.ToLower(strings.TrimLeft(tag, "/"))
		if end := strings.IndexFunc(name, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }); end >= 0 {
			name = name[:end]
		}
		switch name {
		case "script", "style", "noscript", "svg", "head":
			if !strings.HasPrefix(tag, "/") && !strings.HasSuffix(tag, "/") {
				page = skipElement(page, name)
			}
		case "p", "div", "br", "li", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "section", "article", "table", "ul", "ol":
			b.WriteByte('\n')
		}
	}
	var lines []string
	for line := range strings.Lines(html.UnescapeString(b.String())) {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// skipElement returns what follows the end of the element name in page, or "" if the element has no
// end.
func skipElement(page, name string) string {
	lower := strings.ToLower(page)
	if len(lower) != len(page) { // a letter has another length in lower case
		lower = page
	}
	at := strings.Index(lower, "</"+name)
	if at < 0 {
		return ""
	}
	_, after, _ := strings.Cut(page[at:], ">")
	return after
}
