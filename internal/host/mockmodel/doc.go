// Package mockmodel is a scripted model: a server on the loopback interface that implements Anthropic
// Messages, OpenAI Responses, OpenAI chat completions and Gemini, so that real agents can be run
// without a real model.
//
//	srv, err := mockmodel.Start(mockmodel.Script{Turns: []mockmodel.Turn{
//		{Calls: []mockmodel.Call{mockmodel.Shell("touch ran")}},
//		{Text: "all done"},
//	}})
//	// … run an agent against srv.URL() …
//	res, ok := srv.Record().Result(0, 0) // the result of that call that the model got
//
// A script uses checkrein's names of tools. Each request lists the tools that its agent offers; the
// server picks the matching one and takes the names of its arguments from its schema. So one script
// works with every agent. If an agent offers no matching tool, the server reports a problem.
//
// Agents also ask models for titles, topics and routes. Such a request offers no tools; the server
// answers it with a short text and without using a turn of the script.
//
// A turn may have a [Fault]: an HTTP error in the provider's own format, a stream that is cut off,
// garbled, silent or endless, or an answer that is empty, too long or a refusal. A fault may end after
// a number of tries:
//
//	{Fault: mockmodel.Fault{Kind: mockmodel.RateLimited, After: "1", Times: 2}, Text: "at last"}
//
// A turn's [Usage] is sent in the fields of each protocol.
//
// Every request is recorded, both as received and in a form common to all protocols.
package mockmodel
