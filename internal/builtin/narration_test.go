package builtin

import "testing"

// What a reply says that used no tool at all.
var narrated = []string{
	"Running it now.",
	"Sure! Running the tests now…",
	"Running the test suite...",
	"OK, executing the script now.",
	"Let me run the tests.",
	"Let me run the full test suite. All 12 pass.",
	"Let me go ahead and run the migration.",
	"Let me check the file.",
	"Good question. Let me look at the logs.",
	"I'll run the tests now.",
	"I will now execute the command.",
	"I'm running the build.",
	"I'm searching the web for that now.",
	"Searching the web…",
	"I'm going to run `make test` now.",
	"**Running the linter now...**",
	"- Let me query the database.",
	"I’m running the test suite now.",
	"Checking now...",
	"Let me check that for you.",
	"One moment, running the query...",
	"I'm on it, running the tests now!",
	"On it, running the tests.",
	"On it — running the tests",
	"On it! Running the tests.",
	"On it. I'll run the tests.",
	"Sure, on it: checking the logs.",
	"I'm on it. Searching the web for the error.",
	"Will do. Running the migration.",
	"Got it, deploying the service.",
	"Now running: `go test ./...`",
	"Let me run the tests:",
	"<tool_call>\n{\"name\":\"bash\"}\n</tool_call>",
}

// What it reports as done.
var reported = []string{
	"I ran the tests and they all pass.",
	"I've run the test suite: 12 passed, 0 failed.",
	"I have successfully executed the script.",
	"I just ran `make test`, everything is green. Anything else?",
	"Done. I searched the web and found three pages.",
	"I've pushed the branch.",
	"I've gone ahead and installed the package.",
}

// What is said every day without a tool.
var innocent = []string{
	"",
	"Running the tests takes five minutes.",
	"Running this now would delete your data.",
	"Running a server is expensive... and slow.",
	"Let me know if I should run the tests.",
	"Let me run through the options with you.",
	"Let me explain how to run the tests.",
	"Let me check your code. The bug is on line 3: you never close the file.",
	"Let me look at the error you pasted. It means that the port is in use.",
	"I'll run the tests once you confirm.",
	"If you like, I'll run the tests now.",
	"I'll run the migration now. Shall I?",
	"I'll run the tests now. Which directory are they in?",
	"Should I run the tests now?",
	"Would you like me to run the build now?",
	"I can run the tests for you.",
	"You can run the tests with `make test`.",
	"To verify, run the tests now.",
	"I haven't run the tests.",
	"I did not run the tests, so I cannot say whether they pass.",
	"I could not run the command: it was denied.",
	"I ran the tests earlier and they passed.",
	"I ran the code in my head; it prints 4.",
	"I ran into a problem with your question.",
	"I'm running out of ideas.",
	"I'm running on a large language model.",
	"I'm building on what you said.",
	"If I ran the tests, they would fail.",
	"When I ran the numbers, they did not add up.",
	"You could answer: \"I ran the tests and they pass.\"",
	"> Running it now.\n\nThat sentence is a promise.",
	"```\nRunning the tests now...\n```\nThis is what it prints.",
	"```\n<tool_call>\n```",
	"Here is a draft for your standup:\n\nI ran the migration and deployed the service.",
	"Dear team,\nI deployed the service.",
	"The script is running now on the server.",
	"The job runs the tests now and then.",
	"Paris is the capital of France.",
	"I've written the function below; run the tests to check it.",
	"Tests: run them with `go test`.",
	"I read the file you pasted: it is fine.",
	"We ran the experiment in 2019.",
	"Let's build a server.\n\nFirst, create main.go.",
	"Let's run it:\n```sh\nmake\n```",
	"Next, let's install the dependencies:",
	"Let me run this by you.",
	"Let me read this carefully.",
	"Let me call it `foo`.",
	"I called the file main.go.",
	"I've built a script that does this.",
	"I compiled a list of files.",
	"I've scanned the code you pasted and found an issue.",
	"I've committed this to memory.",
	"I'm testing this hypothesis.",
	"Let me show how I would run the script:\n```\nsh a.sh\n```",
	"I'm building a project plan for you.",
	"Let me fetch this from context.",
	"On it depends a lot.",
	"On it.",
	"On it, running the tests is the first step.",
	"Got it. Running the tests takes five minutes.",
	"Got it, you want to run the tests.",
	"On it. Which tests shall I run?",
	"Will do, running the tests once you confirm.",
	"Running the tests.",
}

func TestNarrates(t *testing.T) {
	t.Parallel()
	for _, s := range narrated {
		if narrates(s, false) == "" || narrates(s, true) == "" {
			t.Errorf("%q passes", s)
		}
	}
	for _, s := range reported {
		if narrates(s, false) == "" {
			t.Errorf("%q passes", s)
		}
		if got := narrates(s, true); got != "" {
			t.Errorf("%q may be about an earlier run, but %q does not pass", s, got)
		}
	}
	for _, s := range innocent {
		if got := narrates(s, false); got != "" {
			t.Errorf("%q: %q does not pass", s, got)
		}
	}
}

func FuzzNarrates(f *testing.F) {
	for _, list := range [][]string{narrated, reported, innocent, claimed, unclaimed} {
		for _, s := range list {
			f.Add(s)
		}
	}
	f.Fuzz(func(_ *testing.T, reply string) { // none of this may panic
		narrates(reply, false)
		for _, c := range claimsIn(sentences(reply), claimWords) {
			_ = c.word
		}
		for _, ref := range referencesIn(reply) {
			proves(reply, ref)
		}
	})
}
