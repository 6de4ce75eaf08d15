"""Search: signals that score turns for a query, their fusion, and the indexes for them."""
