"""The words sent to models, one file per role."""
