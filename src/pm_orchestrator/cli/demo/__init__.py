"""The demo: a sample project, a cassette, and what is shown of the run."""
