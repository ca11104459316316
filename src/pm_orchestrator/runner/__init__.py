"""The authority: sessions, the seven phases, and the verdict."""
