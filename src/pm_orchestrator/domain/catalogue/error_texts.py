"""One code, one meaning: every error with its sentence and its cure.

A slug is the name used in code; several slugs may share a code when they are
cases of the same meaning. Braces are filled from the error's parameters.
"""

from pm_orchestrator.domain.catalogue.argument_errors import ARGUMENT_ERRORS
from pm_orchestrator.domain.catalogue.error_text import ErrorText
from pm_orchestrator.domain.catalogue.provider_errors import PROVIDER_ERRORS
from pm_orchestrator.domain.catalogue.repl_errors import REPL_ERRORS
from pm_orchestrator.domain.catalogue.spending_errors import SPENDING_ERRORS
from pm_orchestrator.domain.catalogue.trust_errors import TRUST_ERRORS
from pm_orchestrator.domain.catalogue.work_errors import WORK_ERRORS
from pm_orchestrator.domain.catalogue.world_errors import WORLD_ERRORS

ERRORS: dict[str, ErrorText] = {
    **ARGUMENT_ERRORS,
    **REPL_ERRORS,
    **PROVIDER_ERRORS,
    **WORK_ERRORS,
    **SPENDING_ERRORS,
    **TRUST_ERRORS,
    **WORLD_ERRORS,
}
