# SPDX-License-Identifier: Apache-2.0
"""Opens the site in headless Chromium, searches, and looks at tabs, pictures and the dark mode, as a reader would.

python3 scripts/site/browse.py build/site/html
"""

from __future__ import annotations

import functools
import http.server
import shutil
import sys
import threading

from selenium import webdriver
from selenium.common.exceptions import TimeoutException
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

#: A reader's search, and a page that the search must offer.
SEARCHES = {
    "exclusive scan": "computing/primitives.html",
    "OpMatMul": "computing/matrices.html",
    "linear algebra": "computing/linear-algebra.html",
    "Sequence::evalAsync": "cpp/classkp_1_1Sequence.html",
    "kp.Manager": "python/kp.html",
}


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


def open_browser() -> webdriver.Chrome:
    options = webdriver.ChromeOptions()
    for argument in ("--headless", "--no-sandbox", "--disable-gpu", "--window-size=1400,1000"):
        options.add_argument(argument)
    return webdriver.Chrome(options, webdriver.ChromeService(shutil.which("chromedriver")))


def results(browser: webdriver.Chrome, page: str) -> list[str]:
    """The addresses that the search offers, once @p page is among them or ten seconds are over."""

    def found(browser: webdriver.Chrome) -> list[str]:
        links = browser.find_elements(By.CLASS_NAME, "md-search-result__link")
        return [link.get_attribute("href") or "" for link in links]

    try:
        WebDriverWait(browser, 10).until(lambda b: any(page in link for link in found(b)))
    except TimeoutException:
        pass
    return found(browser)


def searches(browser: webdriver.Chrome, address: str) -> list[str]:
    """Return the errors of the search."""
    wrong = []
    for words, page in SEARCHES.items():
        browser.get(f"{address}/index.html?q={words.replace(' ', '+')}")
        links = results(browser, page)
        if not any(page in link for link in links) or any("undefined" in link for link in links):
            wrong.append(f"a search for '{words}' does not offer {page}, but {links[:5]}")
    return wrong


def looks(browser: webdriver.Chrome, address: str) -> list[str]:
    """Return the errors of the pages themselves."""
    wrong = []
    browser.get(f"{address}/guides/launchers.html")
    if not browser.find_elements(By.CLASS_NAME, "tabbed-labels"):
        wrong.append("guides/launchers.html has no tabs for C++ and Python")

    def scheme() -> str | None:
        return browser.find_element(By.TAG_NAME, "body").get_attribute("data-md-color-scheme")

    before = scheme()
    browser.find_element(By.CSS_SELECTOR, ".md-header__option label:not([hidden])").click()
    if {before, scheme()} != {"default", "slate"}:
        wrong.append(f"the button for the dark mode changes '{before}' to '{scheme()}'")

    browser.get(f"{address}/examples.html")
    pictures = browser.find_elements(By.CSS_SELECTOR, "article img")
    sizes = {
        picture.get_attribute("src"): picture.get_property("naturalWidth") for picture in pictures
    }
    if not sizes or 0 in sizes.values():
        wrong.append(
            f"examples.html lacks pictures; those that it names have these widths: {sizes}"
        )
    return wrong


def main() -> int:
    if shutil.which("chromedriver") is None:
        print("site: LEFT OUT: Chromium and its driver are not installed; the site was NOT opened")
        return 0
    handler = functools.partial(Quiet, directory=sys.argv[1])
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        browser = open_browser()
        wrong = [*searches(browser, address), *looks(browser, address)]
        browser.quit()
        server.shutdown()
    for what in wrong:
        print(f"site: {what}")
    print(
        f"site: Chromium searched {len(SEARCHES)} times and looked at two pages; failures: {len(wrong)}"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
