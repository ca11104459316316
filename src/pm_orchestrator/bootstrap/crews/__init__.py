"""Who works on a task, put together out of technologies: one executor, or a company."""
