"""The user's own repository: what we read there, and the little we write."""
