"""What a project needs beside its own files: found on the host, and seen in every sandbox."""
