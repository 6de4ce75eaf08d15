"""A chat model is contacted when one is set, with the key that is its own, and not otherwise."""

import subprocess
import sys

import pytest
from tests.models.endpoint import says, serving

from goalmem.errors import InputError
from goalmem.models.chat import ChatRequest, Prices
from goalmem.models.connect import connect_chat, prices_of
from goalmem.settings import Settings, load_settings


def test_without_an_address_there_is_no_chat_model(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-somebody")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    assert connect_chat(load_settings()) is None
    assert connect_chat(load_settings(chat_model="m", chat_key="k", chat_url=" ")) is None


def test_what_is_set_is_what_is_asked(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-for-openai-alone")
    with serving(says("Paris")) as endpoint:
        monkeypatch.setenv("GOALMEM_CHAT_URL", endpoint.url)
        monkeypatch.setenv("GOALMEM_CHAT_MODEL", "small")
        for key in ("", "sk-mine"):
            monkeypatch.setenv("GOALMEM_CHAT_KEY", key)
            model = connect_chat(load_settings())
            assert model is not None
            assert model.reply(ChatRequest("answer", "", "Capital of France?")).text == "Paris"
            model.close()
    assert [asked.headers.get("authorization") for asked in endpoint.asked] == [None, "Bearer sk-mine"]


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("https://api.openai.com/v1", "sk-openai"),
        ("http://api.openai.com/v1", ""),
        ("https://api.openai.com.evil.example/v1", ""),
        ("https://evil.example/api.openai.com", ""),
    ],
)
def test_the_key_of_openai_goes_to_openai_alone(url: str, key: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-openai")
    model = connect_chat(Settings(chat_url=url, chat_model="m"))
    assert model is not None
    assert model._endpoint.key == key


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"chat_url": "localhost"}, "GOALMEM_CHAT_URL"),
        ({"chat_url": "http://[oops"}, "GOALMEM_CHAT_URL"),
        ({"chat_model": ""}, "GOALMEM_CHAT_MODEL"),
        ({"chat_key": "ключ"}, "GOALMEM_CHAT_KEY"),
    ],
)
def test_what_cannot_be_used_names_the_setting(settings: dict[str, str], named: str):
    with pytest.raises(InputError, match=named):
        connect_chat(Settings(**{"chat_url": "http://127.0.0.1:1/v1", "chat_model": "m", **settings}))


def test_prices_may_be_set_or_not():
    assert prices_of(Settings()) is None
    assert prices_of(Settings(chat_price_in=0.15)) == Prices(0.15, 0.0)
    assert prices_of(Settings(chat_price_in=0.15, chat_price_out=0.6)) == Prices(0.15, 0.6)


def test_connecting_imports_no_client_before_the_first_call():
    program = (
        "import sys\n"
        "from goalmem.models.connect import connect_chat\n"
        "from goalmem.settings import Settings\n"
        "model = connect_chat(Settings(chat_url='http://127.0.0.1:1/v1', chat_model='m'))\n"
        "print(model.name, [m for m in ('openai', 'stamina', 'httpx2', 'pydantic') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "m at 127.0.0.1:1/v1 []"
