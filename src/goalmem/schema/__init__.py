"""What is answered, described once: `models` says which fields there are, `rows` writes and reads them."""
