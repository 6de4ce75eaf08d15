"""Finding the turns that say most about a query: signals, their fusion, and the indexes under them."""
