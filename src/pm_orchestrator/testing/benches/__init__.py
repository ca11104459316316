"""Projects and parts put together for tests to work on."""
