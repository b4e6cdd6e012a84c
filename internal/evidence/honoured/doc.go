// Package honoured checks by the records of a session whether its host used rewritten
// results and calls as hooks left them. No transcript is needed: the host's own later
// events show it.
//
//   - A secret that hooks took out of a result comes back in what only the model writes: the
//     arguments of a call, an answer, a summary. Then the model was given the result as it
//     was, unless something else in the session had the secret too.
//   - The event after a call that hooks rewrote has the arguments from before.
//
// Secrets are compared by the digits in their markers, which the records have, also for the
// words of prompts that may be secrets. No text is quoted.
package honoured
