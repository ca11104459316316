"""The world, one file per technology. Only bootstrap names these modules."""
