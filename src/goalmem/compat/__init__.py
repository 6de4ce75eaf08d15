"""goalmem under the names and shapes of other memory systems, so that trying it is one changed import."""
