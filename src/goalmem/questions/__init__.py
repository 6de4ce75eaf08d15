"""What a question asks: goals to prove, and features to search by."""
