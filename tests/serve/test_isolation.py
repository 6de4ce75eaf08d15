"""Nothing crosses spaces over HTTP: a state machine over two of them."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from .conftest import Serve, key_for
from .isolation import SESSIONS, SPACES, Isolation

spaces, sessions, numbers = st.sampled_from(SPACES), st.sampled_from(SESSIONS), st.integers(0, 30)


def test_two_spaces_never_see_each_other(serve: Serve):
    client = serve(serve_rate=1e6)
    client.service.runner.start = lambda job: None
    keys = {space: key_for(client, space) for space in SPACES}

    class TwoSpaces(RuleBasedStateMachine):
        def __init__(self) -> None:
            super().__init__()
            for space in SPACES:
                client.post("/v1/forget", json={"everything": True}, headers=keys[space])
            self.run = Isolation(client, keys)

        @rule(space=spaces, session=sessions, chosen=numbers, once=st.booleans())
        def add(self, **given: Any) -> None:
            self.run.add(**given)

        @rule(space=spaces, chosen=numbers)
        def upload(self, **given: Any) -> None:
            self.run.upload(**given)

        @rule(space=spaces, chosen=numbers)
        def state_rule(self, **given: Any) -> None:
            self.run.state_rule(**given)

        @rule(space=spaces, chosen=numbers)
        def remove_rule(self, **given: Any) -> None:
            self.run.remove_rule(**given)

        @rule(space=spaces, chosen=numbers)
        def forget_turn(self, **given: Any) -> None:
            self.run.forget_turn(**given)

        @rule(space=spaces, session=sessions)
        def forget_session(self, **given: Any) -> None:
            self.run.forget_session(**given)

        @rule(space=spaces)
        def forget_everything(self, **given: Any) -> None:
            self.run.forget_everything(**given)

        @rule(space=spaces, chosen=numbers)
        def look(self, **given: Any) -> None:
            self.run.look(**given)

        @rule(space=spaces, chosen=numbers)
        def ask(self, **given: Any) -> None:
            self.run.ask(**given)

        @rule(space=spaces, chosen=numbers)
        def intrude(self, **given: Any) -> None:
            self.run.intrude(**given)

        @invariant()
        def spaces_are_listed_apart(self) -> None:
            for space in SPACES:
                assert set(self.run.call(space, "GET", "/v1/spaces", 200).json()["items"]) <= {space}

    run_state_machine_as_test(
        TwoSpaces,
        settings=settings(
            max_examples=4, stateful_step_count=30, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )
