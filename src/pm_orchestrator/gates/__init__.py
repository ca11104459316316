"""May this pass? Rules that turn facts into verdicts; claims are never an input."""
