"""Compute the Software Heritage identifier of a version, offline.

``python -m compendium.identity FOLDER`` prints that of a folder with an unpacked version, which
``git archive HEAD | tar -x -C FOLDER`` makes. It is Git's hash of a tree: of the modes, names and
hashes of all files and folders in it.
"""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path


def _hash(kind: str, content: bytes) -> bytes:
    """Return Git's hash of an object."""
    head = b"%s %d\0" % (kind.encode(), len(content))
    return hashlib.sha1(head + content, usedforsecurity=False).digest()


def _tree(folder: Path) -> bytes:
    """Return Git's hash of a folder. Git knows no empty folders."""
    lines = []
    for path in folder.iterdir():
        if path.is_symlink():
            mode, digest = b"120000", _hash("blob", os.fsencode(path.readlink()))
        elif path.is_dir():
            if not any(p.is_file() for p in path.rglob("*")):
                continue
            mode, digest = b"40000", _tree(path)
        else:
            mode = b"100755" if os.access(path, os.X_OK) else b"100644"
            digest = _hash("blob", path.read_bytes())
        name = os.fsencode(path.name)
        # Git sorts a folder as if its name ended with a slash.
        key = name + b"/" if mode == b"40000" else name
        lines.append((key, mode + b" " + name + b"\0" + digest))
    return _hash("tree", b"".join(line for _, line in sorted(lines)))


def identifier(folder: Path) -> str:
    """Return the identifier of a folder with all its files."""
    return f"swh:1:dir:{_tree(folder).hex()}"


if __name__ == "__main__":
    sys.stdout.write(f"{identifier(Path(sys.argv[1]))}\n")
