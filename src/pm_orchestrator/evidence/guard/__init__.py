"""Whether anything of ours was altered while others worked: sealed before, compared after."""
