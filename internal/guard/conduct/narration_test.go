package conduct

import "testing"

// narrationSentences announce the use of a tool, in replies that used none.
var narrationSentences = []string{
	"Running it now.",
	"Sure! Running the tests now…",
	"Sure. Running the tests now...",
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
	"Sure, running the tests.",
	"Sure, running the tests for you!",
	"Sure thing, running the test suite.",
	"Sure! Running the tests.",
	"Okay, deploying the app.",
	"OK — searching the codebase.",
	"Alright, running `make test`.",
	"Of course, checking the logs.",
	"Understood: restarting the server.",
	"No problem, installing the dependencies.",
	"On it, deploying the app.",
	"On it, deploying to production.",
	"On it, deploying v2 to staging.",
	"On it, deploying…",
	"Sure, deploying to staging.",
	"OK executing the script now.",
	"Sure, deploying…",
	"Will do, reading the file.",
	"Will do, reading the config.",
	"Will do, reading README.md.",
	"Will do, reading src/main.go now.",
	"Will do, reading the configuration first.",
	"Got it, opening internal/api/server.go",
	"Now running: `go test ./...`",
	"Let me run the tests:",
	"<tool_call>\n{\"name\":\"bash\"}\n</tool_call>",
}

// reportSentences report that a tool was used.
var reportSentences = []string{
	"I ran the tests and they all pass.",
	"I've run the test suite: 12 passed, 0 failed.",
	"I have successfully executed the script.",
	"I just ran `make test`, everything is green. Anything else?",
	"Done. I searched the web and found three pages.",
	"I've pushed the branch.",
	"I've gone ahead and installed the package.",
}

// innocentSentences are common in replies without tool use.
var innocentSentences = []string{
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
	"Sure, running the tests takes five minutes.",
	"Sure, running the tests locally works fine.",
	"Sure, running tests works.",
	"Sure, running the tests often helps.",
	"Sure, running a server costs money.",
	"Sure, running the tests before a push seems wise.",
	"Sure, I'll run the tests once you confirm.",
	"Sure, I can run the tests.",
	"Sure! Running the tests:\n```sh\nmake test\n```",
	"Sure! Here is a guide.\n\n## Running the tests\n\nUse make test.",
	"Sure!\n\n## Running the tests\n\nUse make test.",
	"Sure, running late again.",
	"Sure, reading the file you pasted, the bug is on line 3.",
	"Sure, deploying to production is one command: `make deploy`.",
	"Sure. Deploying to staging needs a token.",
	"Okay, searching for meaning is human.",
	"Okay, reading between the lines, you want a cache.",
	"Got it, looking forward to it.",
	"Got it, checking my understanding: you want a cache.",
	"Got it, reading your message again, I see what you mean.",
	"Understood, running the tests is your job.",
	"Of course, running the build needs Go 1.25.",
	"No problem, installing the package yourself is easy.",
	"Will do.",
	"Sure, which tests?",
	"Sure, running shoes.",
	"OK. Looking good!",
	"Sure, looking good!",
	"Okay, opening hours are 9 to 5.",
	"Okay, reading glasses.",
	"Sure, checking the box marks it as done.",
	"Sure, I'll run the tests next time.",
	"Of course, running the tests and reading the logs are two things.",
	"Sure, checking the logs would be my first step.",
	"Sure, running the tests with `make test` should do.",
	"On it, deploying to production requires your approval.",
	"Running the tests.",
}

func TestFindNarration(t *testing.T) {
	t.Parallel()
	for _, s := range narrationSentences {
		if findNarration(s, false) == "" || findNarration(s, true) == "" {
			t.Errorf("%q passes", s)
		}
	}
	for _, s := range reportSentences {
		if findNarration(s, false) == "" {
			t.Errorf("%q passes", s)
		}
		if got := findNarration(s, true); got != "" {
			t.Errorf("%q may be about an earlier run, but %q does not pass", s, got)
		}
	}
	for _, s := range innocentSentences {
		if got := findNarration(s, false); got != "" {
			t.Errorf("%q: %q does not pass", s, got)
		}
	}
}

func FuzzNarrates(f *testing.F) {
	for _, list := range [][]string{narrationSentences, reportSentences, innocentSentences, claimSentences, otherSentences} {
		for _, s := range list {
			f.Add(s)
		}
	}
	f.Fuzz(func(_ *testing.T, reply string) { // none of this may panic
		findNarration(reply, false)
		for _, c := range findClaims(splitSentences(reply), defaultClaimForms()) {
			_ = c.word
		}
		for _, ref := range findReferences(reply) {
			proves(reply, ref)
		}
	})
}
