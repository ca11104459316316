"""The tools of a worker's model, and what stands between them and its commands."""
