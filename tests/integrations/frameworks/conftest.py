"""Frameworks that cannot be installed beside the lock have stand-ins; where one is installed, its tests run against it."""

import os

from tests.integrations.frameworks.stand_ins import MAKERS, require

os.environ.setdefault("CREWAI_DISABLE_TELEMETRY", "true")
for package in MAKERS:
    require(package)
