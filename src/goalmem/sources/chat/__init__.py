"""What a chat model reads, checked against the cited words and recorded."""
