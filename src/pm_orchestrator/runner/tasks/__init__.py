"""The use cases: what a person can do with tasks, each a function over an opened project."""
