"""Records laid out for people: text out, nothing printed."""
