"""What remains of tasks: logs, sessions, reports."""
