"""A store as a service: HTTP with server-sent events, MCP, and a page where people see the reasoning (docs/serve.md)."""
