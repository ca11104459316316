"""Lines that are no instruction, although they look like one."""
