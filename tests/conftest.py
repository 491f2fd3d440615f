"""What several files of tests share."""

import os
import shutil
from collections import Counter

import pytest
from hypothesis import settings

# How long an example takes says nothing of whether it is right. `make test` asks the same examples
# each time: it never fails by chance. HYPOTHESIS_PROFILE=free asks others, once a week.
settings.register_profile("fixed", deadline=None, derandomize=True)
settings.register_profile("free", deadline=None, max_examples=500)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fixed"))


def pytest_collection_modifyitems(items):
    """Begin with the file that makes the real book, and with those that have most slow tests.

    The package's tests fill the time until the book is there for those that look at it. Quick
    ones even out the end.
    """
    slow = Counter(item.path for item in items if item.get_closest_marker("slow"))
    looks = {item.path for item in items if "real_book" in getattr(item, "fixturenames", ())}

    def turn(path):
        if path in looks:
            return 0 if path.name == "test_book.py" else 3
        if slow[path]:
            return 1
        return 2 if path.parent.name == "package" else 4

    items.sort(key=lambda item: (turn(item.path), -slow[item.path]))


@pytest.fixture(scope="session")
def browser():
    """A headless Chromium, installed on this machine."""
    programs = ("chromium", "chromium-browser", "google-chrome")
    path = next(filter(None, map(shutil.which, programs)), None)
    if path is None:
        pytest.skip("no Chromium on this machine")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        # The sandbox needs rights that containers do not have.
        program = playwright.chromium.launch(
            executable_path=path, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        yield program
        program.close()


@pytest.fixture(scope="session")
def real_book(tmp_path_factory):
    """The folder of the real book, computed with few replicates: made by one worker, for all."""
    import fcntl  # which Windows lacks

    from compendium import ROOT
    from trees import call

    run = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        run = run.parent
    with (run / "real-book").open("a+") as made:
        fcntl.flock(made, fcntl.LOCK_EX)
        made.seek(0)
        if not made.read():
            for program in ("execute", "book"):
                ran = call(ROOT, program, "--quick")
                assert ran.returncode == 0, ran.stdout + ran.stderr
            made.write("yes")
    return ROOT / "_build" / "quick"


@pytest.fixture(scope="session")
def real_address(real_book):
    """Where the real book is served on this machine."""
    from sites import serve

    yield from serve(real_book / "html")


@pytest.fixture(scope="module")
def window(browser):
    """One page for many tests: each new one would compile the book's scripts again."""
    window = browser.new_page()
    yield window
    window.close()


@pytest.fixture
def tab(window):
    """The page, as if it were new."""
    window.goto("about:blank")
    window.set_viewport_size({"width": 1280, "height": 720})
    window.emulate_media(media="null", color_scheme="null")
    return window


@pytest.fixture
def plain(browser):
    """A page of a browser without scripts."""
    with browser.new_context(java_script_enabled=False) as context:
        yield context.new_page()
