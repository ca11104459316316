"""Proof: what was done, recorded so that anybody can check it later."""
