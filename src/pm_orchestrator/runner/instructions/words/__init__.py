"""The words by which an instruction is understood, and how text is prepared for them."""
