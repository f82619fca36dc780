"""AgentCore: quotas, session costs and sign-in state of a university's AI chat, in six tables."""
