"""Host-side git, with hooks, filters and user configuration kept out."""
