// Package mockmodel is a scripted model: a server on loopback that implements Anthropic Messages,
// OpenAI Responses, OpenAI chat completions and Gemini, so that real agents can be run without a real
// model.
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
// serves every agent, and a tool that is not offered is reported as a problem.
//
// Agents also ask for titles, topics and routes. Such a request offers no tools; it gets a short text
// and takes no turn of the script.
//
// A turn may have a [Fault]: an HTTP error in the provider's own format, a stream that is cut,
// garbled, silent or endless, or an answer that is empty, too long or a refusal. A fault may end after
// a number of tries:
//
//	{Fault: mockmodel.Fault{Kind: mockmodel.RateLimited, After: "1", Times: 2}, Text: "at last"}
//
// A turn's [Usage] is sent in the fields of each protocol.
//
// Every request is recorded, as it came and in a common form.
package mockmodel
