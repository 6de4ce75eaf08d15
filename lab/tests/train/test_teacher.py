import importlib.metadata
import io
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from goalmem.errors import ModelError
from goalmem_lab.train.teacher import WEIGHTS, teacher_parts, teacher_weights


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Packages that hold parts of an archive: `installed(content)` cuts it in five."""

    def install(content):
        for number in range(5):
            (tmp_path / f"mpnet.zip.00{number + 1}").write_bytes(content[number * 40 : (number + 1) * 40])

        def distribution(name):
            path = tmp_path / f"mpnet.zip.{name[-3:]}"
            return SimpleNamespace(files=[SimpleNamespace(name=path.name, locate=lambda: path)])

        monkeypatch.setattr(importlib.metadata, "distribution", distribution)

    return install


def test_without_its_packages_it_says_what_to_install(monkeypatch):
    def missing(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "distribution", missing)
    with pytest.raises(ModelError, match="part-001") as caught:
        teacher_parts()
    assert "goalmem-lab[teacher]" in str(caught.value.remedy)


def test_parts_are_found_in_order_and_other_weights_are_refused(installed):
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr(WEIGHTS, b"other")
    content = archive.getvalue()
    assert len(content) < 200
    installed(content)
    assert b"".join(Path(part).read_bytes() for part in teacher_parts()) == content
    with pytest.raises(ModelError, match="other weights"):
        teacher_weights()


def test_parts_that_are_no_archive_are_refused(installed):
    installed(b"x" * 200)
    with pytest.raises(ModelError, match="hold no"):
        teacher_weights()
