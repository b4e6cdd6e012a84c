package conduct

import (
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/lab/norace"
)

// claimSentences are sentences that need evidence.
var claimSentences = []string{
	"Published! community.example.com/my-app",
	"✅ Published",
	"**Published:** https://example.com/p/1",
	"Posted to AgentX /post/123",
	"Reminder scheduled.",
	"Reminder scheduled for 9am.",
	"Your reminder has been scheduled for tomorrow.",
	"Done — published to https://example.com/a.",
	"Done! Successfully deployed to production.",
	"I've published your article.",
	"I have now posted it to the feed.",
	"I just scheduled the task for you. Anything else?",
	"I wrote the article and published it.",
	"I've gone ahead and posted the update.",
	"I’ve uploaded the video.",
	"The article has been published successfully.",
	"Your post is now published!",
	"It is now live at https://example.com/x.",
	"Great news! Your site has been deployed to https://example.com.",
	"Scheduled a reminder for Monday.",
	"Post published: https://example.com/p/9",
	"Email sent to Bob!",
	"Posted!",
	"Scheduled ✅",
	"It's published!",
	"It's been published.",
	"Your app is live! https://example.com/a",
	"Task scheduled successfully",
	"✅ Posted to AgentX: /post/99",
}

// otherSentences are offers, plans, questions and descriptions.
var otherSentences = []string{
	"I can publish it for you.",
	"I'll publish it once you confirm.",
	"Would you like me to have it published?",
	"Shall I get it posted?",
	"Have I published it? Post scheduled?",
	"It will be published tomorrow.",
	"It can be scheduled for 9am.",
	"Once published, it appears at https://example.com/x.",
	"Ready to be published whenever you are.",
	"I have not published it yet.",
	"I haven't posted anything.",
	"The post was not published: the request failed.",
	"If I published it now, the link would break.",
	"Published in 2019, the book sold well.",
	"Published by O'Reilly.",
	"Published: 2019-05-01",
	"The paper was published in Nature.",
	"The paper has been published in Nature.",
	"Posted speed limits are 50 km/h.",
	"Posted on March 3 by Alice.",
	"Scheduled tasks run every hour.",
	"Your meeting is scheduled for Friday at 10.",
	"The request is sent to the server.",
	"Once the email has been sent, the queue is empty.",
	"You published it last week.",
	"She posted a photo.",
	"Users have posted 40 comments.",
	"- Draft\n- Published\n- Archived",
	"## Published",
	"| Published | 3 |",
	"I've posted the code below.",
	"Set `status` to `published`.",
	"The button says \"Published!\".",
	"```\nPublished!\n```",
	"> Posted to AgentX",
	"Here's a draft:\n\nI've published my first article!",
	"Here is what you could write:\nPosted to the feed!",
	"Dear Bob,\nI've sent the form.",
	"All posts published before 2020 are gone.",
	"Want it scheduled for 9am? Say the word.",
	"To see it published, run `make publish`.",
	"It is published weekly.",
	"We live at the sea.",
	"The server is live and well.",
	"Sent to the client, the token expires.",
	"Posted to production, the bug would crash it.",
	"Emails sent to the list bounce.",
	"A message sent to the queue.",
	"It has been sent to the server.",
	"It's now sent to the server as JSON.",
	"The message has been sent, so the lock is released.",
	"The job is now scheduled by cron.",
	"Packages published to npm",
	"Events:\n- Posted to X: fired on a post",
	"Scheduled for release in May.",
}

func TestClaims(t *testing.T) {
	t.Parallel()
	for _, s := range claimSentences {
		if len(findClaims(splitSentences(s), defaultClaimForms())) != 1 {
			t.Errorf("%q claims nothing", s)
		}
	}
	for _, s := range otherSentences {
		if got := findClaims(splitSentences(s), defaultClaimForms()); len(got) != 0 {
			t.Errorf("%q claims %q", s, got[0].word)
		}
	}
}

// TestProseIsLinear checks that reading a reply of any length and content does not take long.
func TestProseIsLinear(t *testing.T) {
	norace.SkipUnderRace(t)
	t.Parallel()
	for _, piece := range []string{"“", "`", "\"", "published ", "I've published and ", "🎉\n", "Running ", "**", "/a ", "```\n", "a.b/c. ", "\x01", "\xff", "— "} {
		text := strings.Repeat(piece, 1<<20/len(piece))
		findNarration(text, false)
		findClaims(splitSentences(text), defaultClaimForms())
		findReferences(text)
	}
}

func TestMaskQuotes(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"a `b` \"c\" “d” e":   "a ... ... ....... e",
		"a ` b":               "a ` b",
		"a “ b \"c\"":         "a “ b ...",
		"``":                  "..",
		"\"a\"\"b\"":          "......",
		"\"it's `quoted`\" x": "............... x",
	} {
		if got := strings.ReplaceAll(maskQuotes(line), string(maskByte), "."); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}
