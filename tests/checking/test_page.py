"""The page of a counterexample in a real browser: it plays, it asks nobody for anything, and everyone can read it."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from failures import FAILURES, failure

from tenure.checking.telling import page

if find_spec("selenium") is None and not os.environ.get("TENURE_NO_SKIPS"):
    pytest.skip("needs selenium: pip install selenium", allow_module_level=True)

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

OPTIONS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--hide-scrollbars"),
)
STEPS = len(FAILURES["late completion"][2])
Open = Callable[..., webdriver.Chrome]


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    """A browser of this machine; none is ever fetched, since both programs are named."""
    program, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if program is None or driver is None:
        pytest.skip("needs chromium and chromedriver: apt-get install chromium chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = program
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    for option in (*OPTIONS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(option)
    chrome = webdriver.Chrome(options=options, service=Service(executable_path=driver))
    yield chrome
    chrome.quit()


@pytest.fixture
def shown(browser: webdriver.Chrome, tmp_path: Path) -> Iterator[Open]:
    """Opens the page of a failure; in the end the browser must have had nothing to complain of, and asked nobody."""
    path = tmp_path / "page.html"

    def show(
        name: str = "late completion", width: int = 1280, dark: bool = False, still: bool = False, script: bool = True
    ) -> webdriver.Chrome:
        made = page(failure(name))
        path.write_text(made if script else re.sub(r"<script>.*</script>", "", made, flags=re.S), encoding="utf-8")
        features = {"prefers-color-scheme": "dark" if dark else "light"}
        features["prefers-reduced-motion"] = "reduce" if still else "no-preference"
        media = [{"name": feature, "value": value} for feature, value in features.items()]
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": media})
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        browser.get(path.as_uri())
        return browser

    browser.get("about:blank")
    for kind in ("browser", "performance"):
        log(browser, kind)
    yield show
    assert log(browser, "browser") == []
    assert requested(browser) <= {path.as_uri(), "data:,"}


def log(browser: Any, kind: str) -> list[dict[str, Any]]:
    return list(browser.get_log(kind))


def requested(browser: webdriver.Chrome) -> set[str]:
    """What the browser asked for."""
    messages = [json.loads(entry["message"])["message"] for entry in log(browser, "performance")]
    return {
        message["params"]["request"]["url"] for message in messages if message["method"] == "Network.requestWillBeSent"
    }


def step(browser: webdriver.Chrome) -> int:
    """The step that is shown, which slider, list and words must agree on."""
    state = browser.execute_script(
        """return [Number(scrub.value), place.textContent,
        [...document.querySelectorAll("[aria-current=step]")].map(row => row.dataset.step),
        scrub.getAttribute("aria-valuetext")]"""
    )
    at: int = state[0]
    assert state == [at, f"{at} of {STEPS}", [str(at)] if at else [], f"step {at} of {STEPS}"]
    return at


def press(browser: webdriver.Chrome, *keys: str) -> None:
    ActionChains(browser).send_keys(*keys).perform()


def click(browser: webdriver.Chrome, name: str) -> None:
    browser.find_element(By.ID, name).click()


def bars(browser: webdriver.Chrome) -> list[str]:
    """The bars to be seen, by what they say of themselves."""
    return list(
        browser.execute_script(
            """return [...document.querySelectorAll(".wide .bar")].filter(bar => bar.getClientRects().length)
            .map(bar => bar.querySelector("title").textContent)"""
        )
    )


def test_it_opens_at_the_failing_step(shown: Open) -> None:
    browser = shown()
    assert step(browser) == STEPS
    assert browser.find_element(By.CLASS_NAME, "headline").text.startswith("complete(1, 1, now=10) answered True")
    assert browser.find_element(By.CSS_SELECTOR, ".wide .spot").is_displayed()


def test_buttons_step_and_stop_at_the_ends(shown: Open) -> None:
    browser = shown()
    click(browser, "back")
    assert step(browser) == STEPS - 1
    click(browser, "first")
    assert step(browser) == 0
    assert not browser.find_element(By.ID, "back").is_enabled()
    click(browser, "forward")
    assert step(browser) == 1
    click(browser, "last")
    assert step(browser) == STEPS
    assert not browser.find_element(By.ID, "forward").is_enabled()


def test_keys_step_wherever_the_focus_is(shown: Open) -> None:
    browser = shown()
    press(browser, Keys.ARROW_LEFT, Keys.ARROW_LEFT)
    assert step(browser) == STEPS - 2
    press(browser, Keys.HOME)
    assert step(browser) == 0
    press(browser, Keys.ARROW_LEFT, Keys.ARROW_RIGHT)
    assert step(browser) == 1
    press(browser, Keys.END)
    assert step(browser) == STEPS
    browser.find_element(By.ID, "scrub").send_keys(Keys.ARROW_LEFT)
    assert step(browser) == STEPS - 1


def test_the_slider_scrubs_and_a_step_in_the_list_goes_there(shown: Open) -> None:
    browser = shown()
    slider = browser.find_element(By.ID, "scrub")
    ActionChains(browser).move_to_element_with_offset(slider, -slider.size["width"] // 2 + 3, 0).click().perform()
    assert step(browser) == 0
    browser.find_elements(By.CSS_SELECTOR, ".steps .go")[2].click()
    assert step(browser) == 3


@pytest.mark.parametrize("still", [False, True])
def test_it_plays_from_the_beginning_to_the_end_and_says_each_step(shown: Open, still: bool) -> None:
    browser = shown(still=still)
    press(browser, Keys.SPACE)
    assert browser.find_element(By.ID, "play").get_attribute("aria-label") == "Pause"
    assert step(browser) == 0
    WebDriverWait(browser, 20).until(lambda _: step(browser) == STEPS)
    assert browser.find_element(By.ID, "play").get_attribute("aria-label") == "Play"
    assert "complete(1, 1, now=10)" in str(browser.find_element(By.ID, "live").get_attribute("textContent"))


def test_playing_is_paused_by_a_press_and_by_a_step(shown: Open) -> None:
    browser = shown()
    pauses: list[Callable[[], None]] = [lambda: click(browser, "play"), lambda: press(browser, Keys.HOME)]
    for pause in pauses:
        click(browser, "play")
        assert browser.find_element(By.ID, "play").get_attribute("data-playing") is not None
        pause()
        assert browser.find_element(By.ID, "play").get_attribute("data-playing") is None


def test_the_drawing_shows_what_is_there_at_each_step(shown: Open) -> None:
    browser = shown()
    assert bars(browser) == ["task 1 · token 1, [5, 10), expired"]
    press(browser, Keys.ARROW_LEFT)
    assert bars(browser) == ["task 1 · token 1, [5, 10)"]
    assert not browser.find_element(By.CSS_SELECTOR, ".wide .spot").is_displayed()
    press(browser, Keys.ARROW_LEFT)
    assert bars(browser) == []


def test_without_its_script_the_last_step_can_be_read_and_no_button_does_nothing(shown: Open) -> None:
    browser = shown(script=False)
    assert bars(browser) == ["task 1 · token 1, [5, 10), expired"]
    assert not browser.find_element(By.CLASS_NAME, "controls").is_displayed()
    assert all(row.is_displayed() for row in browser.find_elements(By.CSS_SELECTOR, ".steps > li"))


@pytest.mark.parametrize("width", [360, 760, 761, 1280])
@pytest.mark.parametrize("name", ["busy", "a big number"])
def test_it_is_never_wider_than_the_window_and_no_text_is_small(shown: Open, name: str, width: int) -> None:
    browser = shown(name, width)
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    smallest = browser.execute_script(
        """return Math.min(...[...document.querySelectorAll(".tenure-lanes text, main *")]
        .filter(one => one.getClientRects().length).map(one => {
          const svg = one.closest("svg.tenure-lanes");
          const scale = svg ? svg.getBoundingClientRect().width / svg.viewBox.baseVal.width : 1;
          return scale * parseFloat(getComputedStyle(one).fontSize);
        }))"""
    )
    assert smallest >= 11
    drawn = "return [...document.querySelectorAll('svg.tenure-lanes')].map(one => one.getBoundingClientRect().right)"
    assert max(browser.execute_script(drawn), default=0) <= width


def test_a_name_that_looks_like_markup_is_text(shown: Open) -> None:
    browser = shown("busy")
    assert browser.execute_script("return document.scripts.length") == 1
    assert "</script>" in browser.find_element(By.CSS_SELECTOR, ".steps code").text


def test_the_focus_can_be_seen(shown: Open) -> None:
    browser = shown()
    press(browser, Keys.TAB)
    outline = "const style = getComputedStyle(document.activeElement); return [style.outlineStyle, style.outlineWidth]"
    assert browser.execute_script(f"{outline}") == ["solid", "3px"]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("name", ["busy", "too many"])
def test_an_accessibility_checker_finds_nothing(shown: Open, name: str, width: int, dark: bool) -> None:
    """At the last step, and in the middle, where some steps are still to come."""
    if find_spec("axe_selenium_python") is None:
        pytest.skip("needs axe-core: pip install axe-selenium-python")
    browser = shown(name, width, dark, still=True)
    axe = files("axe_selenium_python").joinpath("node_modules/axe-core/axe.min.js").read_text(encoding="utf-8")
    for back in (0, 1):
        press(browser, *[Keys.ARROW_LEFT] * back)
        browser.execute_script(axe)
        found: dict[str, Any] = browser.execute_async_script("axe.run().then(arguments[arguments.length - 1])")
        assert [(one["id"], [node["html"] for node in one["nodes"]]) for one in found["violations"]] == []
        assert len(found["passes"]) > 10
