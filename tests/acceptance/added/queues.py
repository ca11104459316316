"""A bus to be added: the file bus, in a place that the user names."""

from typing_extensions import override

from pm_orchestrator.adapters.queues.file_queue import FileQueue
from pm_orchestrator.ports.adapter import AdapterSite, Needs
from pm_orchestrator.ports.message_queue import MessageQueue, QueueFactory

PLACE = "ADDED_BUS"


class Added(QueueFactory):
    @property
    @override
    def needs(self) -> Needs:
        return Needs(variables=(PLACE,))

    @override
    def open(self, site: AdapterSite) -> MessageQueue:
        return FileQueue(site.directory / site.variables[PLACE], site.clock, site.ids)
