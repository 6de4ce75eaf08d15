"""Requests made up from the OpenAPI document, fitting and not."""

from __future__ import annotations

import pytest

from goalmem.language import Analyzer
from goalmem.serve.auth import Scope
from tests.cases import examples

from .conftest import TOLD, listening

schemathesis = pytest.importorskip("schemathesis")

EXAMPLES = examples(1, 2)
"""Of each call; `benchmarks/serve_schema.py` makes more."""


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # schemathesis and what it uses warn of themselves
@pytest.mark.parametrize("keyed", [False, True], ids=["without keys", "with a key"])
def test_generated_requests_find_nothing(analyzer: Analyzer, keyed: bool):
    from hypothesis import HealthCheck, given, settings
    from schemathesis.checks import not_a_server_error
    from schemathesis.specs.openapi.checks import (
        content_type_conformance,
        response_headers_conformance,
        response_schema_conformance,
        status_code_conformance,
    )

    with listening(analyzer, serve_rate=1e6) as (service, port):
        service.memory.add(TOLD, at="2024-05-08T18:00:00")
        headers = {}
        if keyed:
            _, text = service.keys.add("generated", Scope.ADMIN, ["*"])
            headers = {"Authorization": f"Bearer {text}"}
        schema = schemathesis.openapi.from_url(f"http://127.0.0.1:{port}/openapi.json")
        checks = [
            not_a_server_error,
            status_code_conformance,
            content_type_conformance,
            response_schema_conformance,
            response_headers_conformance,
        ]
        for result in schema.get_all_operations():
            operation = result.ok()
            if not keyed and operation.path == "/v1/keys" and operation.method == "post":
                continue  # from the first key on, what follows would need it

            @settings(EXAMPLES, suppress_health_check=list(HealthCheck))
            @given(case=operation.as_strategy())
            def tried(case) -> None:
                case.call_and_validate(headers=headers, checks=checks, timeout=120)

            tried()
