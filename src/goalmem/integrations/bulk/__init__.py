"""Bulk work: many conversations remembered, and benchmarks measured, by several processes or machines (docs/bulk.md).

The work is cut into partitions, each of whole spaces; an engine maps the same functions over them that one process runs: `LocalEngine`
in this process, `RayEngine` (extra `ray`) in workers of Ray Data.
"""

from goalmem.integrations.bulk.engine import Engine, LocalEngine
from goalmem.integrations.bulk.ingest import Ingest, Report, ingest

__all__ = ["Engine", "Ingest", "LocalEngine", "Report", "ingest"]
