"""Which forge a project's reviews are kept in."""

from pm_orchestrator.adapters.forges.local_review import LocalReviews
from pm_orchestrator.bootstrap.application import Application
from pm_orchestrator.ports.forge import Forge


def reviews_of(app: Application) -> Forge:
    """Local records, until a project's remote is a forge we can talk to."""
    return LocalReviews(app.paths.reviews, app.files)
