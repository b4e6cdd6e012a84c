// Package docs holds the pages of the documentation that belong to this build. Only the
// companion links them.
package docs

import "embed"

// Pages are those for people who use checkrein, by path.
//
//go:embed *.md guides/*.md hosts/*.md reference/*.md
var Pages embed.FS
