// Package honoured checks, from the records of a session, whether its host used rewritten results and
// calls as hooks left them. It needs no transcript, since the host's own later events show it.
//
//   - A secret that hooks removed from a result appears in text that only the model writes: the
//     arguments of a call, an answer, a summary. Then the model received the original result,
//     unless something else in the session contained the secret too.
//   - The event after a call that hooks rewrote has the original arguments.
//
// Secrets are compared by the digits in their markers, which the records contain, even for words of
// prompts that may be secrets. No text is quoted.
package honoured
