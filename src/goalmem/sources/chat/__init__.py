"""What a chat model reads, held to the words cited and kept on record."""
