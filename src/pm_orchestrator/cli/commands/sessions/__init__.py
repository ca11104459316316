"""Commands about sessions, the conversation among them."""
