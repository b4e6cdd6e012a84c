// Package mockmodel is a model that says what a script tells it to: a server on
// loopback that speaks Anthropic Messages, OpenAI Responses, OpenAI chat
// completions and Gemini, so that real agents can be run without a real model.
//
//	srv, err := mockmodel.Start(mockmodel.Script{Turns: []mockmodel.Turn{
//		{Calls: []mockmodel.Call{mockmodel.Shell("touch ran")}},
//		{Text: "all done"},
//	}})
//	// … run an agent against srv.URL() …
//	res, ok := srv.Record().Result(0, 0) // what the model was told of that call
//
// A script names tools in checkrein's words. Each request lists the tools that
// its agent offers; the server picks the one that is meant, and takes the names
// of its arguments from its schema. So one script serves every agent, and a
// tool that is not offered is a problem that shows, not a call into the void.
//
// Agents also ask for titles, topics and routes. Such a request offers no
// tools; it gets a short text and takes no turn of the script.
//
// A turn may have a [Fault]: an HTTP error in the provider's own shape, a stream that
// is cut, garbled, silent or without end, an answer that is empty, too long or a
// refusal. A fault may pass after a number of tries:
//
//	{Fault: mockmodel.Fault{Kind: mockmodel.RateLimited, After: "1", Times: 2}, Text: "at last"}
//
// A turn's [Usage] is told in the fields of each protocol.
//
// Everything that arrives is recorded, whole and in a common form.
package mockmodel
