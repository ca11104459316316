"""pm-orchestrator: agents claim, the Runner decides, every decision leaves a receipt."""

# A literal, because asking importlib.metadata costs more than the whole `--version` budget.
__version__ = "0.1.0"
