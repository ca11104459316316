"""`python -m pm_orchestrator` is the same program as the installed command."""

from pm_orchestrator.cli.main import main

if __name__ == "__main__":
    main()
