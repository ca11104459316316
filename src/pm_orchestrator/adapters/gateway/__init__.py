"""The one endpoint all model traffic with our keys goes through."""
