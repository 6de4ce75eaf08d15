"""What a question asks: goals to prove, and what a search goes by."""
