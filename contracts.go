package checkrein

// An alias is the name of an event in another system's dialect.
type alias = struct{ Dialect, Name string }

// contracts is the table of events. A new event needs one more row here and one more Kind; everything
// that lists events uses this table.
var contracts = [NumKinds]Contract{
	Other: {
		Kind: Other, Name: "other", When: "the host fired an event for which checkrein has no contract", Layer: "lifecycle",
	},
	SessionStart: {
		Kind: SessionStart, Name: "session_start", When: "a session starts, resumes, is cleared or has been compacted", Layer: "lifecycle",
		Effects: CanAddContext, Context: "persisted", Plain: true,
		Fields:  []string{"source", "model", "args", "status"},
		Aliases: []alias{{"starchild", "on_session_start"}, {"hookmd", "session_start"}, {"hookmd", "pre-session"}, {"claude", "SessionStart"}},
	},
	SessionEnd: {
		Kind: SessionEnd, Name: "session_end", When: "a session has ended", Layer: "lifecycle", Final: true,
		Fields:  []string{"reason", "duration_seconds", "total_steps", "exit_reason", "status"},
		Aliases: []alias{{"starchild", "on_session_end"}, {"hookmd", "session_end"}, {"hookmd", "post-session"}, {"claude", "SessionEnd"}},
	},
	OnSessionResume: {
		Kind: OnSessionResume, Name: "on_session_resume", When: "the user agreed to continue past the iteration limit", Layer: "lifecycle",
		Fields: []string{"previous_max_iterations", "new_max_iterations"},
	},
	WorktreeCreate: {
		Kind: WorktreeCreate, Name: "worktree_create", When: "a new worktree was created, before its session exists", Layer: "lifecycle",
		Effects: CanDeny | CanAddContext, Context: "printed", DenyIs: "aborts the run", Plain: true,
		Fields:  []string{"worktree_path", "worktree_branch", "worktree_source_dir"},
		Aliases: []alias{{"claude", "WorktreeCreate"}},
	},
	UserPromptSubmit: {
		Kind: UserPromptSubmit, Name: "user_prompt_submit", When: "the user sent a message, before the model sees it", Layer: "lifecycle",
		Subject: SubjectText, Effects: CanDeny | CanRewriteOutput | CanAddContext, Context: "transient", DenyIs: "denies the prompt",
		Plain: true, Text: "prompt", Fields: []string{"channel"},
		Aliases: []alias{{"starchild", "on_user_message"}, {"hookmd", "before_agent"}, {"hookmd", "pre-agent-turn"}, {"claude", "UserPromptSubmit"}},
	},
	UserSteeringMessagesSubmit: {
		Kind: UserSteeringMessagesSubmit, Name: "user_steering_messages_submit", When: "messages sent while the agent was working are taken from the queue", Layer: "lifecycle",
		Effects: CanDeny | CanAddContext, Context: "transient", DenyIs: "stops the run", Plain: true,
		Fields: []string{"steering_messages", "channel"},
	},
	UserFollowupSubmit: {
		Kind: UserFollowupSubmit, Name: "user_followup_submit", When: "a queued follow-up starts a turn", Layer: "lifecycle",
		Subject: SubjectText, Effects: CanDeny | CanAddContext, Context: "transient", DenyIs: "stops the run", Plain: true, Text: "prompt",
		Fields: []string{"channel"},
	},
	TurnStart: {
		Kind: TurnStart, Name: "turn_start", When: "a turn starts: one model call and the tools it asks for", Layer: "lifecycle",
		Effects: CanAddContext, Context: "transient", Plain: true,
	},
	TurnEnd: {
		Kind: TurnEnd, Name: "turn_end", When: "a turn has ended, whatever ended it", Layer: "lifecycle", Final: true,
		Fields: []string{"reason"},
	},
	BeforeLLMCall: {
		Kind: BeforeLLMCall, Name: "before_llm_call", When: "the model is about to be called", Layer: "lifecycle",
		Subject: SubjectMessages, Effects: CanDeny | CanRewriteMessages | CanAddContext | CanHalt, Context: "transient", DenyIs: "stops the run",
		Fields:  []string{"iteration", "model_id", "messages", "system", "last_user_message"},
		Aliases: []alias{{"starchild", "pre_llm_call"}, {"claude", "BeforeModel"}},
	},
	AfterLLMCall: {
		Kind: AfterLLMCall, Name: "after_llm_call", When: "the model has answered, before the answer is recorded", Layer: "lifecycle",
		Subject: SubjectText, Effects: CanRewriteOutput | CanHalt, Text: "stop_response",
		Fields:  []string{"last_user_message", "model_id", "usage", "cost"},
		Aliases: []alias{{"starchild", "post_llm_call"}, {"claude", "AfterModel"}},
	},
	PreToolUse: {
		Kind: PreToolUse, Name: "pre_tool_use", When: "a tool is about to run", Layer: "tool", Subject: SubjectTool,
		Effects: CanAllow | CanAsk | CanDeny | CanRewriteInput | CanAddContext | CanHalt | CanAnnotate, Context: "transient",
		DenyIs: "denies the tool call", Closed: true, Fields: []string{"safety_policy"},
		Aliases: []alias{{"starchild", "pre_tool_call"}, {"hookmd", "before_tool"}, {"hookmd", "pre-tool-call"}, {"claude", "PreToolUse"}},
	},
	PermissionRequest: {
		Kind: PermissionRequest, Name: "permission_request", When: "the user is about to be asked to approve a tool call", Layer: "tool", Subject: SubjectTool,
		Effects: CanAllow | CanDeny | CanRewriteInput | CanAnnotate, DenyIs: "denies the tool call", Asks: true,
		Fields: []string{"safety_policy"}, Aliases: []alias{{"claude", "PermissionRequest"}},
	},
	OnToolApprovalDecision: {
		Kind: OnToolApprovalDecision, Name: "on_tool_approval_decision", When: "a tool call has been allowed, denied or canceled", Layer: "tool", Subject: SubjectTool,
		Fields: []string{"approval_decision", "approval_source", "safety_label"},
	},
	ToolResponseTransform: {
		Kind: ToolResponseTransform, Name: "tool_response_transform", When: "a tool has produced output, before anyone sees it", Layer: "tool", Subject: SubjectTool,
		Effects: CanRewriteOutput, Aliases: []alias{{"starchild", "transform_tool_result"}},
	},
	PostToolUse: {
		Kind: PostToolUse, Name: "post_tool_use", When: "a tool has run", Layer: "tool", Subject: SubjectTool,
		Effects: CanDeny | CanAddContext, Context: "transient", DenyIs: "stops the run", Plain: true,
		Aliases: []alias{{"starchild", "post_tool_call"}, {"hookmd", "after_tool"}, {"hookmd", "post-tool-call"}, {"claude", "PostToolUse"}},
	},
	PostToolUseFailure: {
		Kind: PostToolUseFailure, Name: "post_tool_use_failure", When: "a tool has failed", Layer: "tool", Subject: SubjectTool,
		Effects: CanDeny | CanAddContext, Context: "transient", DenyIs: "stops the run", Fields: []string{"error"},
		Aliases: []alias{{"hookmd", "after_tool_failure"}, {"hookmd", "post-tool-call-failure"}, {"claude", "PostToolUseFailure"}},
	},
	OnResponseEnd: {
		Kind: OnResponseEnd, Name: "on_response_end", When: "the final reply is complete, before it is shown", Layer: "lifecycle", Subject: SubjectText,
		Effects: CanRewriteOutput, Text: "stop_response", Fields: []string{"model_id", "usage", "cost", "tokens", "tool_names", "stop_hook_active"},
		Aliases: []alias{{"starchild", "on_response_end"}, {"hookmd", "after_agent"}, {"hookmd", "post-agent-turn"}},
	},
	Stop: {
		Kind: Stop, Name: "stop", When: "the agent is about to stop", Layer: "lifecycle", Subject: SubjectText,
		Effects: CanDeny | CanRedo | CanAddContext, Context: "transient", DenyIs: "keeps the agent working", Plain: true, Text: "stop_response",
		Fields:  []string{"last_user_message", "tool_names", "stop_hook_active", "stop_reason", "step_count", "final_message"},
		Aliases: []alias{{"starchild", "on_stop"}, {"hookmd", "before_stop"}, {"hookmd", "pre-agent-turn-stop"}, {"claude", "Stop"}},
	},
	OnCompletionClaim: {
		Kind: OnCompletionClaim, Name: "on_completion_claim", When: "the agent claims that it has reached its goal", Layer: "lifecycle", Subject: SubjectText,
		Effects: CanDeny | CanRedo, DenyIs: "keeps the agent working", Text: "stop_response", Fields: []string{"goal", "summary", "tool_names"},
		Aliases: []alias{{"starchild", "on_completion_claim"}},
	},
	OnOutboundMessage: {
		Kind: OnOutboundMessage, Name: "on_outbound_message", When: "a message is about to be sent to a user or a service", Layer: "boundary", Subject: SubjectText,
		Effects: CanDeny | CanRewriteOutput, DenyIs: "holds the message back", Closed: true, Text: "message", Fields: []string{"type", "channel"},
		Aliases: []alias{{"starchild", "on_outbound_message"}},
	},
	SubagentStart: {
		Kind: SubagentStart, Name: "subagent_start", When: "a sub-agent is about to start", Layer: "lifecycle",
		Effects: CanDeny | CanAddContext, Context: "transient", DenyIs: "keeps the sub-agent from starting",
		Fields:  []string{"subagent_name", "subagent_type", "task_description", "parent_session_id"},
		Aliases: []alias{{"hookmd", "subagent_start"}, {"hookmd", "pre-subagent"}, {"claude", "SubagentStart"}},
	},
	SubagentStop: {
		Kind: SubagentStop, Name: "subagent_stop", When: "a sub-agent is about to stop", Layer: "lifecycle", Subject: SubjectText,
		Effects: CanDeny | CanRedo, DenyIs: "keeps the sub-agent working", Text: "stop_response",
		Fields:  []string{"subagent_name", "subagent_type", "task_description", "parent_session_id", "stop_hook_active"},
		Aliases: []alias{{"hookmd", "subagent_stop"}, {"hookmd", "post-subagent"}, {"claude", "SubagentStop"}},
	},
	OnAgentSwitch: {
		Kind: OnAgentSwitch, Name: "on_agent_switch", When: "another agent takes over", Layer: "lifecycle",
		Fields: []string{"from_agent", "to_agent", "agent_switch_kind", "from_agent_models"},
	},
	PreCompact: {
		Kind: PreCompact, Name: "pre_compact", When: "the conversation is about to be compacted", Layer: "lifecycle",
		Effects: CanDeny | CanAddContext, Context: "guidance", DenyIs: "skips the compaction", Plain: true, Fields: []string{"source"},
		Aliases: []alias{{"hookmd", "pre_compact"}, {"hookmd", "pre-context-compact"}, {"claude", "PreCompact"}},
	},
	BeforeCompaction: {
		Kind: BeforeCompaction, Name: "before_compaction", When: "a compaction with known token counts is about to run", Layer: "lifecycle",
		Effects: CanDeny | CanSummarize, DenyIs: "skips the compaction",
		Fields: []string{"input_tokens", "output_tokens", "context_limit", "compaction_reason"},
	},
	AfterCompaction: {
		Kind: AfterCompaction, Name: "after_compaction", When: "a summary has replaced the conversation", Layer: "lifecycle", Subject: SubjectText, Text: "summary",
		Fields:  []string{"source", "input_tokens", "output_tokens", "context_limit", "compaction_reason"},
		Aliases: []alias{{"hookmd", "post-context-compact"}, {"claude", "PostCompact"}},
	},
	OnUserInput: {
		Kind: OnUserInput, Name: "on_user_input", When: "the agent is waiting for the user", Layer: "lifecycle",
	},
	Notification: {
		Kind: Notification, Name: "notification", When: "the agent reports an error or a warning", Layer: "lifecycle", Subject: SubjectText, Text: "notification_message",
		Fields: []string{"notification_level", "notification_type"}, Aliases: []alias{{"claude", "Notification"}},
	},
	OnError: {
		Kind: OnError, Name: "on_error", When: "a turn failed", Layer: "lifecycle", Subject: SubjectText, Text: "notification_message",
		Fields: []string{"notification_level"},
	},
	OnMaxIterations: {
		Kind: OnMaxIterations, Name: "on_max_iterations", When: "the iteration limit was reached", Layer: "lifecycle", Subject: SubjectText, Text: "notification_message",
		Fields: []string{"notification_level"},
	},
	PreCommit: {
		Kind: PreCommit, Name: "pre_commit", When: "git is about to record a commit", Layer: "boundary",
		Effects: CanDeny, DenyIs: "denies the commit", Closed: true, Fields: []string{"files", "findings"},
	},
	PrePush: {
		Kind: PrePush, Name: "pre_push", When: "git is about to push commits", Layer: "boundary",
		Effects: CanDeny, DenyIs: "denies the push", Closed: true, Fields: []string{"remote", "refs", "commits", "findings"},
	},
	Scrub: {
		Kind: Scrub, Name: "scrub", When: "text is scrubbed before it is passed on", Layer: "boundary", Subject: SubjectText,
		Effects: CanDeny | CanRewriteOutput, DenyIs: "holds the text back", Closed: true, Text: "text", Fields: []string{"path", "findings"},
	},
}
