"""Other people's programs: frameworks, memories, exports, interfaces, and bulk work; one system a file."""
